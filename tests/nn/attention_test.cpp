// What packing promises: a token sees its own sequence and nothing else, whatever lies beside it.

#include "gumption/nn/attention.h"

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "nn/nn_support.h"

namespace gumption {
namespace {

at::TensorOptions in_double() { return test::test_options(at::kDouble); }

struct Inputs {
  at::Tensor query, key, value;
};

Inputs random_inputs(std::int64_t tokens, const at::TensorOptions& options = in_double()) {
  at::manual_seed(7);
  const auto make = [&] { return at::randn({tokens, 2, 8}, options); };
  return {make(), make(), make()};
}

/// Attention written out: scores, mask, softmax, sum.
at::Tensor plain_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, bool causal) {
  const at::Tensor scores = at::einsum("qhd,khd->hqk", {query, key}) / std::sqrt(static_cast<double>(query.size(2)));
  at::Tensor shown = scores;
  if (causal) {
    const std::int64_t before = key.size(0) - query.size(0);
    const at::Tensor seen = at::ones({query.size(0), key.size(0)}, query.options().dtype(at::kBool)).tril(before);
    shown = scores.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity());
  }
  return at::einsum("hqk,khd->qhd", {at::softmax(shown, -1), value});
}

TEST(Attention, PackedEqualsOneByOne) {
  Layout layout;
  for (const std::int64_t length : {5, 1, 3, 5, 9}) layout.add(length);
  const Inputs in = random_inputs(layout.tokens());
  for (const Sight sight : {Sight::kBothWays, Sight::kCausal}) {
    const at::Tensor packed = AttentionPlan(layout, sight, in_double()).attend(in.query, in.key, in.value);
    for (const Segment& segment : layout.segments) {
      const auto own = [&](const at::Tensor& x) { return x.narrow(0, segment.begin, segment.length); };
      const at::Tensor alone = plain_attention(own(in.query), own(in.key), own(in.value), sight == Sight::kCausal);
      EXPECT_LT(test::distance(own(packed), alone), 1e-12);
    }
  }
}

TEST(Attention, BranchesSeeTheirParentAndThemselves) {
  Layout layout;
  const auto first = layout.add(4);
  layout.add(3, first);
  layout.add(2, first);
  const auto second = layout.add(6);
  layout.add(3, second);
  const Inputs in = random_inputs(layout.tokens());
  const at::Tensor packed = AttentionPlan(layout, Sight::kCausal, in_double()).attend(in.query, in.key, in.value);
  for (const Segment& segment : layout.segments) {
    const auto own = [&](const at::Tensor& x) { return x.narrow(0, segment.begin, segment.length); };
    const auto with_parent = [&](const at::Tensor& x) {
      if (segment.parent < 0) return own(x);
      const Segment& parent = layout.segments[static_cast<std::size_t>(segment.parent)];
      return at::cat({x.narrow(0, parent.begin, parent.length), own(x)});
    };
    const at::Tensor alone = plain_attention(own(in.query), with_parent(in.key), with_parent(in.value), true);
    EXPECT_LT(test::distance(own(packed), alone), 1e-12);
  }
}

/// The gradient of a weighted sum of f's values, by autograd and by differences.
void expect_right_gradient(const std::function<at::Tensor(const at::Tensor&)>& f, const at::Tensor& at_point) {
  at::Tensor x = at_point.clone().requires_grad_(true);
  at::Tensor y = f(x);
  const at::Tensor weights = at::randn_like(y).detach();
  (y * weights).sum().backward();
  const c10::NoGradGuard none;
  const double step = 1e-5;
  at::Tensor flat = at_point.clone();
  at::Tensor view = flat.view(-1);
  const at::Tensor gradient = x.grad().reshape(-1);
  for (std::int64_t i = 0; i < view.size(0); i += 7) {
    const double original = view[i].item<double>();
    view[i] = original + step;
    const double above = (f(flat) * weights).sum().item<double>();
    view[i] = original - step;
    const double below = (f(flat) * weights).sum().item<double>();
    view[i] = original;
    EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * step), 1e-6);
  }
}

TEST(Attention, GradientsAgainstDifferences) {
  Layout layout;
  const auto first = layout.add(4);
  layout.add(3, first);
  layout.add(2, first);
  layout.add(3);
  const Inputs in = random_inputs(layout.tokens());
  const AttentionPlan plan(layout, Sight::kCausal, in_double());
  expect_right_gradient([&](const at::Tensor& x) { return plan.attend(x, in.key, in.value); }, in.query);
  expect_right_gradient([&](const at::Tensor& x) { return plan.attend(in.query, x, in.value); }, in.key);
  expect_right_gradient([&](const at::Tensor& x) { return plan.attend(in.query, in.key, x); }, in.value);
}

TEST(Attention, ShortSegmentsInFloat32) {
  // The CPU has kernels of its own for heads of 32 and 64 numbers.
  Layout layout;
  const auto first = layout.add(70);
  layout.add(12, first);
  layout.add(1, first);
  for (const std::int64_t length : {16, 1, 17, 33, 60, 120}) layout.add(length);
  for (const std::int64_t width : {32, 64}) {
    at::manual_seed(7);
    const auto make = [&] { return at::randn({layout.tokens(), 3, width}, in_double()); };
    const Inputs in = {make() * 3, make(), make()};
    const c10::NoGradGuard none;
    const auto single = test::test_options(at::kFloat);
    const at::Tensor packed = AttentionPlan(layout, Sight::kCausal, single)
                                  .attend(in.query.to(single), in.key.to(single), in.value.to(single))
                                  .to(at::kDouble);
    const at::Tensor wanted = AttentionPlan(layout, Sight::kCausal, in_double()).attend(in.query, in.key, in.value);
    EXPECT_LT(test::distance(packed, wanted), 1e-5);
  }
}

TEST(Attention, ShortSegmentsInBfloat16) {
  // A GPU has a kernel of its own for these; elsewhere this is the plain path in bfloat16.
  Layout layout;
  const auto first = layout.add(20);
  layout.add(12, first);
  layout.add(1, first);
  for (const std::int64_t length : {32, 1, 17}) layout.add(length);
  for (const bool longer : {false, true}) {
    if (longer) layout.add(60);
    at::manual_seed(7);
    const auto exact = [&] {
      return at::randn({layout.tokens(), 2, 64}, in_double()).to(at::kBFloat16).to(at::kDouble);
    };
    const Inputs in = {exact(), exact(), exact()};
    const c10::NoGradGuard none;
    const auto rounded = test::test_options(at::kBFloat16);
    const at::Tensor packed = AttentionPlan(layout, Sight::kCausal, rounded)
                                  .attend(in.query.to(rounded), in.key.to(rounded), in.value.to(rounded))
                                  .to(at::kDouble);
    const at::Tensor wanted = AttentionPlan(layout, Sight::kCausal, in_double()).attend(in.query, in.key, in.value);
    EXPECT_LT(test::distance(packed, wanted), 0.03);  // values up to about three, of numbers with eight bits
  }
}

TEST(Attention, BothWaysTakesNoParents) {
  Layout layout;
  layout.add(2, layout.add(2));
  EXPECT_THROW(AttentionPlan(layout, Sight::kBothWays, in_double()), InternalError);
}

TEST(TreeTiles, AreOfStemsWithTheirBranches) {
  Layout layout;
  layout.add(70);
  layout.add(20, 0);
  layout.add(50, 0);
  layout.add(64);
  layout.add(1);
  layout.add(2, 4);
  // Of each: the first token, the tree's first segment, the one behind its last.
  const std::vector<std::int64_t> expected = {0, 0, 3, 64, 0, 3, 128, 0, 3, 140, 3, 4, 204, 4, 6};
  EXPECT_EQ(tree_tiles(layout), expected);
  layout.add(5, 0);
  EXPECT_TRUE(tree_tiles(layout).empty()) << "a branch lies apart from its tree";
}

}  // namespace
}  // namespace gumption
