#include "gumption/base/options.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {

template <class Number>
std::optional<Number> parse_as(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Number>
std::string range_text(const Range<Number>& range) {
  const Range<Number> any;
  const bool has_low = range.low != any.low;
  const bool has_high = range.high != any.high;
  if (has_low && has_high) return fmt::format("{} to {}", range.low, range.high);
  if (has_low) return fmt::format("at least {}", range.low);
  if (has_high) return fmt::format("at most {}", range.high);
  return {};
}

template <class Number>
Number parse_in_range(const std::string& name, const char* kind, const Range<Number>& range, std::string_view text) {
  const auto value = parse_as<Number>(text);
  if (value && *value >= range.low && *value <= range.high) return *value;
  const std::string limits = range_text(range);
  throw UserError(fmt::format("{}: expected a {}{}{}, found {}.", name, kind, limits.empty() ? "" : " of ", limits,
                              in_quotes(text)));
}

template <class Number>
Option number_option(std::string name, Number& field, std::string meaning, const char* kind, Range<Number> range) {
  Option option;
  option.name = std::move(name);
  option.meaning = std::move(meaning);
  option.kind = kind;
  option.default_value = fmt::format("{}", field);
  option.range = range_text(range);
  option.set = [label = option.name, kind, range, &field](std::string_view text) {
    field = parse_in_range(label, kind, range, text);
  };
  return option;
}

bool parse_flag(const std::string& name, std::string_view text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1" || text.empty()) return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  throw UserError(fmt::format("{}: expected true or false, found {}.", name, in_quotes(text)));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse_as<std::int64_t>(text); }
std::optional<double> parse_number(std::string_view text) { return parse_as<double>(text); }

std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string suggest(std::string_view wrong, const std::vector<std::string>& known) {
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return edit_distance(wrong, a) < edit_distance(wrong, b);
  };
  const auto best = std::min_element(known.begin(), known.end(), nearer);
  if (best != known.end() && edit_distance(wrong, *best) <= std::max<std::size_t>(1, best->size() * 2 / 5)) {
    return fmt::format("Did you mean {}?", *best);
  }
  return known.empty() ? "There are none." : fmt::format("Known: {}.", fmt::join(known, ", "));
}

std::string Option::flag() const {
  std::string text = "--" + name;
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

OptionSet& OptionSet::append(Option option) {
  ensure(find(option.name) == nullptr, "an option's name stands once");
  options_.push_back(std::move(option));
  return *this;
}

OptionSet& OptionSet::add(std::string name, std::int64_t& field, std::string meaning, Range<std::int64_t> range) {
  return append(number_option(std::move(name), field, std::move(meaning), "whole number", range));
}

OptionSet& OptionSet::add(std::string name, std::uint64_t& field, std::string meaning, Range<std::uint64_t> range) {
  return append(number_option(std::move(name), field, std::move(meaning), "whole number", range));
}

OptionSet& OptionSet::add(std::string name, std::optional<std::uint64_t>& field, std::string meaning) {
  Option option;
  option.name = std::move(name);
  option.meaning = std::move(meaning);
  option.kind = "whole number";
  option.set = [label = option.name, &field](std::string_view text) {
    field = parse_in_range(label, "whole number", Range<std::uint64_t>{}, text);
  };
  return append(std::move(option));
}

OptionSet& OptionSet::add(std::string name, double& field, std::string meaning, Range<double> range) {
  return append(number_option(std::move(name), field, std::move(meaning), "number", range));
}

OptionSet& OptionSet::add(std::string name, std::string& field, std::string meaning) {
  Option option;
  option.name = std::move(name);
  option.meaning = std::move(meaning);
  option.kind = "text";
  option.default_value = field;
  option.set = [&field](std::string_view text) { field = text; };
  return append(std::move(option));
}

OptionSet& OptionSet::add_file(std::string name, std::string& field, std::string meaning) {
  add(std::move(name), field, std::move(meaning));
  options_.back().kind = "file";
  options_.back().takes_file = true;
  return *this;
}

OptionSet& OptionSet::add(std::string name, bool& field, std::string meaning) {
  Option option;
  option.name = std::move(name);
  option.meaning = std::move(meaning);
  option.kind = "flag";
  option.default_value = field ? "true" : "false";
  option.is_flag = true;
  option.set = [label = option.name, &field](std::string_view text) { field = parse_flag(label, text); };
  return append(std::move(option));
}

OptionSet& OptionSet::add(std::string name, std::vector<double>& field, std::string meaning, Range<double> range) {
  Option option;
  option.name = std::move(name);
  option.meaning = std::move(meaning);
  option.kind = "list";
  option.default_value = fmt::format("{}", fmt::join(field, ","));
  option.range = range_text(range);
  option.set = [label = option.name, range, &field](std::string_view text) {
    std::vector<double> values;
    for (const auto part : split_text(text, ',')) values.push_back(parse_in_range(label, "number", range, part));
    field = std::move(values);
  };
  return append(std::move(option));
}

OptionSet& OptionSet::add(std::string name, std::vector<std::string>& field, std::string meaning) {
  Option option;
  option.name = std::move(name);
  option.meaning = std::move(meaning);
  option.kind = "text";
  option.repeats = true;
  option.set = [&field](std::string_view text) { field.emplace_back(text); };
  return append(std::move(option));
}

Option OptionSet::choice_option(std::string name, std::string meaning, std::vector<std::string> values) {
  Option option;
  option.name = std::move(name);
  option.meaning = std::move(meaning);
  option.kind = fmt::format("{}", fmt::join(values, "|"));
  option.values = std::move(values);
  return option;
}

std::size_t OptionSet::index_of(const std::vector<std::string>& known, const std::string& name, std::string_view text) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found == known.end()) {
    throw UserError(fmt::format("{}: expected one of {}, found {}. {}", name, fmt::join(known, ", "), in_quotes(text),
                                suggest(text, known)));
  }
  return static_cast<std::size_t>(found - known.begin());
}

OptionSet& OptionSet::add_choice(const std::string& name, std::string& field, const std::string& meaning,
                                 const std::vector<std::string>& values) {
  std::vector<NamedValue<std::string>> named;
  for (const auto& value : values) named.push_back({value, value});
  return add_choice<std::string>(name, field, meaning, named);
}

OptionSet& OptionSet::add_all(const OptionSet& others) {
  for (const Option& option : others.options_) append(option);
  return *this;
}

const Option* OptionSet::find(std::string_view name) const {
  const auto found =
      std::find_if(options_.begin(), options_.end(), [&](const Option& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

void OptionSet::set(std::string_view name, std::string_view value) const {
  const Option* option = find(name);
  if (option == nullptr) {
    std::vector<std::string> known;
    for (const Option& other : options_) known.push_back(other.name);
    throw UserError(fmt::format("There is no option {}. {}", in_quotes(name), suggest(name, known)));
  }
  option->set(value);
}

void OptionSet::assign(std::string_view assignment) const {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw UserError(fmt::format("expected name=value, found {}.", in_quotes(assignment)));
  }
  set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace gumption
