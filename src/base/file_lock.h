#pragma once

#include <filesystem>

namespace gumption {

/// Keeps other processes of ours away from what a lock file stands for, as long as it lives. A killed process leaves no
/// lock behind.
class FileLock {
 public:
  /// Makes the file where it isn't there. UserError, naming `what` is being worked on, when another holds the lock.
  FileLock(const std::filesystem::path& path, const std::filesystem::path& what);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int descriptor_ = -1;
};

}  // namespace gumption
