#pragma once

// Pickled data without pickle's machine: the few instructions that torch.save writes for a state dict (protocol 2)
// build a tree; nothing is imported or called.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

enum class PickleKind {
  kNone,
  kBool,
  kWhole,  // a whole number that fits
  kLong,   // one that doesn't: its little-endian bytes are the text
  kNumber,
  kText,
  kTuple,
  kList,
  kDict,        // keys and values by turns; an OrderedDict too
  kGlobal,      // "module name"
  kObject,      // a callable and the tuple of its arguments, not called
  kPersistent,  // the id of something stored beside the pickle
};

struct PickleNode {
  PickleKind kind = PickleKind::kNone;
  std::int64_t whole = 0;
  double number = 0;
  std::string text;
  std::vector<std::uint32_t> parts;  // places in PickleTree::nodes; a hostile pickle may tie them into circles
};

struct PickleTree {
  std::vector<PickleNode> nodes;
  std::uint32_t root = 0;
  std::size_t consumed = 0;  // bytes up to and with the pickle's end

  const PickleNode& at(std::uint32_t place) const { return nodes[place]; }
};

/// Reads the pickle at the start of `bytes`; `name` is for messages. `allowed` decides about the globals ("module
/// name") that may be mentioned. UserError that names the instruction or the global for anything else, and for a pickle
/// that is damaged. Memory stays within a small multiple of the bytes.
PickleTree read_pickle(std::string_view bytes, const std::string& name, bool (*allowed)(std::string_view global));

}  // namespace gumption
