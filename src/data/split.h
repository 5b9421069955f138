#pragma once

// Dividing questions into parts: by chance, evenly over a note, or so that what belongs together stays together.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gumption/base/options.h"
#include "gumption/data/dataset.h"

namespace gumption {

struct SplitOptions {
  std::string by;                 // random, stratified or group; empty: see resolve_split()
  std::string group_by;           // context, source_event or author
  std::string stratify_by;        // category, question_type, asks_for or label
  std::string parts;              // name=share,…
  std::uint64_t folds = 0;        // 0: parts instead
  std::vector<double> fractions;  // nested samples instead
  std::uint64_t seed = 1;
};

OptionSet describe(SplitOptions& options);

/// The options with everything said: --group-by and --stratify-by choose how to divide; folds are stratified where
/// there are notes to do it by, all else is random. UsageError for options that contradict each other.
SplitOptions resolve_split(const std::vector<Question>& questions, const SplitOptions& given);

/// A part and the questions in it, by index, in the order of the data.
struct Part {
  std::string name;
  std::vector<std::size_t> questions;
};

/// The parts that the options ask for. Parts and folds are disjoint and hold every question; each of the fractions
/// holds all smaller ones. The same options and questions always give the same parts. UserError for options that make
/// no sense, and for a question without the note that is asked for.
std::vector<Part> split_questions(const std::vector<Question>& questions, const SplitOptions& options);

/// Writes the parts as native files NAME.jsonl and a manifest.json into the new folder `out`, which appears whole or
/// not at all. UserError where it is there already.
void write_parts(const Dataset& dataset, const std::vector<Part>& parts, const SplitOptions& options,
                 const std::filesystem::path& out);

}  // namespace gumption
