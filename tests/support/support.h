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

/// Where models run in tests: what GUMPTION_TEST_DEVICE names, else the CPU.
std::string test_device();

/// The program under test.
std::filesystem::path program();

/// A file of the reference data that isn't part of this repository: GUMPTION_SHARED, or the folder shared/ beside the
/// checkout. Empty when it isn't there.
std::filesystem::path shared_file(const std::string& name);

/// The folder of a pulled model: in GUMPTION_TEST_MODELS, where `make test` pulls all-MiniLM-L6-v2 to, or in the
/// models/ of GUMPTION_DATA and the user's data folder. Empty when it isn't there.
std::filesystem::path test_model(const std::string& name);

}  // namespace gumption::test

/// Skips a test, visibly, where the reference data is absent.
#define GUMPTION_NEEDS_SHARED(variable, name)                                            \
  const auto variable = gumption::test::shared_file(name);                               \
  if (variable.empty()) {                                                                \
    GTEST_SKIP() << "needs " << (name) << " of the reference data; set GUMPTION_SHARED"; \
  }                                                                                      \
  static_assert(true)

/// Skips a test, visibly, where a downloaded checkpoint is absent.
#define GUMPTION_NEEDS_MODEL(variable, name)                                                                         \
  const auto variable = gumption::test::test_model(name);                                                            \
  if (variable.empty()) {                                                                                            \
    GTEST_SKIP() << "needs the model " << (name) << ", which isn't on this machine; `gumption model pull " << (name) \
                 << "` fetches it";                                                                                  \
  }                                                                                                                  \
  static_assert(true)
