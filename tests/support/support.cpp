#include "support/support.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <unistd.h>

namespace gumption::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "gumption-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::write(const std::string& name, std::string_view bytes) const {
  const fs::path path = path_ / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

fs::path source_folder() { return GUMPTION_SOURCE_DIR; }

std::string test_device() {
  const char* device = std::getenv("GUMPTION_TEST_DEVICE");
  return device == nullptr ? "cpu" : device;
}

fs::path program() { return GUMPTION_PROGRAM; }

fs::path shared_file(const std::string& name) {
  const char* named = std::getenv("GUMPTION_SHARED");
  const fs::path folder = named != nullptr ? fs::path(named) : source_folder().parent_path() / "shared";
  const fs::path path = folder / name;
  return fs::exists(path) ? path : fs::path();
}

fs::path test_model(const std::string& name) {
  const auto variable = [](const char* variable_name) {
    const char* value = std::getenv(variable_name);
    return std::string(value == nullptr ? "" : value);
  };
  std::vector<fs::path> folders;
  const std::string named = variable("GUMPTION_TEST_MODELS");
  folders.emplace_back(named.empty() ? GUMPTION_TEST_MODELS : named);
  std::istringstream data(variable("GUMPTION_DATA"));
  for (std::string folder; std::getline(data, folder, ':');) folders.push_back(fs::path(folder) / "models");
  const std::string data_home = variable("XDG_DATA_HOME");
  folders.push_back((data_home.empty() ? fs::path(variable("HOME")) / ".local/share" : fs::path(data_home)) /
                    "gumption/models");
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / name / "config.json")) return folder / name;
  }
  return {};
}

}  // namespace gumption::test
