#include "gumption/weights/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.h"

namespace gumption {
namespace {

using testing::IsEmpty;

TEST(Checkpoint, ReferenceModelsOpenWhole) {
  for (const char* name : {"bert-multiple-choice", "bert-next-sentence", "gpt1-double-heads", "gpt2-lm"}) {
    GUMPTION_NEEDS_SHARED(folder, std::string("golden/") + name);
    const Checkpoint checkpoint = open_checkpoint(folder);
    EXPECT_THAT(checkpoint.missing, IsEmpty()) << name;
    EXPECT_THAT(checkpoint.left_over, IsEmpty()) << name;
    EXPECT_THAT(checkpoint.notes, IsEmpty()) << name;
    EXPECT_TRUE(checkpoint.backbone_complete) << name;
  }
}

}  // namespace
}  // namespace gumption
