#pragma once

// Options as data. An options struct is plain: its fields carry the defaults. Beside it stands one function that
// describes it, and that description serves the command line's help, recipes, --set key=value and validation alike:
//
//   struct RandomOptions { std::uint64_t seed = 1; };
//   OptionSet describe(RandomOptions& options) {
//     OptionSet set;
//     set.add("seed", options.seed, "Seed of the random stream");
//     return set;
//   }

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

template <class Number>
struct Range {
  Number low = std::numeric_limits<Number>::lowest();
  Number high = std::numeric_limits<Number>::max();
};

/// One option, bound to a field of an options struct that must outlive it.
struct Option {
  std::string name;                 // as written in --set and recipes: lower case, words joined by "_"
  std::string meaning;              // one line
  std::string kind;                 // "whole number", "number", "text", "file", "list", "flag", or "a|b|c"
  std::string default_value;        // the field's value when it was described
  std::string range;                // "0 to 1", or empty
  std::vector<std::string> values;  // what it can be, where that is a short list
  bool is_flag = false;
  bool takes_file = false;
  bool repeats = false;        // each mention adds one value
  bool takes_several = false;  // and several may follow one mention

  /// Parses and stores; throws a UserError that names the option, what was expected and what was found.
  std::function<void(std::string_view)> set;

  /// "seed" → "--seed", "max_length" → "--max-length".
  std::string flag() const;
};

/// A named choice among a few values.
template <class Value>
struct NamedValue {
  std::string name;
  Value value;
};

class OptionSet {
 public:
  OptionSet& add(std::string name, std::int64_t& field, std::string meaning, Range<std::int64_t> range = {});
  OptionSet& add(std::string name, std::uint64_t& field, std::string meaning, Range<std::uint64_t> range = {});
  /// Has no default: the field stays empty unless it is set.
  OptionSet& add(std::string name, std::optional<std::uint64_t>& field, std::string meaning);
  OptionSet& add(std::string name, double& field, std::string meaning, Range<double> range = {});
  OptionSet& add(std::string name, std::string& field, std::string meaning);
  OptionSet& add(std::string name, bool& field, std::string meaning);
  /// A list: values separated by commas.
  OptionSet& add(std::string name, std::vector<double>& field, std::string meaning, Range<double> range = {});
  /// Given once for each value.
  OptionSet& add(std::string name, std::vector<std::string>& field, std::string meaning);
  OptionSet& add_file(std::string name, std::string& field, std::string meaning);
  /// The field may be empty at first, where not choosing means something.
  OptionSet& add_choice(const std::string& name, std::string& field, const std::string& meaning,
                        const std::vector<std::string>& values);

  template <class Value>
  OptionSet& add_choice(const std::string& name, Value& field, const std::string& meaning,
                        const std::vector<NamedValue<Value>>& values) {
    Option option = choice_option(name, meaning, names_of(values));
    for (const auto& entry : values) {
      if (entry.value == field) option.default_value = entry.name;
    }
    option.set = [known = option.values, label = option.name, &field, values](std::string_view text) {
      field = values[index_of(known, label, text)].value;
    };
    return append(std::move(option));
  }

  /// One that is described elsewhere.
  OptionSet& add_option(Option option) { return append(std::move(option)); }

  /// All of another set, after this one's.
  OptionSet& add_all(const OptionSet& others);

  const std::vector<Option>& options() const& { return options_; }
  std::vector<Option> options() && { return std::move(options_); }
  const Option* find(std::string_view name) const;

  /// Sets one option by name. UserError for an unknown name (with the known ones) or a bad value.
  void set(std::string_view name, std::string_view value) const;

  /// Sets from "name=value".
  void assign(std::string_view assignment) const;

 private:
  template <class Value>
  static std::vector<std::string> names_of(const std::vector<NamedValue<Value>>& values) {
    std::vector<std::string> names;
    for (const auto& entry : values) names.push_back(entry.name);
    return names;
  }
  static Option choice_option(std::string name, std::string meaning, std::vector<std::string> values);
  static std::size_t index_of(const std::vector<std::string>& known, const std::string& name, std::string_view text);

  /// InternalError when the name stands already.
  OptionSet& append(Option option);

  std::vector<Option> options_;
};

/// Parse a whole text as a number, without regard to the locale; empty where it isn't one or doesn't fit.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

/// Splits at each `separator`; an empty text gives one empty part.
std::vector<std::string_view> split_text(std::string_view text, char separator);

/// The known names that are nearest to a mistyped one: "Did you mean x?" or "Known: a, b, c."
std::string suggest(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace gumption
