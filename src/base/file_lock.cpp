#include "gumption/base/file_lock.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "gumption/base/error.h"

namespace gumption {

FileLock::FileLock(const std::filesystem::path& path, const std::filesystem::path& what) {
  constexpr mode_t kMode = 0666;
  descriptor_ = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, kMode);
  if (descriptor_ < 0) throw UserError(fmt::format("{}: can't write it: {}.", path.string(), system_message(errno)));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  ::close(descriptor_);
  if (reason == EWOULDBLOCK) {
    throw UserError(
        fmt::format("{}: another process is writing it. Wait for it, or write to another path.", what.string()));
  }
  throw UserError(fmt::format("{}: can't lock it: {}.", path.string(), system_message(reason)));
}

FileLock::~FileLock() { ::close(descriptor_); }

}  // namespace gumption
