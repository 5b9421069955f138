#pragma once

// gumption.json: where a pulled model comes from.

#include <filesystem>
#include <optional>
#include <string>

namespace gumption {

struct ModelRecord {
  std::string name;
  std::string
      source;  // "pip:PACKAGE==VERSION", "maven:GROUP:ARTIFACT:VERSION", "hub:NAME@REVISION"; "folder:PATH" converted
  std::string package;  // of a package, or the hub's name
  std::string version;  // of a package, or the hub's revision
  std::string address;  // of the hub; empty for a package
  std::string sha256;   // of the package's file; empty for the hub
  std::string licence;  // empty: not known
  std::string date;     // "2026-11-15T13:50:00Z"
  std::string input;  // of a model that was trained to choose: settings of its input, "template=pair no_context=false"
};

/// gumption.json's text.
std::string to_json_text(const ModelRecord& record);

/// A folder's record; empty where it has none that can be read.
std::optional<ModelRecord> find_record(const std::filesystem::path& folder);

/// Now, in UTC.
std::string date_now();

}  // namespace gumption
