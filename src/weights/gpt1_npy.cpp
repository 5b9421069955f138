#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/weights/checked_shape.h"
#include "gumption/weights/npy.h"
#include "gumption/weights/tensor_store.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

/// The order in which the released program made its variables.
constexpr const char* kLayerParts[] = {
    "attn.c_attn.weight", "attn.c_attn.bias", "attn.c_proj.weight", "attn.c_proj.bias", "ln_1.weight", "ln_1.bias",
    "mlp.c_fc.weight",    "mlp.c_fc.bias",    "mlp.c_proj.weight",  "mlp.c_proj.bias",  "ln_2.weight", "ln_2.bias"};

std::vector<std::string> names_for(std::size_t count, const fs::path& shapes_path) {
  const std::size_t parts = std::size(kLayerParts);
  if (count < 2 + parts || (count - 2) % parts != 0) {
    throw UserError(Complaint{shapes_path.string(), 0,
                              fmt::format("two embeddings and {} arrays for each layer", parts),
                              fmt::format("{} shapes", count), ""});
  }
  std::vector<std::string> names = {"transformer.positions_embed.weight", "transformer.tokens_embed.weight"};
  for (std::size_t layer = 0; names.size() < count; ++layer) {
    for (const char* part : kLayerParts) names.push_back(fmt::format("transformer.h.{}.{}", layer, part));
  }
  return names;
}

std::vector<std::vector<std::int64_t>> read_shapes(const fs::path& path) {
  const MappedFile file(path);
  const json document = json::parse(file.bytes(), nullptr, false);
  std::vector<std::vector<std::int64_t>> shapes;
  bool well_formed = document.is_array();
  for (const json& entry : well_formed ? document : json::array()) {
    auto& shape = shapes.emplace_back();
    well_formed = well_formed && entry.is_array();
    for (const json& extent : entry.is_array() ? entry : json::array()) {
      well_formed = well_formed && extent.is_number_unsigned();
      if (extent.is_number_unsigned()) shape.push_back(extent.get<std::int64_t>());
    }
    // The kernels are convolutions of width one.
    if (shape.size() == 3 && shape.front() == 1) shape.erase(shape.begin());
    well_formed = well_formed && checked_bytes(shape, ElementType::kFloat64).has_value();
  }
  if (!well_formed) throw UserError(Complaint{path.string(), 0, "a list of shapes", in_quotes(file.bytes()), ""});
  return shapes;
}

/// The files params_0.npy, params_1.npy, … as one run of values, cut where it is asked for.
class FlatValues {
 public:
  explicit FlatValues(const fs::path& folder) {
    std::error_code ignored;
    for (std::size_t i = 0; fs::is_regular_file(folder / fmt::format("params_{}.npy", i), ignored); ++i) {
      const fs::path path = folder / fmt::format("params_{}.npy", i);
      auto file = std::make_shared<MappedFile>(path);
      pieces_.push_back(parse_npy(file->bytes(), path.string()));
      owners_.push_back(std::move(file));
      if (!is_floating(pieces_.back().type) || pieces_.back().type != pieces_.front().type) {
        throw UserError(Complaint{path.string(), 0, fmt::format("values of {}", name_of(pieces_.front().type)),
                                  std::string(name_of(pieces_.back().type)), ""});
      }
    }
    if (pieces_.empty()) {
      throw UserError(Complaint{folder.string(), 0, "params_0.npy beside params_shapes.json", "none", ""});
    }
    for (const StoredTensor& piece : pieces_) left_ += piece.bytes.size();
  }

  ElementType type() const { return pieces_.front().type; }
  std::size_t left() const { return left_; }

  /// The next `size` bytes, of which there must be enough; copied where they span files.
  std::string_view next(std::size_t size) {
    left_ -= size;
    while (piece_ < pieces_.size() && place_ == pieces_[piece_].bytes.size()) step();
    if (piece_ < pieces_.size() && size <= pieces_[piece_].bytes.size() - place_) {
      const auto view = pieces_[piece_].bytes.substr(place_, size);
      place_ += size;
      return view;
    }
    auto buffer = std::make_shared<std::string>();
    buffer->reserve(size);
    while (buffer->size() < size) {
      const auto part = pieces_[piece_].bytes.substr(place_, size - buffer->size());
      *buffer += part;
      place_ += part.size();
      if (place_ == pieces_[piece_].bytes.size()) step();
    }
    owners_.push_back(buffer);
    return *buffer;
  }

  std::vector<std::shared_ptr<const void>> take_owners() { return std::move(owners_); }

 private:
  void step() {
    ++piece_;
    place_ = 0;
  }

  std::vector<StoredTensor> pieces_;
  std::vector<std::shared_ptr<const void>> owners_;
  std::size_t piece_ = 0;
  std::size_t place_ = 0;
  std::size_t left_ = 0;
};

}  // namespace

std::shared_ptr<const TensorStore> open_gpt1_npy(const fs::path& folder) {
  const fs::path shapes_path = folder / "params_shapes.json";
  const auto shapes = read_shapes(shapes_path);
  const auto names = names_for(shapes.size(), shapes_path);
  FlatValues values(folder);
  std::vector<StoredTensor> tensors;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::uint64_t size = *checked_bytes(shapes[i], values.type());
    if (size > values.left()) {
      throw UserError(Complaint{folder.string(), 0, fmt::format("values for all {} shapes", shapes.size()),
                                fmt::format("too few for {} of shape {}", names[i], to_text(shapes[i])),
                                "Is one of params_0.npy, params_1.npy, … missing?"});
    }
    tensors.push_back({names[i], values.type(), shapes[i], values.next(size)});
  }
  if (values.left() > 0) {
    throw UserError(Complaint{folder.string(), 0, "no more values than the shapes ask for",
                              fmt::format("{} bytes more", values.left()), ""});
  }
  return std::make_shared<TensorStore>(std::move(tensors), values.take_owners());
}

}  // namespace gumption
