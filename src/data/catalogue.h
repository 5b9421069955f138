#pragma once

// The benchmarks that gumption knows: where they are published and where they lie on this machine.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace gumption {

/// The folders in which benchmarks and models are looked for: those of the path list GUMPTION_DATA, then the user's
/// data folder (XDG_DATA_HOME/gumption). They need not exist.
std::vector<std::filesystem::path> data_folders();

/// `path` where it exists (or is "-"); else its first namesake below a data folder; else `path` as it is.
std::filesystem::path find_data_file(const std::filesystem::path& path);

/// One address and what it gives.
struct RemoteFile {
  std::string url;
  std::uint64_t size = 0;            // 0: not known
  std::string sha256;                // empty: not known
  std::vector<std::string> members;  // to take out of an archive; empty: the file itself
  bool whole_tree = false;           // take everything out of the archive
  std::string save_as;               // path below the benchmark's folder, for what isn't an archive
};

struct Benchmark {
  std::string name;
  std::string about;
  std::string licence;
  std::vector<RemoteFile> files;
};

std::span<const Benchmark> benchmarks();

/// The benchmark of that name; UserError, with a suggestion, where there is none.
const Benchmark& benchmark(std::string_view name);

/// Folders on this machine that hold files of a benchmark.
std::vector<std::filesystem::path> find_benchmark(const std::string& name);

struct PullOptions {
  std::string from;  // address of a mirror that has the same file names; empty: the official addresses
  std::string to;    // folder to put the benchmark's folder into; empty: the first data folder
};

/// Fetches a benchmark's files that aren't there yet and gives the paths of all of them. What is fetched appears whole
/// or not at all; an interrupted transfer is continued by the next call.
std::vector<std::filesystem::path> pull_benchmark(const std::string& name, const PullOptions& options);

}  // namespace gumption
