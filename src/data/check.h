#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gumption/base/options.h"
#include "gumption/base/thread_pool.h"
#include "gumption/data/dataset.h"

namespace gumption {

struct CheckOptions {
  bool no_near_duplicates = false;
  double similarity = 0.8;
  std::uint64_t most_findings = 10'000;
  std::vector<std::string> ignore;
};

OptionSet describe(CheckOptions& options);

/// The kinds of findings, in the order of reports.
const std::vector<std::string>& finding_kinds();

/// Something a maker of the benchmark should look at. `line` 0 means the whole file.
struct Finding {
  std::string kind;
  std::string file;
  std::size_t line = 0;
  std::string message;
};

struct CheckReport {
  std::vector<Finding> findings;               // by file, then line; at most so many of a kind
  std::map<std::string, std::size_t> summary;  // how many of each kind, those left out too
  std::size_t questions = 0;
  std::vector<SourceFile> sources;
};

/// Reads the files one question at a time (twice where questions repeat or several splits are given) and reports what
/// is wrong or suspicious. Each file is a split unless its questions say theirs. Without the search for
/// near-duplicates, memory grows by 8 bytes a question. A bad row is a finding; UserError for a file that can't be read
/// at all.
CheckReport check_files(std::span<const std::filesystem::path> paths, const ReadOptions& read,
                        const CheckOptions& options, ThreadPool& pool);

}  // namespace gumption
