#include "gumption/corpus/run_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "gumption/base/error.h"
#include "gumption/base/files.h"

namespace gumption {

RunSum sum_of_run(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  return {mapped.bytes().size(), IndexSum::of(mapped.bytes())};
}

RunWriter::RunWriter(std::filesystem::path path) : path_(std::move(path)) {
  constexpr mode_t kMode = 0666;
  descriptor_ = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, kMode);
  if (descriptor_ < 0) fail(errno);
}

RunWriter::~RunWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RunWriter::fail(int error_number) const {
  const bool full = error_number == ENOSPC || error_number == EFBIG;
  throw UserError(fmt::format("{}: can't write it: {}.{}", path_.string(),
                              std::generic_category().message(error_number), full ? " Free some space." : ""));
}

void RunWriter::write(std::string_view bytes) {
  sum_.add(bytes);
  size_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string OrderedRun::add(std::size_t number, std::string piece) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(number, std::move(piece));
  std::string memory;
  for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(next_)) {
    out_.write(first->second);
    memory = std::move(first->second);
    waiting_.erase(first);
    ++next_;
  }
  memory.clear();
  return memory;
}

}  // namespace gumption
