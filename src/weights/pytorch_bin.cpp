#include "gumption/weights/pytorch_bin.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/weights/checked_shape.h"
#include "gumption/weights/pickle.h"
#include "gumption/weights/shards.h"
#include "gumption/weights/zip_directory.h"

namespace gumption {

namespace {

// 0x1950a86a20f9469cfc6c, as a pickled number: what the older form starts with.
constexpr std::string_view kLegacyMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kLegacyProtocol = 1001;

constexpr std::string_view kRebuildTensor = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view kRebuildTensorOld = "torch._utils _rebuild_tensor";
constexpr std::string_view kRebuildParameter = "torch._utils _rebuild_parameter";

std::optional<ElementType> storage_type(std::string_view global) {
  struct Known {
    std::string_view name;
    ElementType type;
  };
  constexpr Known kKnown[] = {{"DoubleStorage", ElementType::kFloat64}, {"FloatStorage", ElementType::kFloat32},
                              {"HalfStorage", ElementType::kFloat16},   {"BFloat16Storage", ElementType::kBfloat16},
                              {"LongStorage", ElementType::kInt64},     {"IntStorage", ElementType::kInt32},
                              {"ShortStorage", ElementType::kInt16},    {"CharStorage", ElementType::kInt8},
                              {"ByteStorage", ElementType::kUint8},     {"BoolStorage", ElementType::kBool}};
  for (const std::string_view module : {"torch ", "torch.cuda "}) {
    if (!global.starts_with(module)) continue;
    for (const Known& known : kKnown) {
      if (global.substr(module.size()) == known.name) return known.type;
    }
  }
  return std::nullopt;
}

bool is_allowed(std::string_view global) {
  return global == "collections OrderedDict" || global == kRebuildTensor || global == kRebuildTensorOld ||
         global == kRebuildParameter || storage_type(global).has_value();
}

bool nothing_allowed(std::string_view) { return false; }

/// What a pickle says about a storage beside it.
struct StorageId {
  std::string key;
  ElementType type = ElementType::kFloat32;
  std::int64_t count = 0;
};

/// A tensor as the pickle describes it.
struct TensorPlan {
  std::string name;
  StorageId storage;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

/// Finds the tensors in a pickled state dict.
class PlanReader {
 public:
  PlanReader(const PickleTree& tree, const std::string& name) : tree_(tree), name_(name) {}

  std::vector<TensorPlan> read() {
    const PickleNode& dict = state_dict();
    std::vector<TensorPlan> plans;
    std::set<std::string> names;
    for (std::size_t i = 0; i + 1 < dict.parts.size(); i += 2) {
      const PickleNode& key = tree_.at(dict.parts[i]);
      const PickleNode* tensor = tensor_at(dict.parts[i + 1]);
      if (key.kind != PickleKind::kText || tensor == nullptr) continue;  // counters, versions: no weights
      if (!names.insert(key.text).second) refuse("each tensor once", fmt::format("{} twice", in_quotes(key.text)));
      plans.push_back(plan_of(key.text, *tensor));
    }
    if (plans.empty()) refuse("a state dict with tensors", "none");
    return plans;
  }

  /// The types of all storages that are mentioned, an optimiser's among them.
  std::map<std::string, ElementType> storage_types() const {
    std::map<std::string, ElementType> types;
    for (const PickleNode& node : tree_.nodes) {
      if (node.kind != PickleKind::kPersistent) continue;
      const StorageId id = storage_id(node, "(any)");
      const auto [place, is_new] = types.emplace(id.key, id.type);
      if (!is_new && place->second != id.type) refuse("one type for each storage", "two");
    }
    return types;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw UserError(Complaint{name_, 0, expected, found, ""});
  }

  /// The dictionary of tensors: the pickled value itself, or what training programs wrap it in.
  const PickleNode& state_dict() const {
    const PickleNode& root = tree_.at(tree_.root);
    if (root.kind != PickleKind::kDict) refuse("a pickled dictionary of tensors", "another value");
    for (std::size_t i = 0; i + 1 < root.parts.size(); i += 2) {
      const std::string& key = tree_.at(root.parts[i]).text;
      const PickleNode& value = tree_.at(root.parts[i + 1]);
      if ((key == "state_dict" || key == "model" || key == "model_state_dict") && value.kind == PickleKind::kDict) {
        return value;
      }
    }
    return root;
  }

  /// The arguments of the call that makes a tensor, or nullptr where something else stands.
  const PickleNode* tensor_at(std::uint32_t place) const {
    const PickleNode* node = &tree_.at(place);
    // A parameter wraps a tensor, once; circles end here too.
    for (int depth = 0; depth < 3 && node->kind == PickleKind::kObject; ++depth) {
      const std::string& callable = tree_.at(node->parts[0]).text;
      const PickleNode& arguments = tree_.at(node->parts[1]);
      if (callable == kRebuildTensor || callable == kRebuildTensorOld) return &arguments;
      if (callable != kRebuildParameter || arguments.parts.empty()) return nullptr;
      node = &tree_.at(arguments.parts.front());
    }
    return nullptr;
  }

  TensorPlan plan_of(const std::string& tensor, const PickleNode& arguments) const {
    if (arguments.parts.size() < 4)
      refuse(fmt::format("storage, offset, size and stride of {}", in_quotes(tensor)), "less");
    TensorPlan plan;
    plan.name = tensor;
    plan.storage = storage_id(tree_.at(arguments.parts[0]), tensor);
    plan.offset = whole(arguments.parts[1], tensor);
    plan.shape = wholes(arguments.parts[2], tensor);
    plan.strides = wholes(arguments.parts[3], tensor);
    if (plan.strides.size() != plan.shape.size()) {
      refuse(fmt::format("a stride for each dimension of {}", in_quotes(tensor)), to_text(plan.strides));
    }
    return plan;
  }

  StorageId storage_id(const PickleNode& node, const std::string& tensor) const {
    const auto bad = [&] { refuse(fmt::format("the storage of {}", in_quotes(tensor)), "another value"); };
    if (node.kind != PickleKind::kPersistent) bad();
    const auto& parts = tree_.at(node.parts.front()).parts;
    if (parts.size() < 5 || tree_.at(parts[0]).text != "storage") bad();
    const auto type = storage_type(tree_.at(parts[1]).text);
    if (!type || tree_.at(parts[2]).kind != PickleKind::kText) bad();
    if (parts.size() > 5 && tree_.at(parts[5]).kind != PickleKind::kNone) {
      refuse("whole storages",
             fmt::format("a view of one for {}, as only the first versions of PyTorch wrote", in_quotes(tensor)));
    }
    return {tree_.at(parts[2]).text, *type, whole(parts[4], tensor)};
  }

  std::int64_t whole(std::uint32_t place, const std::string& tensor) const {
    const PickleNode& node = tree_.at(place);
    if (node.kind != PickleKind::kWhole || node.whole < 0) {
      refuse(fmt::format("whole numbers from 0 for {}", in_quotes(tensor)), "another value");
    }
    return node.whole;
  }

  std::vector<std::int64_t> wholes(std::uint32_t place, const std::string& tensor) const {
    const PickleNode& node = tree_.at(place);
    if ((node.kind != PickleKind::kTuple && node.kind != PickleKind::kList) || node.parts.size() > kMostDimensions) {
      refuse(fmt::format("a size for {}", in_quotes(tensor)), "another value");
    }
    std::vector<std::int64_t> values;
    for (const std::uint32_t part : node.parts) values.push_back(whole(part, tensor));
    return values;
  }

  const PickleTree& tree_;
  const std::string& name_;
};

/// Turns plans into tensors over the storages' bytes.
class TensorBuilder {
 public:
  TensorBuilder(std::size_t file_size, const std::string& name)
      : name_(name), copy_allowance_(4 * static_cast<std::uint64_t>(file_size) + (1U << 20)) {}

  StoredTensor build(const TensorPlan& plan, std::string_view storage) {
    const auto needed = checked_bytes(plan.shape, plan.storage.type);
    const auto storage_needed = checked_bytes({plan.storage.count}, plan.storage.type);
    if (!needed || !storage_needed || *storage_needed > storage.size()) {
      refuse(plan, fmt::format("a storage of {} elements", plan.storage.count),
             fmt::format("{} bytes and the shape {}", storage.size(), to_text(plan.shape)));
    }
    const auto last = last_element(plan);
    if (!last || *last > plan.storage.count) {
      refuse(
          plan, fmt::format("elements inside a storage of {}", plan.storage.count),
          fmt::format("offset {}, shape {} and strides {}", plan.offset, to_text(plan.shape), to_text(plan.strides)));
    }
    StoredTensor tensor{plan.name, plan.storage.type, plan.shape, {}};
    const std::size_t width = size_of(plan.storage.type);
    if (*needed == 0) return tensor;
    if (is_contiguous(plan)) {
      tensor.bytes = storage.substr(static_cast<std::size_t>(plan.offset) * width, *needed);
      return tensor;
    }
    // A small file could ask for any amount by strides of 0.
    if (*needed > copy_allowance_) refuse(plan, "no more values than the file has", to_text(plan.shape));
    copy_allowance_ -= *needed;
    auto buffer = std::make_shared<std::string>(gathered(plan, storage, *needed));
    tensor.bytes = *buffer;
    buffers_.push_back(std::move(buffer));
    return tensor;
  }

  std::vector<std::shared_ptr<const void>> take_buffers() { return std::move(buffers_); }

 private:
  [[noreturn]] void refuse(const TensorPlan& plan, const std::string& expected, const std::string& found) const {
    throw UserError(Complaint{name_, 0, fmt::format("for tensor {} {}", in_quotes(plan.name), expected), found, ""});
  }

  /// One more than the place of the last element; empty where that doesn't fit.
  static std::optional<std::int64_t> last_element(const TensorPlan& plan) {
    std::int64_t last = plan.offset;
    for (std::size_t i = 0; i < plan.shape.size(); ++i) {
      if (plan.shape[i] == 0) return plan.offset;
      std::int64_t reach = 0;
      if (__builtin_mul_overflow(plan.shape[i] - 1, plan.strides[i], &reach) ||
          __builtin_add_overflow(last, reach, &last)) {
        return std::nullopt;
      }
    }
    if (__builtin_add_overflow(last, 1, &last)) return std::nullopt;
    return last;
  }

  static bool is_contiguous(const TensorPlan& plan) {
    std::int64_t expected = 1;
    for (std::size_t i = plan.shape.size(); i > 0; --i) {
      if (plan.shape[i - 1] != 1 && plan.strides[i - 1] != expected) return false;
      expected *= plan.shape[i - 1];
    }
    return true;
  }

  static std::string gathered(const TensorPlan& plan, std::string_view storage, std::size_t size) {
    const std::size_t width = size_of(plan.storage.type);
    std::string bytes(size, '\0');
    std::vector<std::int64_t> index(plan.shape.size(), 0);
    std::int64_t place = plan.offset;
    for (std::size_t written = 0; written < size; written += width) {
      std::memcpy(bytes.data() + written, storage.data() + static_cast<std::size_t>(place) * width, width);
      for (std::size_t i = index.size(); i > 0; --i) {
        place += plan.strides[i - 1];
        if (++index[i - 1] < plan.shape[i - 1]) break;
        place -= plan.strides[i - 1] * plan.shape[i - 1];
        index[i - 1] = 0;
      }
    }
    return bytes;
  }

  const std::string& name_;
  std::uint64_t copy_allowance_;
  std::vector<std::shared_ptr<const void>> buffers_;
};

struct Contents {
  std::vector<TensorPlan> plans;
  std::map<std::string, std::string_view> storages;  // by key
};

Contents read_zip_form(std::string_view bytes, const std::string& name) {
  const auto members = stored_members(bytes, name);
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw UserError(Complaint{name, 0, expected, found, ""});
  };
  std::string prefix;
  std::string_view pickle;
  for (const auto& [member, data] : members) {
    if (!member.ends_with("/data.pkl")) continue;
    if (!prefix.empty()) refuse("one data.pkl in the archive", "several");
    prefix = member.substr(0, member.size() - std::string_view("data.pkl").size());
    pickle = data;
  }
  if (prefix.empty()) refuse("a file of torch.save", "a zip archive without data.pkl");
  const auto order = members.find(prefix + "byteorder");
  if (order != members.end() && order->second != "little") {
    refuse("little-endian numbers", in_quotes(order->second));
  }
  Contents contents;
  contents.plans = PlanReader(read_pickle(pickle, name, is_allowed), name).read();
  for (const TensorPlan& plan : contents.plans) {
    const auto found = members.find(prefix + "data/" + plan.storage.key);
    if (found == members.end()) {
      refuse(fmt::format("the storage {} of tensor {}", in_quotes(plan.storage.key), in_quotes(plan.name)), "none");
    }
    contents.storages[plan.storage.key] = found->second;
  }
  return contents;
}

/// The older form: five pickles (a magic number, the protocol, what the machine was, the state dict, the storages'
/// keys) and then, for each key, the number of elements and their bytes.
class LegacyReader {
 public:
  LegacyReader(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  Contents read() {
    check_start();
    Contents contents;
    const PickleTree state = next_pickle(is_allowed);
    PlanReader reader(state, name_);
    contents.plans = reader.read();
    auto types = reader.storage_types();
    const PickleTree keys = next_pickle(nothing_allowed);
    if (keys.at(keys.root).kind != PickleKind::kList) refuse("a list of storages", "another value");
    for (const std::uint32_t place : keys.at(keys.root).parts) {
      const std::string& key = keys.at(place).text;
      if (!types.contains(key)) refuse("only storages that tensors mention", in_quotes(key));
      if (!contents.storages.emplace(key, take_storage(types[key])).second) refuse("each storage once", in_quotes(key));
    }
    for (const TensorPlan& plan : contents.plans) {
      if (!contents.storages.contains(plan.storage.key)) {
        refuse(fmt::format("the storage of tensor {}", in_quotes(plan.name)), "none");
      }
    }
    return contents;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw UserError(Complaint{name_, 0, expected, found, ""});
  }

  PickleTree next_pickle(bool (*allowed)(std::string_view)) {
    PickleTree tree = read_pickle(rest_, name_, allowed);
    rest_.remove_prefix(tree.consumed);
    return tree;
  }

  void check_start() {
    const PickleTree magic = next_pickle(nothing_allowed);
    if (magic.at(magic.root).kind != PickleKind::kLong || magic.at(magic.root).text != kLegacyMagic) {
      refuse("a file of torch.save", "a pickle of something else");
    }
    const PickleTree protocol = next_pickle(nothing_allowed);
    if (protocol.at(protocol.root).whole != kLegacyProtocol) refuse("protocol 1001 of torch.save", "another");
    const PickleTree machine = next_pickle(nothing_allowed);
    const auto& parts = machine.at(machine.root).parts;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const PickleNode& value = machine.at(parts[i + 1]);
      if (machine.at(parts[i]).text == "little_endian" && value.kind == PickleKind::kBool && value.whole == 0) {
        refuse("little-endian numbers", "big-endian ones");
      }
    }
  }

  std::string_view take_storage(ElementType type) {
    std::int64_t count = 0;
    if (rest_.size() < sizeof count) refuse("the storages' bytes", "the file's end: it was cut off");
    std::memcpy(&count, rest_.data(), sizeof count);
    rest_.remove_prefix(sizeof count);
    const auto size = checked_bytes({count}, type);
    if (!size || *size > rest_.size()) {
      refuse(fmt::format("a storage of {} elements", count),
             fmt::format("{} bytes: the file was cut off", rest_.size()));
    }
    const auto bytes = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    return bytes;
  }

  std::string_view rest_;
  const std::string& name_;
};

}  // namespace

std::shared_ptr<const TensorStore> parse_pytorch_bin(std::string_view bytes, std::shared_ptr<const void> owner,
                                                     const std::string& name) {
  Contents contents;
  if (bytes.starts_with("PK")) {
    contents = read_zip_form(bytes, name);
  } else if (bytes.starts_with("\x80")) {
    contents = LegacyReader(bytes, name).read();
  } else {
    throw UserError(Complaint{name, 0, "a file of torch.save (a zip archive or a pickle)",
                              in_quotes(bytes.substr(0, 16)), "Fetch the file again"});
  }
  TensorBuilder builder(bytes.size(), name);
  std::vector<StoredTensor> tensors;
  for (const TensorPlan& plan : contents.plans) {
    tensors.push_back(builder.build(plan, contents.storages.at(plan.storage.key)));
  }
  auto owners = builder.take_buffers();
  owners.push_back(std::move(owner));
  return std::make_shared<TensorStore>(std::move(tensors), std::move(owners));
}

std::shared_ptr<const TensorStore> open_pytorch_bin(const std::filesystem::path& path) {
  const auto file = std::make_shared<MappedFile>(path);
  return parse_pytorch_bin(file->bytes(), file, path.string());
}

std::shared_ptr<const TensorStore> open_sharded_pytorch_bin(const std::filesystem::path& index) {
  return open_shards(index, open_pytorch_bin);
}

}  // namespace gumption
