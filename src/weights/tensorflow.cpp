#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/weights/checked_shape.h"
#include "gumption/weights/crc32c.h"
#include "gumption/weights/tensor_store.h"
#include "gumption/weights/tensorflow_index.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The index file that a prefix, an index file or a folder means.
fs::path find_index(const fs::path& given) {
  std::error_code ignored;
  if (!fs::is_directory(given, ignored)) {
    if (given.extension() == ".index" && is_file(given)) return given;
    const fs::path index = given.string() + ".index";
    if (is_file(index)) return index;
    throw UserError(Complaint{given.string(), 0, "a TensorFlow checkpoint", fmt::format("no {}", index.string()), ""});
  }
  const auto found = find_bundles(given);
  if (found.size() != 1) {
    throw UserError(Complaint{given.string(), 0, "one TensorFlow checkpoint (*.index, or variables/variables.index)",
                              fmt::format("{}", found.size()), "Give each checkpoint a folder of its own"});
  }
  return found.front();
}

class DataFiles {
 public:
  DataFiles(const fs::path& index, std::uint64_t count) {
    const std::string prefix = index.string().substr(0, index.string().size() - std::string_view(".index").size());
    for (std::uint64_t i = 0; i < count; ++i) {
      paths_.push_back(fmt::format("{}.data-{:05}-of-{:05}", prefix, i, count));
      files_.push_back(std::make_shared<MappedFile>(paths_.back()));
    }
  }

  StoredTensor tensor_of(const BundleEntry& entry) const {
    const auto needed = checked_bytes(entry.shape, *entry.type);
    if (entry.shard >= files_.size() || !needed || *needed != entry.size) {
      refuse(paths_.front(),
             fmt::format("a data file and {} for {} of shape {}", needed ? fmt::format("{} bytes", *needed) : "bytes",
                         in_quotes(entry.name), to_text(entry.shape)),
             fmt::format("file {} and {} bytes", entry.shard, entry.size));
    }
    const std::string_view bytes = files_[entry.shard]->bytes();
    if (entry.offset > bytes.size() || entry.size > bytes.size() - entry.offset) {
      refuse(paths_[entry.shard],
             fmt::format("{} bytes from {} for {}", entry.size, entry.offset, in_quotes(entry.name)),
             fmt::format("a file of {}: it was cut off", bytes.size()));
    }
    StoredTensor tensor{entry.name, *entry.type, entry.shape, bytes.substr(entry.offset, entry.size)};
    if (masked_crc32c(tensor.bytes) != entry.sum) {
      refuse(paths_[entry.shard], fmt::format("the bytes of {} with their sum", in_quotes(entry.name)), "another sum");
    }
    return tensor;
  }

  std::vector<std::shared_ptr<const void>> owners() const { return {files_.begin(), files_.end()}; }

 private:
  [[noreturn]] static void refuse(const std::string& file, const std::string& expected, const std::string& found) {
    throw UserError(Complaint{file, 0, expected, found, "Fetch the files again"});
  }

  std::vector<std::string> paths_;
  std::vector<std::shared_ptr<const MappedFile>> files_;
};

}  // namespace

std::vector<fs::path> find_bundles(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".index") continue;
    const std::string start = path.stem().string() + ".data-00000-of-";
    for (const auto& other : fs::directory_iterator(folder, ignored)) {
      if (!other.path().filename().string().starts_with(start)) continue;
      found.push_back(path);
      break;
    }
  }
  const fs::path saved = folder / "variables" / "variables.index";
  if (found.empty() && is_file(saved)) found.push_back(saved);
  return found;
}

std::shared_ptr<const TensorStore> open_tensorflow(const fs::path& prefix_or_folder) {
  const fs::path path = find_index(prefix_or_folder);
  BundleIndex index;
  {
    const MappedFile file(path);
    index = parse_bundle_index(file.bytes(), path.string());
  }
  const DataFiles files(path, index.shards);
  std::vector<StoredTensor> tensors;
  for (const BundleEntry& entry : index.entries) {
    if (!entry.type) continue;
    if (entry.sliced) {
      throw UserError(Complaint{path.string(), 0, "variables in one piece each",
                                fmt::format("{} in slices", in_quotes(entry.name)),
                                "Save the model again without partitions"});
    }
    tensors.push_back(files.tensor_of(entry));
  }
  return std::make_shared<TensorStore>(std::move(tensors), files.owners());
}

}  // namespace gumption
