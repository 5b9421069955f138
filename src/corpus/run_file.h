#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "gumption/corpus/index_format.h"

namespace gumption {

/// What tells whether a run is as it was written.
struct RunSum {
  std::uint64_t size = 0;
  std::uint64_t sum = 0;

  bool operator==(const RunSum&) const = default;
};

/// UserError where the file can't be read.
RunSum sum_of_run(const std::filesystem::path& file);

/// Writes a run without waiting until it is on the disk: most runs are gone before the disk has to take them. Whoever
/// finds one after a crash must compare its sum.
class RunWriter {
 public:
  explicit RunWriter(std::filesystem::path path);
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;
  ~RunWriter();

  /// UserError when the disk is full.
  void write(std::string_view bytes);

  /// Of all that was written.
  RunSum sum() const { return {size_, sum_.value()}; }

 private:
  [[noreturn]] void fail(int error_number) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  IndexSum sum_;
};

/// Puts pieces that several threads make into a run in the order of their numbers. Those that come too early wait in
/// memory.
class OrderedRun {
 public:
  explicit OrderedRun(std::filesystem::path path) : out_(std::move(path)) {}

  /// Numbers count from 0, without a gap. Gives an empty string back whose memory may be used for the next piece.
  /// UserError when the disk is full, for each piece from then on. Thread-safe.
  std::string add(std::size_t number, std::string piece);

  /// Of all pieces.
  RunSum sum() const { return out_.sum(); }

 private:
  std::mutex mutex_;
  RunWriter out_;
  std::size_t next_ = 0;
  std::map<std::size_t, std::string> waiting_;
};

}  // namespace gumption
