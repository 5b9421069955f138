#include "gumption/base/error.h"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace gumption {

std::string to_message(const Complaint& complaint) {
  std::string message = complaint.file;
  if (complaint.line > 0) message += fmt::format("{}{}", message.empty() ? "line " : ":", complaint.line);
  if (!message.empty()) message += ": ";
  if (!complaint.expected.empty()) message += "expected " + complaint.expected;
  if (!complaint.found.empty()) {
    if (!complaint.expected.empty()) message += ", found ";
    message += complaint.found;
  }
  if (!complaint.advice.empty()) {
    const char last = message.empty() ? ' ' : message.back();
    message += (last == '.' || last == ' ') ? " " : ". ";
    message += complaint.advice;
  }
  const char last = message.empty() ? ' ' : message.back();
  if (last != '.' && last != '?' && last != '!') message += '.';
  return message;
}

InternalError::InternalError(const std::string& what, std::source_location where)
    : std::logic_error(fmt::format("{} ({}:{})", what, where.file_name(), where.line())) {}

std::string system_message(int error_number) { return std::generic_category().message(error_number); }

namespace {

/// Length of the well-formed UTF-8 sequence at the start of `text`, or 0.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// Takes the first character off `text` and gives it as people may see it: none that steers a terminal.
std::string take_printable(std::string_view& text) {
  const std::size_t length = sequence_length(text);
  const std::string_view taken = text.substr(0, length == 0 ? 1 : length);
  text.remove_prefix(taken.size());
  if (length == 0) return "\uFFFD";
  const auto byte = static_cast<unsigned char>(taken.front());
  const auto last = static_cast<unsigned char>(taken.back());
  const bool is_late_control = byte == 0xC2 && last < 0xA0;  // U+0080 to U+009F
  if (byte < 0x20 || byte == 0x7F || is_late_control) return fmt::format("\\x{:02x}", last);
  return std::string(taken);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    if (text.front() == '\n' || text.front() == '\t') {
      shown += text.front();
      text.remove_prefix(1);
    } else {
      shown += take_printable(text);
    }
  }
  return shown;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  std::string shown = "\"";
  const std::size_t size = text.size();
  while (!text.empty()) {
    if (size - text.size() >= limit) {
      shown += "…";
      break;
    }
    if (text.front() == '\n' || text.front() == '\t') {
      shown += text.front() == '\n' ? "\\n" : "\\t";
      text.remove_prefix(1);
    } else {
      shown += take_printable(text);
    }
  }
  return shown + "\"";
}

}  // namespace gumption
