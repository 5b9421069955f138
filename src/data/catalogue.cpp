#include "gumption/data/catalogue.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "gumption/base/archive.h"
#include "gumption/base/download.h"
#include "gumption/base/error.h"
#include "gumption/base/options.h"

namespace gumption {

namespace fs = std::filesystem;

std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  if (const char* list = std::getenv("GUMPTION_DATA")) {
    for (const auto part : split_text(list, ':')) {
      if (!part.empty()) folders.emplace_back(part);
    }
  }
  const char* data_home = std::getenv("XDG_DATA_HOME");
  const char* home = std::getenv("HOME");
  if (data_home != nullptr && *data_home != '\0') {
    folders.push_back(fs::path(data_home) / "gumption");
  } else if (home != nullptr && *home != '\0') {
    folders.push_back(fs::path(home) / ".local" / "share" / "gumption");
  }
  return folders;
}

fs::path find_data_file(const fs::path& path) {
  if (path == "-" || path.is_absolute() || fs::exists(path)) return path;
  for (const auto& folder : data_folders()) {
    std::error_code ignored;
    if (fs::exists(folder / path, ignored)) return folder / path;
  }
  return path;
}

namespace {

constexpr const char* kCodahTable = "https://raw.githubusercontent.com/Websail-NU/CODAH/master/data/full_data.tsv";
constexpr const char* kCosmos = "https://github.com/wilburOne/cosmosqa/raw/master/data/";
constexpr const char* kSwag = "https://raw.githubusercontent.com/rowanz/swagaf/master/data/";
constexpr const char* kDefinitePronouns = "http://www.hlt.utdallas.edu/~vince/data/emnlp12/";
constexpr const char* kCommonsenseQa = "https://s3.amazonaws.com/commensenseqa/";

RemoteFile file_at(const std::string& folder, const std::string& name, std::uint64_t size, const char* sha256,
                   const std::string& save_as = {}) {
  return {folder + name, size, sha256, {}, false, save_as.empty() ? name : save_as};
}

RemoteFile archive_at(const char* url, std::uint64_t size, const char* sha256, std::vector<std::string> members) {
  return {url, size, sha256, std::move(members), false, {}};
}

std::vector<Benchmark> make_benchmarks() {
  return {
      {"copa",
       "Choice of Plausible Alternatives, 500 + 500 questions",
       "BSD 2-Clause",
       {archive_at("https://asgordon.github.io/downloads/COPA-resources.tgz", 0,
                   "5145348834d2081ad90da0397d1db3d70fa044e506bd8ce224194d24b04cdbbe",
                   {"datasets/copa-dev.xml", "datasets/copa-test.xml", "datasets/copa-all.xml"})}},
      {"superglue-copa",
       "COPA as SuperGLUE distributes it",
       "BSD 2-Clause (the questions)",
       {archive_at("https://dl.fbaipublicfiles.com/glue/superglue/data/v2/COPA.zip", 43986,
                   "405906cddac74bc1e1ce8220f1107d1025b66a25ef10149d91b10bb30651125f",
                   {"COPA/train.jsonl", "COPA/val.jsonl", "COPA/test.jsonl"})}},
      {"social-iqa",
       "Social IQA, 33,410 + 1,954 questions",
       "CC BY 4.0",
       {archive_at("https://storage.googleapis.com/ai2-mosaic/public/socialiqa/socialiqa-train-dev.zip", 2198056,
                   "ee073914a0fc33265cfbcfc50ec20df9b2e07809c3f420f599138d1f394ef5c3",
                   {"train.jsonl", "train-labels.lst", "dev.jsonl", "dev-labels.lst"})}},
      {"cosmos-qa",
       "Cosmos QA, 25,262 + 2,985 + 6,963 questions",
       "CC BY 4.0",
       {file_at(kCosmos, "train.csv", 16660449, "d8d5ca1f9f6534b6530550718591af89372d976a8fc419360fab4158dee4d0b2"),
        file_at(kCosmos, "valid.csv", 2128345, "a6a94fc1463ca82bb10f98ef68ed535405e6f5c36e044ff8e136b5c19dea63f3"),
        file_at(kCosmos, "test.jsonl", 5610681, "70005196dc2588b95de34f1657b25e2c1a4810cfe55b5bb0c0e15580c37b3ed0")}},
      {"codah",
       "CODAH, 2,776 questions",
       "ODC-BY 1.0",
       {{kCodahTable,
         485130,
         "96689f2abf2f09eb91af50e2d8f92bb553e157601908a1cee83fe68670b5c3ea",
         {},
         false,
         "full_data.tsv"}}},
      {"swag",
       "SWAG, 73,546 + 20,006 + 20,005 questions",
       "not stated",
       {file_at(kSwag, "train.csv", 28243333, "5748b51126ac255c5a6f26e1ba473b51116d6c822aeb25e63ecba282c9d0e610"),
        file_at(kSwag, "val.csv", 7893588, "c0497b2cd7f3e6b7df995524b1853f62285d60d110d659b19545ca80b2903234"),
        file_at(kSwag, "test.csv", 7817885, "a689a1a4e892a65ca625c1f0fcf77bcce004b59ad1caeb134ca5ec080a711cb6")}},
      {"race",
       "RACE, examinations for Chinese pupils of English",
       "non-commercial research only",
       {{"http://www.cs.cmu.edu/~glai1/data/race/RACE.tar.gz",
         25443609,
         "b2769cc9fdc5c546a693300eb9a966cec6870bd349fbc44ed5225f8ad33006e5",
         {},
         true,
         {}}}},
      {"wsc",
       "Winograd Schema Challenge, 285 schemas",
       "CC BY 4.0",
       {file_at("https://cs.nyu.edu/faculty/davise/papers/WinogradSchemas/", "WSCollection.xml", 113235,
                "98c845a5b33c109f2c49742e726fac592bbb1fdc3b3706b604de12f9c9f58c91")}},
      {"dpr",
       "Definite pronoun resolution (Rahman and Ng), 1,322 + 564 sentences",
       "not stated",
       {file_at(kDefinitePronouns, "train.c.txt", 160409,
                "bc0a54b3ca1009d8d5b2ca5a221086aee2b0fc5cd03b22b9dfa9cdf44c629cec"),
        file_at(kDefinitePronouns, "test.c.txt", 67044,
                "cf1cf025e1d59a5b363e6dcfbd5a13aae8a9830831ac16fd7f865aca7a1559d8")}},
      {"commonsense-qa",
       "CommonsenseQA, 9,741 + 1,221 + 1,140 questions",
       "MIT",
       {file_at(kCommonsenseQa, "train_rand_split.jsonl", 3785890,
                "58ffa3c8472410e24b8c43f423d89c8a003d8284698a6ed7874355dedd09a2fb", "train.jsonl"),
        file_at(kCommonsenseQa, "dev_rand_split.jsonl", 471653,
                "3210497fdaae614ac085d9eb873dd7f4d49b6f965a93adadc803e1229fd8a02a", "dev.jsonl"),
        file_at(kCommonsenseQa, "test_rand_split_no_answers.jsonl", 423148,
                "b426896d71a9cd064cf01cfaf6e920817c51701ef66028883ac1af2e73ad5f29", "test.jsonl")}},
      {"atomic",
       "ATOMIC v4, 24,313 events",
       "CC BY 4.0",
       {archive_at("https://homes.cs.washington.edu/~msap/atomic/data/atomic_data.tgz", 19083782,
                   "f22779944e6613044d530875dd9592a333be2e3cb83d25493b36bba7c59b2ba9",
                   {"v4_atomic_trn.csv", "v4_atomic_dev.csv", "v4_atomic_tst.csv"})}},
      {"atomic-2020",
       "ATOMIC-2020, 1.33 million tuples",
       "CC BY",
       {archive_at("https://ai2-atomic.s3-us-west-2.amazonaws.com/data/atomic2020_data-feb2021.zip", 12580048,
                   "47c5f362ab4a3ea58c4962eebfdfd1c5420d3780e74cd3fe09efeef64f941c2b",
                   {"train.tsv", "dev.tsv", "test.tsv"})}},
      {"event2mind",
       "Event2Mind, 57,094 annotated events",
       "not stated",
       {archive_at("https://uwnlp.github.io/event2mind/data/event2mind.zip", 1300770,
                   "07dcd0a1278b474ffbe29eff309ff8e0c512521022e2623cbecd417402802a2e",
                   {"train.csv", "dev.csv", "test.csv"})}},
  };
}

std::string last_part(const std::string& url) { return url.substr(url.rfind('/') + 1); }

/// What an address leaves in the benchmark's folder.
std::vector<fs::path> results_of(const RemoteFile& file, const fs::path& folder) {
  if (file.whole_tree) return {folder / "tree"};
  if (file.members.empty()) return {folder / file.save_as};
  std::vector<fs::path> results;
  for (const auto& member : file.members) results.push_back(folder / last_part(member));
  return results;
}

void fetch(const RemoteFile& file, const fs::path& folder, const PullOptions& options) {
  DownloadRequest request;
  request.url = options.from.empty() ? file.url : options.from + "/" + last_part(file.url);
  request.size = file.size;
  request.sha256 = file.sha256;
  const bool packed = file.whole_tree || !file.members.empty();
  request.to = packed ? folder / last_part(file.url) : folder / file.save_as;
  // What a person has put there counts as fetched, if it is the right file.
  if (fs::exists(request.to)) {
    check_download(request, request.to);
  } else {
    download(request);
  }
  if (!packed) return;
  if (file.whole_tree) extract_tree(request.to, folder / "tree");
  for (const auto& member : file.members) extract_member(request.to, member, folder / last_part(member));
  fs::remove(request.to);
}

}  // namespace

std::span<const Benchmark> benchmarks() {
  static const std::vector<Benchmark> all = make_benchmarks();
  return all;
}

const Benchmark& benchmark(std::string_view name) {
  std::vector<std::string> known;
  for (const Benchmark& benchmark : benchmarks()) {
    if (benchmark.name == name) return benchmark;
    known.push_back(benchmark.name);
  }
  throw UserError(fmt::format("There is no benchmark {}. {}", in_quotes(name), suggest(name, known)));
}

std::vector<fs::path> find_benchmark(const std::string& name) {
  std::vector<fs::path> found;
  for (const auto& folder : data_folders()) {
    std::error_code ignored;
    const fs::path candidate = folder / name;
    if (!fs::is_directory(candidate, ignored)) continue;
    const bool has_files = std::any_of(fs::directory_iterator(candidate), fs::directory_iterator(),
                                       [](const auto& entry) { return entry.path().extension() != ".part"; });
    if (has_files) found.push_back(candidate);
  }
  return found;
}

std::vector<fs::path> pull_benchmark(const std::string& name, const PullOptions& options) {
  const Benchmark& wanted = benchmark(name);
  fs::path root = options.to;
  if (root.empty()) {
    const auto folders = data_folders();
    if (folders.empty()) throw UserError("There is no data folder. Set GUMPTION_DATA or HOME, or say --to.");
    root = folders.front();
  }
  const fs::path folder = root / name;
  std::vector<fs::path> results;
  for (const RemoteFile& file : wanted.files) {
    const auto paths = results_of(file, folder);
    const bool complete =
        std::all_of(paths.begin(), paths.end(), [](const fs::path& path) { return fs::exists(path); });
    // A plain file is checked every time; of what came out of an archive no sums are known.
    if (!complete || !file.save_as.empty()) fetch(file, folder, options);
    results.insert(results.end(), paths.begin(), paths.end());
  }
  return results;
}

}  // namespace gumption
