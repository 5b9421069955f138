#pragma once

// How far raters agree about labels, beyond what chance would bring. Any rating may be missing; beside each measure it
// says what becomes of it then.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gumption/base/files.h"

namespace gumption {

/// Who called which item what. Raters, items and labels are indices into their names.
struct Ratings {
  struct Rating {
    std::uint32_t rater = 0;
    std::uint32_t label = 0;
  };

  std::vector<std::string> raters;
  std::vector<std::string> items;
  std::vector<std::string> labels;
  std::vector<std::vector<Rating>> by_item;  // for each item; no rater twice, never empty
  std::size_t count = 0;                     // ratings in all
};

/// Reads a table with the columns rater, item and label. A row with an empty label is a missing rating, as if it
/// weren't there. UserError, with the line, for a rater who rates an item twice, and where no item has two ratings.
Ratings read_ratings(const std::filesystem::path& path);
Ratings read_ratings(std::unique_ptr<ByteSource> source);

/// Cohen's kappa of two raters over the items that both rated. Empty where both gave all of these one label: chance
/// alone would agree, and kappa is 0/0.
struct RaterPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::size_t items = 0;  // rated by both; at least one
  std::optional<double> kappa;
};

/// All pairs of raters that share an item, by first and second.
std::vector<RaterPair> cohens_kappas(const Ratings& ratings);

/// The plain mean over pairs that have a kappa; empty where none has.
std::optional<double> mean_kappa(const std::vector<RaterPair>& pairs);

/// Fleiss' kappa, in Gwet's form for unequal numbers of ratings: agreement is the mean over items with two ratings or
/// more of the share of agreeing pairs; a label's chance is its mean share of an item's ratings, over all items. The
/// same as Fleiss' own where every item has as many ratings. Empty where there is but one label.
std::optional<double> fleiss_kappa(const Ratings& ratings);

/// Krippendorff's alpha for nominal labels: pairs within an item weigh 1/(ratings of the item - 1); items with one
/// rating are left out. Empty where the others hold but one label.
std::optional<double> krippendorff_alpha(const Ratings& ratings);

}  // namespace gumption
