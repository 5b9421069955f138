#include "gumption/base/atomic_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

namespace fs = std::filesystem;

AtomicFolder::AtomicFolder(const fs::path& path) : path_(path.lexically_normal()) {
  if (!path_.has_filename()) path_ = path_.parent_path();
  if (fs::exists(path_)) {
    throw UserError(fmt::format("{}: is there already. Name a new folder, or remove this one first.", path_.string()));
  }
  const fs::path parent = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  std::error_code error;
  fs::create_directories(parent, error);
  std::string pattern = (parent / fmt::format(".{}.partial-XXXXXX", path_.filename().string())).string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    throw UserError(
        fmt::format("{}: can't make the folder: {}.", path_.string(), error ? error.message() : system_message(errno)));
  }
  filling_ = pattern;
  // mkdtemp's folders are for their owner alone; this one is to be like any other.
  fs::permissions(filling_,
                  fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec,
                  fs::perm_options::add, error);
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!filling_.empty()) fs::remove_all(filling_, ignored);
}

void AtomicFolder::commit() {
  fs::rename(filling_, path_);
  filling_.clear();
}

}  // namespace gumption
