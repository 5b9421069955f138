#include "gumption/base/build_info.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

const BuildInfo& build_info() {
  static const BuildInfo info{
      GUMPTION_VERSION,
      GUMPTION_BUILD_TYPE,
      compiler_name(),
      {{"archives", "compressed and archived input (libarchive)", GUMPTION_WITH_ARCHIVES != 0},
       {"checksums", "SHA-256 of files (libsodium)", GUMPTION_WITH_CHECKSUMS != 0},
       {"cluster", "several processes as one (LibTorch's process groups over Gloo)", GUMPTION_WITH_CLUSTER != 0},
       {"download", "fetching benchmarks, asking search clusters (libcurl)", GUMPTION_WITH_DOWNLOAD != 0},
       {"hits", "document hits from a search index (Xapian)", GUMPTION_WITH_HITS != 0},
       {"libtorch", "models (LibTorch)", GUMPTION_WITH_LIBTORCH != 0},
       {"sentences", "sentence splitting (ICU)", GUMPTION_WITH_SENTENCES != 0},
       {"simdjson", "fast JSON Lines (simdjson)", GUMPTION_WITH_SIMDJSON != 0},
       {"stems", "Porter and English stems (libstemmer)", GUMPTION_WITH_STEMS != 0},
       {"tensorflow", "TensorFlow checkpoints (LevelDB)", GUMPTION_WITH_TENSORFLOW != 0},
       {"xml", "XML benchmarks (pugixml)", GUMPTION_WITH_XML != 0}}};
  return info;
}

namespace {

const Feature& feature_of(const std::string& name) {
  const auto& features = build_info().features;
  const auto found =
      std::find_if(features.begin(), features.end(), [&](const Feature& feature) { return feature.name == name; });
  ensure(found != features.end(), "a feature of that name exists");
  return *found;
}

}  // namespace

bool has_feature(const std::string& name) { return feature_of(name).built_in; }

void require_feature(const std::string& name) {
  if (has_feature(name)) return;
  std::string option = name;
  std::transform(option.begin(), option.end(), option.begin(), [](unsigned char c) { return std::toupper(c); });
  throw UserError(
      fmt::format("This build has no {}. Build with -DGUMPTION_WITH_{}=ON.", feature_of(name).what, option));
}

}  // namespace gumption
