#include "cli/engine.h"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/cluster/cluster_options.h"

namespace gumption::cli {

namespace {

bool& is_engine() {
  static bool value = false;
  return value;
}

}  // namespace

bool is_one_of_several() {
  const bool several = ClusterOptions::from_environment().size > 1;
  if (several) require_feature("cluster");
  return several;
}

void set_is_engine() { is_engine() = true; }

void become_engine(char** argv) {
  if (is_engine()) return;
  require_feature("libtorch");
  namespace fs = std::filesystem;
  const fs::path self = fs::read_symlink("/proc/self/exe").parent_path();
  // Beside the program in a build folder, and in libexec/ beside bin/ where it is installed.
  for (const fs::path& folder : {self, self.parent_path()}) {
    const fs::path engine = folder / "libexec/gumption/gumption-engine";
    if (fs::exists(engine)) {
      ::execv(engine.c_str(), argv);
      throw UserError(fmt::format("{}: can't start it: {}.", engine.string(), system_message(errno)));
    }
  }
  throw UserError(
      fmt::format("{}: expected libexec/gumption/gumption-engine here or one folder up, found none. "
                  "Install gumption again.",
                  self.string()));
}

}  // namespace gumption::cli
