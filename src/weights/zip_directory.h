#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gumption {

/// The members of a zip archive whose bytes `archive` are in memory, by name, as parts of it. Zip64 is understood.
/// UserError, naming `name`, for a damaged archive, one that spans volumes, and members that are compressed, encrypted
/// or stand twice: their bytes could not be used in place.
std::map<std::string, std::string_view> stored_members(std::string_view archive, const std::string& name);

}  // namespace gumption
