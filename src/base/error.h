#pragma once

// The two kinds of failure. A UserError is the user's input at fault: its message is all that is shown, and the program
// ends with exit code 1. An InternalError is a bug of ours: it says where it was noticed, and the program ends with 70.

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>

namespace gumption {

/// What a person needs to know to mend an input. Empty parts are left out of the message; `line` counts from 1, and 0
/// means that the whole file is meant.
struct Complaint {
  std::string file;
  std::size_t line = 0;
  std::string expected;
  std::string found;
  std::string advice;
};

/// "FILE:LINE: expected …, found …. ADVICE." on one line.
std::string to_message(const Complaint& complaint);

class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message) : std::runtime_error(message) {}
  explicit UserError(const Complaint& complaint) : std::runtime_error(to_message(complaint)) {}
};

/// One row of a file is at fault and the reader has already moved past it: the caller may go on with the next row.
class BadRow : public UserError {
 public:
  explicit BadRow(Complaint complaint) : UserError(complaint), complaint_(std::move(complaint)) {}
  const Complaint& complaint() const { return complaint_; }

 private:
  Complaint complaint_;
};

/// The command line itself is wrong: exit code 2.
class UsageError : public UserError {
 public:
  using UserError::UserError;
};

class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& what, std::source_location where = std::source_location::current());
};

/// Throws InternalError unless `holds`. For what our own code guarantees; never for what a user can cause.
inline void ensure(bool holds, const char* what, std::source_location where = std::source_location::current()) {
  if (!holds) throw InternalError(what, where);
}

/// The operating system's words for an errno value.
std::string system_message(int error_number);

/// `text` as a terminal may get it: control characters but tabs and line ends shown as escapes, invalid UTF-8 replaced.
std::string printable(std::string_view text);

/// `text` made fit for one line of a message: control characters shown as escapes, invalid UTF-8 replaced, cut to at
/// most `limit` bytes (with "…"), in quotes.
std::string in_quotes(std::string_view text, std::size_t limit = 60);

}  // namespace gumption
