#include "gumption/nn/block_parameters.h"

namespace gumption {

BlockLinear block_linear(const std::vector<const Linear*>& layers) {
  std::vector<at::Tensor> weights;
  std::vector<at::Tensor> biases;
  std::vector<at::Tensor> weight_gradients;
  std::vector<at::Tensor> bias_gradients;
  for (const Linear* layer : layers) {
    weights.push_back(layer->weight());
    biases.push_back(layer->bias());
    weight_gradients.push_back(layer->weight().grad());
    bias_gradients.push_back(layer->bias().grad());
  }
  return {joined_view(weights), joined_view(weight_gradients), joined_view(biases), joined_view(bias_gradients)};
}

BlockNorm block_norm(const LayerNorm& norm) {
  return {norm.weight().detach(), norm.bias().detach(), norm.weight().grad(), norm.bias().grad()};
}

}  // namespace gumption
