#pragma once

#include <string>

#include "cli/command.h"

namespace gumption::cli {

/// A script that completes the commands of `root`; `shell` is bash, zsh or fish.
std::string completion_script(const Command& root, const std::string& shell);

}  // namespace gumption::cli
