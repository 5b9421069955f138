#include "gumption/nn/layers.h"

#include <gtest/gtest.h>

namespace gumption {
namespace {

TEST(JoinedView, JoinsPartsOfOneStorageOnly) {
  const at::Tensor all = at::arange(12, at::kFloat).view({6, 2});
  const at::Tensor joined = joined_view({all.narrow(0, 0, 2), all.narrow(0, 2, 3)});
  ASSERT_TRUE(joined.defined());
  EXPECT_TRUE(at::equal(joined, all.narrow(0, 0, 5)));
  EXPECT_FALSE(joined_view({all.narrow(0, 2, 2), all.narrow(0, 0, 2)}).defined());

  // Neighbours in memory that know nothing of each other, as the pages of a checkpoint's file.
  std::vector<float> memory(8, 1.0F);
  const at::Tensor first = at::from_blob(memory.data(), {2, 2}, at::kFloat);
  const at::Tensor second = at::from_blob(memory.data() + 4, {2, 2}, at::kFloat);
  EXPECT_FALSE(joined_view({first, second}).defined());
}

}  // namespace
}  // namespace gumption
