#include "gumption/weights/pickle.h"

#include <bit>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {

constexpr std::string_view kOrderedDict = "collections OrderedDict";

class Unpickler {
 public:
  Unpickler(std::string_view bytes, const std::string& name, bool (*allowed)(std::string_view))
      : bytes_(bytes), name_(name), allowed_(allowed) {}

  PickleTree read() {
    while (step()) {
    }
    if (stack_.size() != 1 || !marks_.empty()) refuse("one value at the pickle's end", "several or none");
    tree_.root = stack_.back();
    tree_.consumed = place_;
    return std::move(tree_);
  }

 private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw UserError(Complaint{name_, 0, expected, fmt::format("{} at byte {} of the pickle", found, place_), ""});
  }

  // --- bytes

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - place_) refuse("a whole pickle", "its end");
    const auto part = bytes_.substr(place_, size);
    place_ += size;
    return part;
  }
  template <class Number>
  Number take_number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take_line() {
    const std::size_t end = bytes_.find('\n', place_);
    if (end == std::string_view::npos) refuse("a whole pickle", "its end");
    const auto line = bytes_.substr(place_, end - place_);
    place_ = end + 1;
    return line;
  }

  // --- stack

  void push(PickleNode node) {
    tree_.nodes.push_back(std::move(node));
    stack_.push_back(static_cast<std::uint32_t>(tree_.nodes.size() - 1));
  }
  std::uint32_t pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) refuse("a value on the stack", "none");
    const std::uint32_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  PickleNode& top() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) refuse("a value on the stack", "none");
    return tree_.nodes[stack_.back()];
  }
  /// All values since the last mark.
  std::vector<std::uint32_t> pop_marked() {
    if (marks_.empty()) refuse("a mark on the stack", "none");
    const std::size_t start = marks_.back();
    marks_.pop_back();
    const std::vector<std::uint32_t> values(stack_.begin() + static_cast<std::ptrdiff_t>(start), stack_.end());
    stack_.resize(start);
    return values;
  }

  void push_whole(std::int64_t value) { push({PickleKind::kWhole, value, 0, {}, {}}); }
  void push_text(std::string_view text) { push({PickleKind::kText, 0, 0, std::string(text), {}}); }
  void push_tuple(std::vector<std::uint32_t> parts) { push({PickleKind::kTuple, 0, 0, {}, std::move(parts)}); }
  void push_last(std::size_t count) {
    std::vector<std::uint32_t> parts(count);
    for (std::size_t i = count; i > 0; --i) parts[i - 1] = pop();
    push_tuple(std::move(parts));
  }
  void push_long(std::string_view bytes) {
    if (bytes.size() > 8) {
      push({PickleKind::kLong, 0, 0, std::string(bytes), {}});
      return;
    }
    std::uint64_t value = !bytes.empty() && (bytes.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    push_whole(static_cast<std::int64_t>(value));
  }

  void add_to(PickleKind kind, const std::vector<std::uint32_t>& values) {
    PickleNode& target = top();
    if (target.kind != kind)
      refuse(kind == PickleKind::kDict ? "a dictionary to fill" : "a list to fill", "another value");
    if (kind == PickleKind::kDict && values.size() % 2 != 0) refuse("keys with values", "a key alone");
    target.parts.insert(target.parts.end(), values.begin(), values.end());
  }

  // --- instructions

  bool step() {
    const auto code = take_number<std::uint8_t>();
    if (code == '.') return false;
    if (!step_value(code) && !step_structure(code)) {
      refuse("only what state dicts are made of",
             fmt::format("pickle instruction {:#04x}, which is not read for safety,", code));
    }
    return true;
  }

  bool step_value(std::uint8_t code) {
    switch (code) {
      case 0x80:  // PROTO
        if (take_number<std::uint8_t>() > 5) refuse("a pickle of protocol 2", "a newer one");
        return true;
      case 'N':
        push({});
        return true;
      case 0x88:
      case 0x89:
        push({PickleKind::kBool, code == 0x88 ? 1 : 0, 0, {}, {}});
        return true;
      case 'J':  // BININT
        push_whole(take_number<std::int32_t>());
        return true;
      case 'K':
        push_whole(take_number<std::uint8_t>());
        return true;
      case 'M':
        push_whole(take_number<std::uint16_t>());
        return true;
      case 0x8a:  // LONG1
        push_long(take(take_number<std::uint8_t>()));
        return true;
      case 'G': {  // BINFLOAT: big-endian
        const auto bits = __builtin_bswap64(take_number<std::uint64_t>());
        push({PickleKind::kNumber, 0, std::bit_cast<double>(bits), {}, {}});
        return true;
      }
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING
        push_text(take(take_number<std::uint32_t>()));
        return true;
      case 0x8c:  // SHORT_BINUNICODE
      case 'U':   // SHORT_BINSTRING
        push_text(take(take_number<std::uint8_t>()));
        return true;
      default:
        return false;
    }
  }

  bool step_structure(std::uint8_t code) {
    switch (code) {
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case ')':
        push_tuple({});
        return true;
      case 't':
        push_tuple(pop_marked());
        return true;
      case 0x85:
      case 0x86:
      case 0x87:
        push_last(code - 0x84U);
        return true;
      case ']':
        push({PickleKind::kList, 0, 0, {}, {}});
        return true;
      case '}':
        push({PickleKind::kDict, 0, 0, {}, {}});
        return true;
      case 'a': {  // APPEND
        const std::uint32_t value = pop();
        add_to(PickleKind::kList, {value});
        return true;
      }
      case 'e':
        add_to(PickleKind::kList, pop_marked());
        return true;
      case 's': {  // SETITEM
        const std::uint32_t value = pop();
        const std::uint32_t key = pop();
        add_to(PickleKind::kDict, {key, value});
        return true;
      }
      case 'u':
        add_to(PickleKind::kDict, pop_marked());
        return true;
      case 'q':  // BINPUT
        remember(take_number<std::uint8_t>());
        return true;
      case 'r':
        remember(take_number<std::uint32_t>());
        return true;
      case 'h':  // BINGET
        recall(take_number<std::uint8_t>());
        return true;
      case 'j':
        recall(take_number<std::uint32_t>());
        return true;
      case 'c':
        push_global();
        return true;
      case 'R':
        reduce();
        return true;
      case 'b':
        build();
        return true;
      case 'Q': {  // BINPERSID
        const std::uint32_t id = pop();
        push({PickleKind::kPersistent, 0, 0, {}, {id}});
        return true;
      }
      default:
        return false;
    }
  }

  void remember(std::uint32_t slot) {
    top();
    memo_[slot] = stack_.back();
  }
  void recall(std::uint32_t slot) {
    const auto found = memo_.find(slot);
    if (found == memo_.end()) refuse("a remembered value", fmt::format("slot {}, which is empty,", slot));
    stack_.push_back(found->second);
  }

  void push_global() {
    const std::string_view module = take_line();
    const std::string global = fmt::format("{} {}", module, take_line());
    if (!allowed_(global)) {
      refuse("only what state dicts are made of", fmt::format("{}, which is not read for safety,", in_quotes(global)));
    }
    push({PickleKind::kGlobal, 0, 0, global, {}});
  }

  void reduce() {
    const std::uint32_t arguments = pop();
    const std::uint32_t callable = pop();
    if (tree_.nodes[callable].kind != PickleKind::kGlobal || tree_.nodes[arguments].kind != PickleKind::kTuple) {
      refuse("a known callable with its arguments", "another value");
    }
    if (tree_.nodes[callable].text != kOrderedDict) {
      push({PickleKind::kObject, 0, 0, {}, {callable, arguments}});
      return;
    }
    push({PickleKind::kDict, 0, 0, {}, pairs_in(arguments)});
  }

  /// The arguments of an OrderedDict: none, or (as Python 2 wrote it) one list of pairs.
  std::vector<std::uint32_t> pairs_in(std::uint32_t arguments) {
    const auto& given = tree_.nodes[arguments].parts;
    std::vector<std::uint32_t> items;
    if (given.empty()) return items;
    const PickleNode& list = tree_.nodes[given.front()];
    if (given.size() != 1 || list.kind != PickleKind::kList) refuse("an OrderedDict of pairs", "another value");
    for (const std::uint32_t place : list.parts) {
      const PickleNode& pair = tree_.nodes[place];
      if ((pair.kind != PickleKind::kList && pair.kind != PickleKind::kTuple) || pair.parts.size() != 2) {
        refuse("an OrderedDict of pairs", "another value");
      }
      items.insert(items.end(), pair.parts.begin(), pair.parts.end());
    }
    // The list is used up, so that mentioning it again and again doesn't multiply it.
    tree_.nodes[given.front()].parts.clear();
    return items;
  }

  /// A state dict carries the versions of its modules as an attribute; no one needs them.
  void build() {
    pop();
    if (top().kind != PickleKind::kDict) refuse("attributes of a dictionary only", "those of another value");
  }

  std::string_view bytes_;
  const std::string& name_;
  bool (*allowed_)(std::string_view);
  std::size_t place_ = 0;
  PickleTree tree_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, std::uint32_t> memo_;
};

}  // namespace

PickleTree read_pickle(std::string_view bytes, const std::string& name, bool (*allowed)(std::string_view)) {
  return Unpickler(bytes, name, allowed).read();
}

}  // namespace gumption
