#pragma once

#include <filesystem>

namespace gumption {

/// A folder that appears whole or not at all: it is filled under another, hidden name beside its own, and commit()
/// renames it. Destroyed without commit(), everything is removed; a kill can leave the hidden folder behind. UserError
/// where `path` is there already or can't be made. Not thread-safe.
class AtomicFolder {
 public:
  explicit AtomicFolder(const std::filesystem::path& path);
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  ~AtomicFolder();

  /// Where to write.
  const std::filesystem::path& filling() const { return filling_; }

  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path filling_;  // empty once committed
};

}  // namespace gumption
