#include "gumption/systems/score_log.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "gumption/base/error.h"

namespace gumption {

namespace fs = std::filesystem;

std::string score_line(const Question& question, const Answer& answer) {
  nlohmann::ordered_json row;
  row["id"] = question.id;
  row["scores"] = answer.scores;
  row["choice"] = answer.choice;
  if (question.label) row["label"] = *question.label;
  if (!answer.token_log_probabilities.empty()) row["token_log_probabilities"] = answer.token_log_probabilities;
  return row.dump();
}

void AnsweredIds::add(std::string_view id) {
  // FNV-1a, with the length before each id so that "a", "bc" is not "ab", "c".
  constexpr std::uint64_t kPrime = 0x100000001b3;
  digest = (digest ^ id.size()) * kPrime;
  for (const char c : id) digest = (digest ^ static_cast<unsigned char>(c)) * kPrime;
  ++count;
}

ScoreLog::ScoreLog(const fs::path& out, const std::string& description) : path_(out.string() + ".partial") {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw UserError(fmt::format("{}: can't write it: {}.", path_.string(), system_message(errno)));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw UserError(
        fmt::format("{}: another process is writing it. Wait for it, or take another --out.", path_.string()));
  }
  try {
    take_over(description);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ScoreLog::~ScoreLog() {
  if (!has_answers_) remove();
  ::close(descriptor_);
}

void ScoreLog::take_over(const std::string& description) {
  std::ifstream file(path_, std::ios::binary);
  std::string line;
  std::streamoff whole = 0;
  // A last line without its end was cut off by the kill.
  const auto next = [&] { return std::getline(file, line) && !file.eof(); };
  const bool has_first = next();
  if (has_first && line != description && next()) {
    throw UserError(
        fmt::format("{}: it holds answers of a run with other settings, data or model. Give those again to go "
                    "on with it, remove it, or take another --out.",
                    path_.string()));
  }
  if (has_first && line == description) {
    whole = static_cast<std::streamoff>(line.size()) + 1;
    while (next()) {
      const auto row = nlohmann::json::parse(line, nullptr, false);
      if (row.is_discarded() || !row.contains("id") || !row["id"].is_string()) break;
      answered_.add(row["id"].get_ref<const std::string&>());
      whole += static_cast<std::streamoff>(line.size()) + 1;
    }
  }
  if (::ftruncate(descriptor_, whole) != 0 || ::lseek(descriptor_, whole, SEEK_SET) < 0) {
    throw UserError(fmt::format("{}: can't write it: {}.", path_.string(), system_message(errno)));
  }
  if (whole == 0) add(description + "\n");
  has_answers_ = answered_.count > 0;
}

void ScoreLog::add(const std::string& lines) {
  has_answers_ = true;
  std::size_t done = 0;
  while (done < lines.size()) {
    const ssize_t written = ::write(descriptor_, lines.data() + done, lines.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw UserError(fmt::format("{}: can't write it: {}. What is there is kept: the same command goes on from it.",
                                  path_.string(), system_message(errno)));
    }
    done += static_cast<std::size_t>(written);
  }
}

void ScoreLog::read(const std::function<void(const std::string&)>& take) const {
  std::ifstream file(path_, std::ios::binary);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) take(line);
}

void ScoreLog::remove() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace gumption
