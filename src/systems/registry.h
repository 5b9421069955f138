#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gumption/systems/system.h"

namespace gumption {

struct SystemEntry {
  std::string name;
  std::string about;  // one line
  std::unique_ptr<SystemSetup> (*setup)() = nullptr;
  bool asks_model = false;  // needs LibTorch
};

std::span<const SystemEntry> systems();

/// The system of that name; UserError, with a suggestion, where there is none.
const SystemEntry& system_entry(std::string_view name);

}  // namespace gumption
