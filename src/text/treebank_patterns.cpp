#include "gumption/text/treebank_scan.h"

namespace gumption::treebank {

namespace {

/// Between `low` and `high` digits and none behind them; 0 otherwise.
std::size_t group(const Scan& scan, std::size_t i, std::size_t low, std::size_t high) {
  const std::size_t end = scan.digits(i);
  return end - i >= low && end - i <= high ? end : 0;
}

std::size_t simple_fraction(const Scan& scan, std::size_t i) {
  const std::size_t over = group(scan, i, 1, 4);
  if (over == 0 || scan.at(over) != '/') return 0;
  const std::size_t end = scan.digits(over + 1, 4);
  return end > over + 1 ? end : 0;
}

/// Three or four digits and three to five more.
std::size_t telephone_end(const Scan& scan, std::size_t i) {
  const std::size_t end = scan.digits(i);
  if (end - i >= 6) return std::min(end, i + 9);
  if (end - i < 3 || end - i > 4 || !is_one_of(scan.at(end), "- ")) return 0;
  const std::size_t last = scan.digits(end + 1, 5);
  return last - end > 3 ? last : 0;
}

std::size_t dotted_telephone(const Scan& scan, std::size_t i) {
  const std::size_t first = group(scan, i, 2, 4);
  if (first == 0 || scan.at(first) != '.') return 0;
  const std::size_t second = group(scan, first + 1, 3, 4);
  if (second == 0 || scan.at(second) != '.') return 0;
  const std::size_t last = scan.digits(second + 1, 5);
  return last - second > 3 ? last : 0;
}

bool in_name(char c) { return is_alpha(c) || is_number(c) || is_one_of(c, "_:.-"); }

/// name, name=value or name="value"; 0 when it is cut off.
std::size_t attribute(const Scan& scan, std::size_t i) {
  i = scan.run(i, in_name);
  if (scan.at(i) != '=') return i;
  ++i;
  if (!is_one_of(scan.at(i), "\"'")) return is_alpha(scan.at(i)) ? scan.run(i, in_name) : 0;
  const char quote = scan.at(i);
  const std::size_t end = scan.run(i + 1, [quote](char c) { return c != quote && c != '\n'; });
  return scan.at(end) == quote ? end + 1 : 0;
}

/// Behind what may stand in the path of an address from `i` on, without the punctuation that ends the sentence.
std::size_t path(const Scan& scan, std::size_t i) {
  const std::size_t begin = i;
  i = scan.run(i, [](char c) { return !is_one_of(c, " \t\n\f\r\"<>|()") && c != '\0'; });
  while (i > begin && is_one_of(scan.at(i - 1), ".!?(){},-")) --i;
  return i;
}

}  // namespace

std::size_t match_date(const Scan& scan) {
  const std::size_t day = group(scan, 0, 1, 2);
  if (day == 0 || !is_one_of(scan.at(day), "-/")) return 0;
  const std::size_t month = group(scan, day + 1, 1, 2);
  if (month == 0 || !is_one_of(scan.at(month), "-/")) return 0;
  const std::size_t year = scan.digits(month + 1, 4);
  return year - month > 2 ? year : 0;
}

std::size_t match_fraction(const Scan& scan) {
  const std::size_t whole = group(scan, 0, 1, 4);
  const std::size_t mixed = whole > 0 && is_one_of(scan.at(whole), "- ") ? simple_fraction(scan, whole + 1) : 0;
  return std::max(simple_fraction(scan, 0), mixed);
}

std::size_t match_telephone(const Scan& scan) {
  if (scan.at(0) == '(') {
    const std::size_t area = group(scan, 1, 2, 3);
    if (area == 0 || scan.at(area) != ')') return 0;
    return telephone_end(scan, area + 1 + (scan.at(area + 1) == ' ' ? 1 : 0));
  }
  std::size_t begin = 0;
  while (begin < 2 && scan.at(begin) == '+') ++begin;
  const std::size_t first = group(scan, begin, 2, 4);
  if (first == 0) return 0;
  if (scan.at(first) == '.') return std::max(dotted_telephone(scan, begin), dotted_telephone(scan, first + 1));
  if (!is_one_of(scan.at(first), "- ")) return 0;
  const std::size_t second = group(scan, first + 1, 2, 4);
  const bool goes_on = second > 0 && is_one_of(scan.at(second), "- ");
  return std::max(telephone_end(scan, first + 1), goes_on ? telephone_end(scan, second + 1) : 0);
}

std::size_t match_tag(const Scan& scan) {
  if (scan.at(0) != '<') return 0;
  if (is_one_of(scan.at(1), "!?") && (is_alpha(scan.at(2)) || scan.at(2) == '-')) {
    const std::size_t end = scan.run(2, [](char c) { return c != '>' && c != '\n' && c != '\r'; });
    return scan.at(end) == '>' ? end + 1 : 0;
  }
  std::size_t i = scan.at(1) == '/' ? 2 : 1;
  if (!is_alpha(scan.at(i))) return 0;
  i = scan.run(i, in_name);
  while (scan.at(i) == ' ') {
    i = scan.run(i, [](char c) { return c == ' '; });
    if (!is_alpha(scan.at(i))) break;
    i = attribute(scan, i);
    if (i == 0) return 0;
  }
  if (scan.at(i) == '/') ++i;
  return scan.at(i) == '>' ? i + 1 : 0;
}

std::size_t match_url(const Scan& scan) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!scan.rest().starts_with(scheme)) continue;
    const std::size_t end = path(scan, scheme.size());
    return end > scheme.size() + 1 ? end : 0;
  }
  std::size_t host = scan.run(0, [](char c) { return is_alpha(c) || is_number(c) || c == '.' || c == '-'; });
  while (host > 0 && is_one_of(scan.at(host - 1), ".-")) --host;
  const std::string_view name = scan.rest().substr(0, host);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return 0;
  const std::string_view top = name.substr(dot + 1);
  const bool known = top == "com" || top == "net" || top == "org" || top == "edu";
  if (!known && !(name.starts_with("www.") && dot > 4)) return 0;
  const std::size_t end = scan.at(host) == '/' ? path(scan, host + 1) : 0;
  return end > host + 2 ? end : host;
}

std::size_t match_email(const Scan& scan) {
  if (!is_alpha(scan.at(0)) && !is_number(scan.at(0))) return 0;
  const auto inside = [](char c) { return !is_one_of(c, " \t\n\f\r\"<>|()@") && c != '\0' && c != '\xC2'; };
  const std::size_t sign = scan.run(0, inside);
  if (scan.at(sign) != '@') return 0;
  std::size_t end = scan.run(sign + 1, inside);
  while (end > sign + 1 && scan.at(end - 1) == '.') --end;
  return end > sign + 1 ? end : 0;
}

}  // namespace gumption::treebank
