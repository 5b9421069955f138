#pragma once

// What tests of every room share.

#include <filesystem>
#include <string>
#include <string_view>

namespace gumption::test {

/// A folder of its own for one test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file into the folder (with folders on the way) and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

std::string read_bytes(const std::filesystem::path& path);

std::filesystem::path source_folder();

/// The program under test.
std::filesystem::path program();

/// A file of the reference data that isn't part of this repository: GUMPTION_SHARED, or the folder shared/ beside the
/// checkout. Empty when it isn't there.
std::filesystem::path shared_file(const std::string& name);

}  // namespace gumption::test

/// Skips a test, visibly, where the reference data is absent.
#define GUMPTION_NEEDS_SHARED(variable, name)                                            \
  const auto variable = gumption::test::shared_file(name);                               \
  if (variable.empty()) {                                                                \
    GTEST_SKIP() << "needs " << (name) << " of the reference data; set GUMPTION_SHARED"; \
  }                                                                                      \
  static_assert(true)
