#include "gumption/base/line_reader.h"

#include <cstring>

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {
constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::size_t longest_line)
    : source_(std::move(source)), longest_line_(longest_line), buffer_(kChunk + kPadding) {
  while (end_ < kByteOrderMark.size() && refill()) {
  }
  const std::string_view start(buffer_.data(), end_);
  if (start.starts_with(kByteOrderMark)) begin_ = scanned_ = kByteOrderMark.size();
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
    throw UserError(Complaint{source_->name(), 1, "UTF-8 text", "UTF-16 (its byte-order mark)",
                              "Convert the file first, for example with iconv -f UTF-16 -t UTF-8"});
  }
}

/// Moves what is left to the front and reads more behind it; false at the end of the source.
bool LineReader::refill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ > longest_line_) {
    throw UserError(Complaint{source_->name(), line_number_ + 1,
                              fmt::format("lines of at most {} bytes", longest_line_), "a longer one",
                              "Is this a text file?"});
  }
  if (buffer_.size() - kPadding - end_ < kChunk / 2) buffer_.resize(buffer_.size() * 2);
  const std::size_t got = source_->read(buffer_.data() + end_, buffer_.size() - kPadding - end_);
  at_end_ = got == 0;
  end_ += got;
  return !at_end_;
}

bool LineReader::next(std::string_view& line) {
  while (true) {
    const char* from = buffer_.data() + scanned_;
    const auto* found = static_cast<const char*>(std::memchr(from, '\n', end_ - scanned_));
    if (found == nullptr) {
      scanned_ = end_;
      if (refill()) continue;
      if (begin_ == end_) return false;
    }
    const std::size_t line_end = found == nullptr ? end_ : static_cast<std::size_t>(found - buffer_.data());
    line = std::string_view(buffer_.data() + begin_, line_end - begin_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin_ = scanned_ = found == nullptr ? end_ : line_end + 1;
    ++line_number_;
    return true;
  }
}

}  // namespace gumption
