#include "gumption/measure/agreement.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/data/table_reader.h"

namespace gumption {

namespace {

/// Numbers names in the order they come.
class Names {
 public:
  explicit Names(std::vector<std::string>& names) : names_(names) {}

  std::uint32_t number_of(const std::string& name) {
    const auto [found, is_new] = numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Takes ratings from a table's rows.
class RatingsReader {
 public:
  explicit RatingsReader(std::unique_ptr<ByteSource> source)
      : table_(std::move(source), {}),
        rater_column_(table_.column("rater")),
        item_column_(table_.column("item")),
        label_column_(table_.column("label")) {}

  /// To be called once.
  Ratings read() {
    std::vector<std::string> fields;
    while (table_.next(fields)) add(fields);
    if (!has_two_of_an_item_) {
      throw UserError(Complaint{table_.name(), 0, "items that two raters or more have labelled",
                                ratings_.count == 0 ? "no ratings" : "none", ""});
    }
    return std::move(ratings_);
  }

 private:
  void add(const std::vector<std::string>& fields) {
    if (fields.size() != table_.header().size()) {
      refuse(fmt::format("{} fields", table_.header().size()), fmt::format("{}", fields.size()));
    }
    if (fields[rater_column_].empty() || fields[item_column_].empty()) refuse("a rater and an item", "none");
    if (fields[label_column_].empty()) return;
    const std::uint32_t rater = raters_.number_of(fields[rater_column_]);
    const std::uint32_t item = items_.number_of(fields[item_column_]);
    ratings_.by_item.resize(ratings_.items.size());
    auto& of_item = ratings_.by_item[item];
    if (std::any_of(of_item.begin(), of_item.end(), [&](const auto& rating) { return rating.rater == rater; })) {
      refuse(
          "one rating of an item by each rater",
          fmt::format("a second one of {} by {}", in_quotes(fields[item_column_]), in_quotes(fields[rater_column_])));
    }
    of_item.push_back({rater, labels_.number_of(fields[label_column_])});
    ++ratings_.count;
    has_two_of_an_item_ |= of_item.size() > 1;
  }

  [[noreturn]] void refuse(std::string expected, std::string found) const {
    throw UserError(Complaint{table_.name(), table_.line_number(), std::move(expected), std::move(found), ""});
  }

  TableReader table_;
  std::size_t rater_column_;
  std::size_t item_column_;
  std::size_t label_column_;
  Ratings ratings_;
  Names raters_{ratings_.raters};
  Names items_{ratings_.items};
  Names labels_{ratings_.labels};
  bool has_two_of_an_item_ = false;
};

using LabelCounts = std::map<std::uint32_t, std::size_t>;

LabelCounts count_labels(const std::vector<Ratings::Rating>& item) {
  LabelCounts counts;
  for (const auto& rating : item) ++counts[rating.label];
  return counts;
}

double squared(std::size_t count) { return static_cast<double>(count) * static_cast<double>(count); }

/// What one rater said of an item, and what another.
struct LabelPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

std::optional<double> kappa_of(const std::vector<LabelPair>& pairs) {
  LabelCounts of_first;
  LabelCounts of_second;
  std::size_t agreed = 0;
  for (const auto& [first, second] : pairs) {
    ++of_first[first];
    ++of_second[second];
    if (first == second) ++agreed;
  }
  const double all = squared(pairs.size());
  double by_chance = 0;  // times `all`
  for (const auto& [label, count] : of_first) {
    const auto other = of_second.find(label);
    if (other != of_second.end()) by_chance += static_cast<double>(count) * static_cast<double>(other->second);
  }
  if (by_chance == all) return std::nullopt;
  const double observed = static_cast<double>(agreed) * static_cast<double>(pairs.size());  // times `all`
  return (observed - by_chance) / (all - by_chance);
}

}  // namespace

Ratings read_ratings(std::unique_ptr<ByteSource> source) { return RatingsReader(std::move(source)).read(); }

Ratings read_ratings(const std::filesystem::path& path) { return read_ratings(open_input(path)); }

std::vector<RaterPair> cohens_kappas(const Ratings& ratings) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<LabelPair>> shared;
  for (const auto& item : ratings.by_item) {
    for (std::size_t i = 0; i < item.size(); ++i) {
      for (std::size_t j = i + 1; j < item.size(); ++j) {
        const auto& [low, high] =
            item[i].rater < item[j].rater ? std::pair(item[i], item[j]) : std::pair(item[j], item[i]);
        shared[{low.rater, high.rater}].push_back({low.label, high.label});
      }
    }
  }
  std::vector<RaterPair> pairs;
  pairs.reserve(shared.size());
  for (const auto& [raters, labels] : shared) {
    pairs.push_back({raters.first, raters.second, labels.size(), kappa_of(labels)});
  }
  return pairs;
}

std::optional<double> mean_kappa(const std::vector<RaterPair>& pairs) {
  double sum = 0;
  std::size_t count = 0;
  for (const RaterPair& pair : pairs) {
    if (!pair.kappa) continue;
    sum += *pair.kappa;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::optional<double> fleiss_kappa(const Ratings& ratings) {
  if (ratings.labels.size() < 2) return std::nullopt;
  std::vector<double> shares(ratings.labels.size());  // sums over items
  double agreement = 0;                               // sum over items with two ratings or more
  double compared = 0;
  for (const auto& item : ratings.by_item) {
    const auto size = static_cast<double>(item.size());
    double agreeing = 0;  // ordered pairs of ratings
    for (const auto& [label, count] : count_labels(item)) {
      shares[label] += static_cast<double>(count) / size;
      agreeing += squared(count) - static_cast<double>(count);
    }
    if (item.size() < 2) continue;
    agreement += agreeing / (size * (size - 1));
    ++compared;
  }
  ensure(compared > 0, "some item has two ratings");
  const double observed = agreement / compared;
  const auto items = static_cast<double>(ratings.by_item.size());
  double by_chance = 0;
  for (const double share : shares) by_chance += (share / items) * (share / items);
  return (observed - by_chance) / (1 - by_chance);
}

std::optional<double> krippendorff_alpha(const Ratings& ratings) {
  std::vector<std::size_t> totals(ratings.labels.size());
  std::size_t values = 0;
  double differing = 0;  // ordered pairs of different labels within an item, weighed
  for (const auto& item : ratings.by_item) {
    if (item.size() < 2) continue;
    double pairs = squared(item.size());
    for (const auto& [label, count] : count_labels(item)) {
      totals[label] += count;
      pairs -= squared(count);
    }
    values += item.size();
    differing += pairs / static_cast<double>(item.size() - 1);
  }
  double differing_by_chance = squared(values);  // times values - 1
  for (const std::size_t total : totals) differing_by_chance -= squared(total);
  if (differing_by_chance == 0) return std::nullopt;
  return 1 - static_cast<double>(values - 1) * differing / differing_by_chance;
}

}  // namespace gumption
