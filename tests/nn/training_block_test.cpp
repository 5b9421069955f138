// The fused training block gives what the same block gives in plain operations and autograd, forward and backward.

#include "gumption/nn/training_block.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nn/nn_support.h"

namespace gumption {
namespace {

at::TensorOptions in_bfloat16() { return test::test_options(at::kBFloat16); }
at::TensorOptions in_float() { return test::test_options(at::kFloat); }

class TrainingBlock : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!in_float().device().is_cuda()) GTEST_SKIP() << "the fused block is for a GPU";
    at::manual_seed(11);
  }
};

struct Shape {
  std::int64_t hidden = 128;
  std::int64_t inner = 512;
  MatrixForm form = MatrixForm::kOutputsByInputs;
};

BlockLinear random_linear(std::int64_t inputs, std::int64_t outputs, MatrixForm form) {
  const bool by_outputs = form == MatrixForm::kOutputsByInputs;
  BlockLinear layer;
  layer.weight = (at::randn({by_outputs ? outputs : inputs, by_outputs ? inputs : outputs}, in_float()) /
                  std::sqrt(static_cast<double>(inputs)))
                     .to(at::kBFloat16);
  layer.weight_gradient = at::zeros_like(layer.weight);
  layer.bias = 0.3 * at::randn({outputs}, in_float());
  layer.bias_gradient = at::zeros_like(layer.bias);
  return layer;
}

BlockNorm random_norm(std::int64_t hidden) {
  BlockNorm norm;
  norm.weight = 1 + 0.2 * at::randn({hidden}, in_float());
  norm.bias = 0.2 * at::randn({hidden}, in_float());
  norm.weight_gradient = at::zeros_like(norm.weight);
  norm.bias_gradient = at::zeros_like(norm.bias);
  return norm;
}

BlockParameters random_parameters(const Shape& shape) {
  BlockParameters parameters;
  parameters.attention = random_linear(shape.hidden, 3 * shape.hidden, shape.form);
  parameters.attention_output = random_linear(shape.hidden, shape.hidden, shape.form);
  parameters.inner = random_linear(shape.hidden, shape.inner, shape.form);
  parameters.output = random_linear(shape.inner, shape.hidden, shape.form);
  parameters.attention_norm = random_norm(shape.hidden);
  parameters.output_norm = random_norm(shape.hidden);
  parameters.form = shape.form;
  return parameters;
}

/// A block's parameters or their gradients, by name.
using Named = std::map<std::string, at::Tensor>;

void name_tensors(const BlockParameters& p, Named& values, Named& gradients) {
  const auto linear = [&](const std::string& name, const BlockLinear& layer) {
    values[name + " weight"] = layer.weight;
    values[name + " bias"] = layer.bias;
    gradients[name + " weight"] = layer.weight_gradient;
    gradients[name + " bias"] = layer.bias_gradient;
  };
  const auto norm = [&](const std::string& name, const BlockNorm& layer) {
    values[name + " weight"] = layer.weight;
    values[name + " bias"] = layer.bias;
    gradients[name + " weight"] = layer.weight_gradient;
    gradients[name + " bias"] = layer.bias_gradient;
  };
  linear("attention", p.attention);
  linear("attention output", p.attention_output);
  linear("inner", p.inner);
  linear("output", p.output);
  norm("attention norm", p.attention_norm);
  norm("output norm", p.output_norm);
}

Named gradients_of(const BlockParameters& parameters) {
  Named values;
  Named gradients;
  name_tensors(parameters, values, gradients);
  return gradients;
}

SegmentOffsets offsets_of(const Layout& layout, bool short_rows = false) {
  std::vector<std::int64_t> queries = {0};
  std::vector<std::int64_t> keys = {0};
  std::vector<std::int64_t> rows;
  bool has_parents = false;
  SegmentOffsets offsets;
  for (const Segment& segment : layout.segments) {
    std::int64_t before = 0;
    if (segment.parent >= 0) {
      const Segment& parent = layout.segments[static_cast<std::size_t>(segment.parent)];
      before = parent.length;
      has_parents = true;
      for (std::int64_t i = 0; i < before; ++i) rows.push_back(parent.begin + i);
    }
    for (std::int64_t i = 0; i < segment.length; ++i) rows.push_back(segment.begin + i);
    queries.push_back(queries.back() + segment.length);
    keys.push_back(keys.back() + before + segment.length);
    offsets.longest_query = std::max(offsets.longest_query, segment.length);
    offsets.longest_key = std::max(offsets.longest_key, before + segment.length);
  }
  offsets.queries = to_device(queries, in_float()).to(at::kInt);
  offsets.keys = to_device(keys, in_float()).to(at::kInt);
  if (has_parents) offsets.key_rows = to_device(rows, in_float()).to(short_rows ? at::kInt : at::kLong);
  const std::vector<std::int64_t> tiles = tree_tiles(layout);
  if (!tiles.empty()) offsets.tiles = to_device(tiles, in_float()).to(at::kInt).view({-1, kTreeTileNumbers});
  return offsets;
}

/// Without tiles, attention over what is not short is LibTorch's.
SegmentOffsets offsets_without_tiles(const Layout& layout) {
  SegmentOffsets offsets = offsets_of(layout);
  offsets.tiles = at::Tensor();
  return offsets;
}

Layout layout_of(const std::vector<std::int64_t>& lengths) {
  Layout layout;
  for (const std::int64_t length : lengths) layout.add(length);
  return layout;
}

/// A stem and branches of each length.
void add_tree(Layout& layout, std::int64_t stem, const std::vector<std::int64_t>& branches) {
  const std::int64_t parent = layout.add(stem);
  for (const std::int64_t length : branches) layout.add(length, parent);
}

/// Trees that end in, at and behind tiles, and one whose branches are longer than a tile.
Layout many_trees() {
  Layout layout;
  add_tree(layout, 40, {3, 7});
  add_tree(layout, 12, {});
  add_tree(layout, 1, {1, 1, 1});
  add_tree(layout, 100, {30, 1, 64, 20});
  add_tree(layout, 63, {1, 1});
  add_tree(layout, 64, {64});
  add_tree(layout, 30, {5, 70, 200});
  add_tree(layout, 140, {});
  return layout;
}

/// What dropout multiplies by, zero or more than one; undefined: nothing is dropped.
struct Factors {
  at::Tensor attention;  // [tokens, heads, keys]: of each query and each key of its segment
  at::Tensor attention_output;
  at::Tensor output;
};

/// Attention written out, segment by segment.
at::Tensor plain_attention(const at::Tensor& projected, const Layout& layout, const BlockSettings& settings,
                           const Factors& factors) {
  const std::int64_t hidden = projected.size(1) / 3;
  const at::Tensor all = projected.view({projected.size(0), 3, settings.heads, hidden / settings.heads});
  std::vector<at::Tensor> parts;
  for (const Segment& segment : layout.segments) {
    const auto rows = [&](std::int64_t which, const Segment& s) {
      return all.select(1, which).narrow(0, s.begin, s.length);
    };
    at::Tensor key = rows(1, segment);
    at::Tensor value = rows(2, segment);
    if (segment.parent >= 0) {
      const Segment& parent = layout.segments[static_cast<std::size_t>(segment.parent)];
      key = at::cat({rows(1, parent), key});
      value = at::cat({rows(2, parent), value});
    }
    at::Tensor scores =
        at::einsum("qhd,khd->hqk", {rows(0, segment), key}) / std::sqrt(static_cast<double>(hidden / settings.heads));
    if (settings.causal) {
      const at::Tensor seen =
          at::ones({segment.length, key.size(0)}, scores.options().dtype(at::kBool)).tril(key.size(0) - segment.length);
      scores = scores.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity());
    }
    at::Tensor weights = at::softmax(scores, -1);
    if (factors.attention.defined()) {
      weights = weights *
                factors.attention.narrow(0, segment.begin, segment.length).narrow(2, 0, key.size(0)).transpose(0, 1);
    }
    parts.push_back(at::einsum("hqk,khd->qhd", {weights, value}));
  }
  return at::cat(parts).reshape({projected.size(0), hidden});
}

struct Result {
  at::Tensor out;
  at::Tensor x_gradient;
  Named gradients;
};

/// The block in float32, by plain operations and autograd.
Result plain_block(const at::Tensor& x, const BlockParameters& parameters, const Layout& layout,
                   const BlockSettings& settings, const at::Tensor& out_gradient, const Factors& factors = {}) {
  Named values;
  Named gradients;
  name_tensors(parameters, values, gradients);
  for (auto& [name, value] : values) value = value.to(at::kFloat, false, true).requires_grad_(true);
  const at::Tensor input = x.to(at::kFloat, false, true).detach().requires_grad_(true);
  const auto linear = [&](const at::Tensor& y, const std::string& name) {
    const at::Tensor& weight = values.at(name + " weight");
    const bool by_outputs = parameters.form == MatrixForm::kOutputsByInputs;
    return at::mm(y, by_outputs ? weight.t() : weight) + values.at(name + " bias");
  };
  const auto norm = [&](const at::Tensor& y, const std::string& name) {
    return at::layer_norm(y, {y.size(1)}, values.at(name + " weight"), values.at(name + " bias"), settings.epsilon);
  };
  const auto drop = [](const at::Tensor& y, const at::Tensor& by) { return by.defined() ? y * by : y; };

  const at::Tensor seen = plain_attention(linear(input, "attention"), layout, settings, factors);
  const at::Tensor attended =
      norm(drop(linear(seen, "attention output"), factors.attention_output) + input, "attention norm");
  const at::Tensor inner =
      at::gelu(linear(attended, "inner"), settings.activation == Activation::kGeluTanh ? "tanh" : "none");
  const at::Tensor out = norm(drop(linear(inner, "output"), factors.output) + attended, "output norm");
  out.backward(out_gradient.to(at::kFloat));
  Result result{out.detach(), input.grad(), {}};
  for (const auto& [name, value] : values) result.gradients[name] = value.grad();
  return result;
}

at::Tensor seed_of(std::int64_t seed) { return to_device({seed}, in_float()); }

/// Adds to what the gradients hold.
Result add_fused_block(const at::Tensor& x, const BlockParameters& parameters, const SegmentOffsets& offsets,
                       const BlockSettings& settings, const at::Tensor& out_gradient, std::int64_t seed = 1) {
  const at::Tensor input = x.detach().clone().requires_grad_(true);
  EXPECT_TRUE(training_block_is_supported(input, parameters, settings));
  const at::Tensor out = training_block(input, parameters, offsets, settings, seed_of(seed));
  out.backward(out_gradient);
  Result result{out.detach(), input.grad(), gradients_of(parameters)};
  for (auto& [name, gradient] : result.gradients) gradient = gradient.clone();
  return result;
}

Result fused_block(const at::Tensor& x, const BlockParameters& parameters, const SegmentOffsets& offsets,
                   const BlockSettings& settings, const at::Tensor& out_gradient, std::int64_t seed = 1) {
  for (auto& [name, gradient] : gradients_of(parameters)) gradient.zero_();
  return add_fused_block(x, parameters, offsets, settings, out_gradient, seed);
}

/// The size of the difference, as a share of the size.
double error_of(const at::Tensor& got, const at::Tensor& expected) {
  return ((got.to(at::kFloat) - expected.to(at::kFloat)).norm() / expected.to(at::kFloat).norm()).item<double>();
}

constexpr double kTolerance = 2e-2;

void expect_near(const Result& got, const Result& expected) {
  EXPECT_LT(error_of(got.out, expected.out), kTolerance);
  EXPECT_LT(error_of(got.x_gradient, expected.x_gradient), kTolerance);
  for (const auto& [name, gradient] : expected.gradients) {
    EXPECT_LT(error_of(got.gradients.at(name), gradient), kTolerance) << name;
  }
}

/// Compares a block without dropout, on random numbers.
void compare(const Shape& shape, const Layout& layout, const SegmentOffsets& offsets, const BlockSettings& settings) {
  const BlockParameters parameters = random_parameters(shape);
  const at::Tensor x = at::randn({layout.tokens(), shape.hidden}, in_bfloat16());
  const at::Tensor out_gradient = at::randn_like(x);
  const Result expected = plain_block(x, parameters, layout, settings, out_gradient);
  expect_near(fused_block(x, parameters, offsets, settings, out_gradient), expected);
}

void compare(const Shape& shape, const Layout& layout, const BlockSettings& settings) {
  compare(shape, layout, offsets_of(layout), settings);
}

TEST_F(TrainingBlock, ShortSegments) {
  BlockSettings settings;
  settings.heads = 2;
  compare({}, layout_of({5, 1, 17, 64, 33, 16}), settings);
  settings.causal = true;
  compare({}, layout_of({5, 1, 17, 64, 33, 16, 2}), settings);
}

TEST_F(TrainingBlock, LongSegments) {
  BlockSettings settings;
  settings.heads = 2;
  const Layout layout = layout_of({70, 3, 130, 64, 1, 300});
  compare({}, layout, settings);
  settings.causal = true;
  compare({}, layout, settings);
}

TEST_F(TrainingBlock, Trees) {
  BlockSettings settings;
  settings.heads = 2;
  settings.causal = true;
  compare({}, many_trees(), settings);
  compare({}, many_trees(), offsets_without_tiles(many_trees()), settings);
  SegmentOffsets filled = offsets_of(many_trees());
  filled.tiles = at::cat({filled.tiles, at::zeros({5, kTreeTileNumbers}, filled.tiles.options())});
  compare({}, many_trees(), filled, settings);
  settings.heads = 12;
  compare({.hidden = 768, .inner = 3072, .form = MatrixForm::kInputsByOutputs}, many_trees(), settings);
}

TEST_F(TrainingBlock, HeadsOfAnotherWidth) {
  BlockSettings settings;
  settings.heads = 4;
  compare({}, layout_of({20, 40}), settings);
}

TEST_F(TrainingBlock, MatricesByInputsAndTanhForm) {
  BlockSettings settings;
  settings.heads = 2;
  settings.causal = true;
  settings.epsilon = 1e-5;
  settings.activation = Activation::kGeluTanh;
  const Shape shape{.form = MatrixForm::kInputsByOutputs};
  compare(shape, layout_of({9, 30, 64}), settings);
  compare(shape, layout_of({9, 100}), settings);
}

TEST_F(TrainingBlock, BranchesApartFromTheirParents) {
  BlockSettings settings;
  settings.heads = 2;
  settings.causal = true;
  Layout layout;
  const auto first = layout.add(40);
  layout.add(3, first);
  layout.add(7, first);
  layout.add(12);
  const auto second = layout.add(6);
  layout.add(3, second);
  layout.add(1, first);
  compare({.form = MatrixForm::kInputsByOutputs}, layout, settings);
  compare({}, layout, offsets_of(layout, /*short_rows=*/true), settings);
}

TEST_F(TrainingBlock, WidthsAndRows) {
  BlockSettings settings;
  settings.heads = 12;
  compare({.hidden = 768, .inner = 3072}, layout_of(std::vector<std::int64_t>(60, 41)), settings);
  settings.heads = 16;
  compare({.hidden = 1024, .inner = 4096}, layout_of({64, 60}), settings);
  settings.heads = 32;
  compare({.hidden = 2048, .inner = 1032}, layout_of({64, 60}), settings);
  settings.heads = 1;
  compare({.hidden = 8, .inner = 24}, layout_of({64, 60, 6}), settings);
}

TEST_F(TrainingBlock, EmptySegmentsAreNothing) {
  const auto compare_among_empty = [](const Layout& layout, bool causal) {
    BlockSettings settings;
    settings.heads = 2;
    settings.causal = causal;
    SegmentOffsets offsets = offsets_of(layout);
    for (at::Tensor* ends : {&offsets.queries, &offsets.keys}) *ends = ends->repeat_interleave(2);
    // An empty segment stands before each: the i-th is now at 2 i + 1.
    offsets.tiles.select(1, 1).mul_(2).add_(1);
    offsets.tiles.select(1, 2).mul_(2);
    compare({}, layout, offsets, settings);
  };
  compare_among_empty(layout_of({12, 30}), false);
  compare_among_empty(layout_of({12, 90}), true);
  Layout shared;
  const auto parent = shared.add(20);
  shared.add(5, parent);
  shared.add(3, parent);
  compare_among_empty(shared, true);
}

TEST_F(TrainingBlock, ManyRowsOfBothAttentions) {
  BlockSettings settings;
  settings.heads = 2;
  compare({}, layout_of(std::vector<std::int64_t>(150, 50)), settings);
  compare({}, layout_of(std::vector<std::int64_t>(60, 90)), settings);
}

TEST_F(TrainingBlock, GradientsAreAdded) {
  const Shape shape;
  const Layout layout = layout_of({20, 31});
  const SegmentOffsets offsets = offsets_of(layout);
  BlockSettings settings;
  settings.heads = 2;
  const BlockParameters parameters = random_parameters(shape);
  const at::Tensor x = at::randn({layout.tokens(), shape.hidden}, in_bfloat16());
  const at::Tensor out_gradient = at::randn_like(x);
  const Result once = fused_block(x, parameters, offsets, settings, out_gradient);
  const Result twice = add_fused_block(x, parameters, offsets, settings, out_gradient);
  EXPECT_TRUE(once.x_gradient.equal(twice.x_gradient));
  for (const auto& [name, gradient] : once.gradients) {
    EXPECT_LT(error_of(twice.gradients.at(name), 2 * gradient), kTolerance) << name;
  }
}

// Dropout --------------------------------------------------------------------------------------------------------

void clear(const BlockLinear& layer) {
  layer.weight.zero_();
  layer.bias.zero_();
}

/// Parameters that let through what the residuals hold: norms without weights, and zeros else.
BlockParameters empty_parameters(const Shape& shape) {
  const BlockParameters parameters = random_parameters(shape);
  for (const BlockLinear* layer :
       {&parameters.attention, &parameters.attention_output, &parameters.inner, &parameters.output}) {
    clear(*layer);
  }
  for (const BlockNorm* norm : {&parameters.attention_norm, &parameters.output_norm}) {
    norm->weight.fill_(1);
    norm->bias.zero_();
  }
  return parameters;
}

/// Which numbers fell of the layer that `layer` picks: with a bias of one and zeros else, they are below the mean.
at::Tensor factors_of(const Shape& shape, const Layout& layout, const BlockSettings& settings, std::int64_t seed,
                      const std::function<const BlockLinear&(const BlockParameters&)>& layer) {
  const BlockParameters parameters = empty_parameters(shape);
  layer(parameters).bias.fill_(1);
  const at::Tensor x = at::zeros({layout.tokens(), shape.hidden}, in_bfloat16());
  const at::Tensor out = training_block(x, parameters, offsets_of(layout), settings, seed_of(seed));
  return (out > 0).to(at::kFloat) / (1 - settings.residual_dropout);
}

/// Which attention weights fell of the 64 keys from `first` on: the value of the i-th of them is one at place i, and
/// zero else. What isn't seen counts as fallen.
at::Tensor attention_factors(const Shape& shape, const Layout& layout, BlockSettings settings, std::int64_t seed,
                             std::int64_t first = 0) {
  constexpr double kSmall = 1.0 / 1024;  // leaves the residual's own numbers out
  settings.residual_dropout = 0;
  const BlockParameters parameters = empty_parameters(shape);
  const at::Tensor unit = at::eye(shape.hidden, in_bfloat16());
  parameters.attention.weight.narrow(0, 2 * shape.hidden, shape.hidden).copy_(unit / kSmall);
  parameters.attention_output.weight.copy_(unit);
  at::Tensor x = at::zeros({layout.tokens(), settings.heads, 64}, in_bfloat16());
  for (const Segment& segment : layout.segments) {
    std::int64_t place = -first;
    if (segment.parent >= 0) place += layout.segments[static_cast<std::size_t>(segment.parent)].length;
    for (std::int64_t i = 0; i < segment.length; ++i, ++place) {
      if (place >= 0 && place < 64) x.select(0, segment.begin + i).select(1, place).fill_(kSmall);
    }
  }
  const at::Tensor out =
      training_block(x.view({layout.tokens(), shape.hidden}), parameters, offsets_of(layout), settings, seed_of(seed));
  const at::Tensor middle = (out.amax(1, true) + out.amin(1, true)) / 2;
  const at::Tensor kept = (out > middle).to(at::kFloat) / (1 - settings.attention_dropout);
  return kept.view({layout.tokens(), settings.heads, 64});
}

const BlockLinear& attention_output(const BlockParameters& p) { return p.attention_output; }
const BlockLinear& output(const BlockParameters& p) { return p.output; }

double share_of_zeros(const at::Tensor& x) { return (x == 0).to(at::kFloat).mean().item<double>(); }

TEST_F(TrainingBlock, DropsTheShareThatItShould) {
  const Shape shape;
  const Layout layout = layout_of(std::vector<std::int64_t>(8, 64));
  BlockSettings settings;
  settings.heads = 2;
  settings.residual_dropout = 0.3;
  settings.attention_dropout = 0.1;
  const at::Tensor first = factors_of(shape, layout, settings, 5, attention_output);
  const at::Tensor second = factors_of(shape, layout, settings, 5, output);
  const at::Tensor of_attention = attention_factors(shape, layout, settings, 5);
  EXPECT_NEAR(share_of_zeros(first), 0.3, 0.01);
  EXPECT_NEAR(share_of_zeros(second), 0.3, 0.01);
  EXPECT_NEAR(share_of_zeros(of_attention), 0.1, 0.01);
  EXPECT_NEAR(share_of_zeros(first + second), 0.09, 0.01) << "the draws of two places are independent";
  settings.index = 1;
  EXPECT_NEAR(share_of_zeros(first + factors_of(shape, layout, settings, 5, attention_output)), 0.09, 0.01);
  EXPECT_NEAR(share_of_zeros(of_attention + attention_factors(shape, layout, settings, 5)), 0.01, 0.005);
  settings.index = 0;
  EXPECT_NEAR(share_of_zeros(first + factors_of(shape, layout, settings, 6, attention_output)), 0.09, 0.01);
  EXPECT_TRUE(first.equal(factors_of(shape, layout, settings, 5, attention_output)));
}

void compare_with_dropout(const Layout& layout, bool causal) {
  const Shape shape;
  const SegmentOffsets offsets = offsets_of(layout);
  const BlockParameters parameters = random_parameters(shape);
  const at::Tensor x = at::randn({layout.tokens(), shape.hidden}, in_bfloat16());
  const at::Tensor out_gradient = at::randn_like(x);
  BlockSettings settings;
  settings.heads = 2;
  settings.index = 3;
  settings.residual_dropout = 0.3;
  settings.attention_dropout = 0.2;
  settings.causal = causal;
  constexpr std::int64_t kSeed = 0x123456789abcdef;
  std::vector<at::Tensor> parts;
  for (std::int64_t first = 0; first < offsets.longest_key; first += 64) {
    parts.push_back(attention_factors(shape, layout, settings, kSeed, first));
  }
  Factors factors;
  factors.attention = at::cat(parts, 2);
  factors.attention_output = factors_of(shape, layout, settings, kSeed, attention_output);
  factors.output = factors_of(shape, layout, settings, kSeed, output);
  const Result expected = plain_block(x, parameters, layout, settings, out_gradient, factors);
  const Result got = fused_block(x, parameters, offsets, settings, out_gradient, kSeed);
  expect_near(got, expected);
  const Result same = fused_block(x, parameters, offsets, settings, out_gradient, kSeed);
  EXPECT_TRUE(same.out.equal(got.out));
  EXPECT_TRUE(same.x_gradient.equal(got.x_gradient));
  for (const auto& [name, gradient] : got.gradients) EXPECT_TRUE(same.gradients.at(name).equal(gradient)) << name;
  const Result other = fused_block(x, parameters, offsets, settings, out_gradient, kSeed + 1);
  EXPECT_GT(error_of(other.out, got.out), kTolerance);
}

TEST_F(TrainingBlock, GradientsAreThoseOfWhatWasDropped) {
  for (const bool causal : {false, true}) compare_with_dropout(layout_of({30, 64, 7, 1, 48}), causal);
  compare_with_dropout(many_trees(), true);
}

TEST_F(TrainingBlock, DropsTheShareThatItShouldInTrees) {
  BlockSettings settings;
  settings.heads = 2;
  settings.attention_dropout = 0.1;
  settings.causal = true;
  Layout layout;
  add_tree(layout, 192, {80, 80});
  for (const std::int64_t first : {0, 64, 128}) {
    // The branches' tokens see the whole stem.
    const at::Tensor factors = attention_factors({}, layout, settings, 5, first).narrow(0, 192, 160);
    EXPECT_NEAR(share_of_zeros(factors), 0.1, 0.01);
    EXPECT_NEAR(share_of_zeros(factors.narrow(0, 0, 80) + factors.narrow(0, 80, 80)), 0.01, 0.005);
  }
}

TEST_F(TrainingBlock, LibTorchsAttentionDropsToo) {
  const Shape shape;
  const Layout layout = many_trees();
  BlockSettings settings;
  settings.heads = 2;
  settings.causal = true;
  settings.residual_dropout = 0.1;
  settings.attention_dropout = 0.1;
  const BlockParameters parameters = random_parameters(shape);
  const at::Tensor x = at::randn({layout.tokens(), shape.hidden}, in_bfloat16());
  const Result result = fused_block(x, parameters, offsets_without_tiles(layout), settings, at::randn_like(x));
  EXPECT_TRUE(result.out.isfinite().all().item<bool>());
  EXPECT_TRUE(result.x_gradient.isfinite().all().item<bool>());
  for (const auto& [name, gradient] : result.gradients) EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << name;
}

TEST_F(TrainingBlock, RefusesWhatItHasNoKernelsFor) {
  const Shape shape;
  BlockSettings settings;
  settings.heads = 2;
  const BlockParameters parameters = random_parameters(shape);
  const at::Tensor x = at::randn({4, shape.hidden}, in_bfloat16());
  EXPECT_TRUE(training_block_is_supported(x, parameters, settings));
  EXPECT_FALSE(training_block_is_supported(x.to(at::kFloat), parameters, settings));
  settings.activation = Activation::kRelu;
  EXPECT_FALSE(training_block_is_supported(x, parameters, settings));
}

}  // namespace
}  // namespace gumption
