#include "gumption/nn/dropout.h"

#include <vector>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "gumption/base/each_width.h"
#include "gumption/base/error.h"
#include "gumption/base/random.h"

namespace gumption {

namespace {

/// What a row's numbers are drawn from.
struct RowKey {
  std::uint32_t first;
  std::uint32_t second;
};

RowKey row_key(std::int64_t key, std::int64_t site) {
  std::uint64_t state = static_cast<std::uint64_t>(key) ^ (static_cast<std::uint64_t>(site) * 0x9e3779b97f4a7c15U);
  const std::uint64_t mixed = split_mix(state);
  return {static_cast<std::uint32_t>(mixed), static_cast<std::uint32_t>(mixed >> 32)};
}

/// Fills `mask` with 0 (dropped) or `scale`. Each column's 32 bits come from two rounds of a multiplying mixer.
GUMPTION_FOR_EACH_WIDTH
void fill_mask(RowKey key, std::uint32_t threshold, float scale, std::int64_t columns, float* mask) {
  for (std::int64_t column = 0; column < columns; ++column) {
    std::uint32_t bits = key.first + static_cast<std::uint32_t>(column) * 0x9e3779b9U;
    bits ^= bits >> 16;
    bits *= 0x7feb352dU;
    bits ^= bits >> 15;
    bits += key.second;
    bits *= 0x846ca68bU;
    bits ^= bits >> 16;
    bits *= 0x7feb352dU;
    bits ^= bits >> 15;
    mask[column] = bits >= threshold ? scale : 0.0F;
  }
}

at::Tensor drop_rows(const at::Tensor& x, const at::Tensor& keys, std::int64_t site, double rate) {
  const std::int64_t columns = x.size(-1);
  const std::int64_t rows = columns == 0 ? 0 : x.numel() / columns;
  ensure(keys.numel() == rows && keys.is_contiguous(), "every row has a key");
  ensure(x.is_contiguous(), "rows lie end to end");
  at::Tensor out = at::empty_like(x);
  const auto threshold = static_cast<std::uint32_t>(rate * 4294967296.0);
  const auto scale = static_cast<float>(1 / (1 - rate));
  const std::int64_t* key = keys.const_data_ptr<std::int64_t>();
  AT_DISPATCH_FLOATING_TYPES_AND(at::kBFloat16, x.scalar_type(), "keyed_dropout", [&] {
    const scalar_t* from = x.const_data_ptr<scalar_t>();
    scalar_t* to = out.mutable_data_ptr<scalar_t>();
    constexpr std::int64_t kNumbersOfTask = 1 << 14;
    at::parallel_for(
        0, rows, std::max<std::int64_t>(1, kNumbersOfTask / columns), [&](std::int64_t begin, std::int64_t end) {
          std::vector<float> mask(static_cast<std::size_t>(columns));
          for (std::int64_t row = begin; row < end; ++row) {
            fill_mask(row_key(key[row], site), threshold, scale, columns, mask.data());
            const scalar_t* in = from + row * columns;
            scalar_t* kept = to + row * columns;
            for (std::int64_t i = 0; i < columns; ++i) {
              kept[i] = static_cast<scalar_t>(in[i] * static_cast<scalar_t>(mask[static_cast<std::size_t>(i)]));
            }
          }
        });
  });
  return out;
}

/// Draws again in the backward pass what it drew in the forward one.
struct KeyedDropout : torch::autograd::Function<KeyedDropout> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const at::Tensor& keys,
                            std::int64_t site, double rate) {
    context->save_for_backward({keys});
    context->saved_data["site"] = site;
    context->saved_data["rate"] = rate;
    return drop_rows(x.contiguous(), keys, site, rate);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const at::Tensor keys = context->get_saved_variables().front();
    return {drop_rows(gradients.front().contiguous(), keys, context->saved_data["site"].toInt(),
                      context->saved_data["rate"].toDouble()),
            at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor keyed_dropout(const at::Tensor& x, const at::Tensor& keys, std::int64_t site, double rate) {
  return KeyedDropout::apply(x, keys, site, rate);
}

at::Tensor Dropout::drop(const at::Tensor& x, double rate, const at::Tensor& row_keys) const {
  if (!active || rate <= 0) return x;
  const std::int64_t site = site_++;
  return row_keys.defined() ? keyed_dropout(x, row_keys, site, rate) : at::dropout(x, rate, true);
}

}  // namespace gumption
