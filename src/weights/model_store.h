#pragma once

// The models on this machine: a folder for each, below the folder models/ of each data folder, under its name or
// OWNER/NAME.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gumption {

/// Where models are looked for, in this order. They need not exist.
std::vector<std::filesystem::path> model_folders();

/// Whether a folder has a config and weights in a form that is read.
bool is_model_folder(const std::filesystem::path& folder);

/// The folder of a stored model, by its own name or the hub's; empty where there is none.
std::optional<std::filesystem::path> find_stored_model(const std::string& name);

/// What --model means: a folder as it is, else the stored model of that name. UserError, with the nearest names and how
/// to get the model, where there is neither.
std::filesystem::path find_model(const std::string& folder_or_name);

struct StoredModel {
  std::string name;
  std::filesystem::path folder;
  std::string architecture;                // the config's class, else its type, else empty
  std::optional<std::int64_t> parameters;  // empty where the weights can't be read
  std::uint64_t bytes = 0;                 // of all its files
  std::string source;                      // as in its record; empty: not known
};

/// Sorted by name within each folder of models.
std::vector<StoredModel> list_models();

/// Removes a stored model: its name is gone at once, then its files. Gives the folder that it was. UserError where
/// there is none of that name, where the folder isn't a model's, or where it is being pulled.
std::filesystem::path remove_model(const std::string& name);

/// Makes the folder `made` appear at `place`, or take the place of the model there, in one step; what was there is then
/// at `made`. Both must lie on one file system. Waits until everything is on the disk.
void put_in_place(const std::filesystem::path& made, const std::filesystem::path& place);

/// Where a model is put together before it gets its name, and the file that keeps two processes apart over it.
struct Workplace {
  std::filesystem::path folder;
  std::filesystem::path lock;
};
Workplace workplace_of(const std::filesystem::path& models, const std::string& name);

}  // namespace gumption
