#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/support.h"

namespace gumption::test {

/// Stands in for PATH as long as it lives: only the scripts that are added are found, and the usual tools within them.
/// A script finds the file `given` of the folder under $GIVEN. Each call is noted.
class FakePrograms {
 public:
  FakePrograms() : path_before_(std::getenv("PATH")) { ::setenv("PATH", (folder_ / "bin").c_str(), 1); }
  FakePrograms(const FakePrograms&) = delete;
  FakePrograms& operator=(const FakePrograms&) = delete;
  ~FakePrograms() { ::setenv("PATH", path_before_.c_str(), 1); }

  const TemporaryFolder& folder() const { return folder_; }

  void add(const std::string& name, const std::string& script) const {
    const std::string head = "#!/bin/sh\nPATH=/usr/bin:/bin\nGIVEN='" + (folder_ / "given").string() +
                             "'\necho \"$0 $*\" >> '" + (folder_ / "calls").string() + "'\n";
    const auto path = folder_.write("bin/" + name, head + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  std::string calls() const { return read_bytes(folder_ / "calls"); }
  std::size_t call_count() const {
    const std::string text = calls();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

 private:
  TemporaryFolder folder_;
  std::string path_before_;
};

/// Does what `pip download` does: puts the file into the folder behind --dest, here $DEST.
inline std::string fake_pip(const std::string& file) {
  return "while [ $# -gt 0 ]; do [ \"$1\" = --dest ] && DEST=$2; shift; done\ncp \"$GIVEN\" \"$DEST/" + file + "\"";
}

/// Does what Maven's dependency:get does: puts the file into the local repository.
inline std::string fake_maven(const std::string& path) {
  return "for word; do case $word in -Dmaven.repo.local=*) REPOSITORY=${word#*=};; esac; done\nmkdir -p \"$(dirname "
         "\"$REPOSITORY/" +
         path + "\")\"\ncp \"$GIVEN\" \"$REPOSITORY/" + path + "\"";
}

}  // namespace gumption::test
