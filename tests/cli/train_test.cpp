// Training through the program: refusals, kills, several processes.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/build_info.h"
#include "gumption/weights/tensor_store.h"

#include "support/processes.h"
#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::gumption;
using test::RunResult;
using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Twenty questions and the tiny reference BERT.
class Train : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_feature("libtorch")) GTEST_SKIP() << "built without LibTorch";
    model_ = test::shared_file("golden/bert-multiple-choice").string();
    if (model_.empty()) GTEST_SKIP() << "needs golden/bert-multiple-choice of the reference data; set GUMPTION_SHARED";
    std::string lines;
    for (int i = 0; i < 20; ++i) {
      nlohmann::json question;
      question["id"] = std::to_string(i);
      question["context"] = "Robin saw number " + std::to_string(i) + " in the park.";
      question["question"] = "What happens next?";
      question["choices"] = {"robin waves", "the park is " + std::to_string(i % 3), "nothing"};
      question["label"] = i % 3;
      lines += question.dump() + "\n";
    }
    data_ = folder_.write("questions.jsonl", lines);
  }

  std::string out(const std::string& name) const { return (folder_.path() / name).string(); }

  /// Compared as a whole: megabytes of weights say nothing in a failure's message.
  bool same_model(const std::string& a, const std::string& b) const {
    return test::read_bytes(fs::path(out(a)) / "model.safetensors") ==
           test::read_bytes(fs::path(out(b)) / "model.safetensors");
  }

  Words command(const std::string& name, const Words& more = {}) const {
    return Words{"train",   "--system", "bert", "--model", model_, "--data",    data_, "--out",
                 out(name), "--lr",     "1e-3", "--batch", "8",    "--threads", "1",   "--quiet"} +
           more;
  }

  test::TemporaryFolder folder_;
  std::string model_;
  std::string data_;
};

TEST_F(Train, SaysWhatItDid) {
  const RunResult run = gumption(command("run", {"--steps", "3", "--dev", data_, "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["steps"], 3);
  EXPECT_TRUE(json.contains("dev_accuracy"));
  const RunResult scores = gumption({"eval", "--model", out("run"), "--data", data_, "--json"});
  ASSERT_EQ(scores.exit_code, 0) << scores.err;
  EXPECT_EQ(nlohmann::json::parse(scores.out)["accuracy"], json["dev_accuracy"]);
}

TEST_F(Train, AskingOtherwiseThanTrainedIsSaid) {
  ASSERT_EQ(gumption(command("run", {"--steps", "1", "--set", "no_context=true"})).exit_code, 0);
  const Words asking = {"eval", "--model", out("run"), "--data", data_};
  EXPECT_THAT(gumption(asking).err, HasSubstr("was trained with no_context=true, and is asked with no_context=false"));
  EXPECT_THAT(gumption(asking + Words{"--set", "no_context=true"}).err, Not(HasSubstr("was trained with")));
  const RunResult other = gumption(asking + Words{"--set", "no_context=true", "--set", "template=cosmos-qa"});
  EXPECT_THAT(other.err, HasSubstr("and is asked with template=cosmos-qa"));
}

TEST_F(Train, CountsInWords) {
  const std::string of_one = gumption(command("one", {"--steps", "1", "--dev", data_})).out;
  EXPECT_THAT(of_one, AllOf(HasSubstr("one: 1 step, "), HasSubstr("at step 1, which is kept")));
  Words words = command("many", {"--steps", "1001", "--eval-steps", "1001", "--dev", data_});
  *(std::find(words.begin(), words.end(), "--batch") + 1) = "1";
  const std::string of_many = gumption(words).out;
  EXPECT_THAT(of_many, AllOf(HasSubstr("many: 1,001 steps, "), HasSubstr("at step 1,001, which is kept")));
}

TEST_F(Train, RefusesWhatCannotBeTrained) {
  const auto refusal = [&](const Words& words) {
    const RunResult run = gumption(words);
    EXPECT_NE(run.exit_code, 0);
    EXPECT_FALSE(fs::exists(out("bad")));
    return run.err;
  };
  const std::string unlabelled =
      folder_.write("unlabelled.jsonl", R"({"id":"7","context":"a","question":"b","choices":["c","d"]})"
                                        "\n");
  Words words = command("bad");
  words[6] = unlabelled;
  EXPECT_THAT(refusal(words), AllOf(HasSubstr("expected a label for every question"), HasSubstr("\"7\"")));
  words[6] = out("none.jsonl");
  EXPECT_THAT(refusal(words), HasSubstr("none.jsonl"));
  EXPECT_THAT(refusal(command("bad", {"--set", "learning_rate=1"})), HasSubstr("learning_rate"));
  EXPECT_THAT(refusal(command("bad", {"--schedule", "cosine"})), HasSubstr("linear"));
  EXPECT_THAT(refusal(command("bad", {"--text", data_})), HasSubstr("--data"));
  EXPECT_THAT(refusal({"train", "--system", "mlm", "--model", model_, "--out", out("bad")}), HasSubstr("--text"));
  EXPECT_THAT(refusal({"train", "--model", model_, "--data", data_, "--out", out("bad")}), HasSubstr("--system"));
}

TEST_F(Train, SaysWhatDevSharesWithTheData) {
  Words words = command("run", {"--steps", "1", "--dev", data_});
  words.erase(std::find(words.begin(), words.end(), "--quiet"));
  EXPECT_THAT(gumption(words).err, HasSubstr("20 of the 20 questions"));
}

TEST_F(Train, GoesOnOnlyWithTheSameSettings) {
  ASSERT_EQ(gumption(command("run", {"--steps", "2"})).exit_code, 0);
  EXPECT_THAT(gumption(command("run", {"--steps", "2"})).err, HasSubstr("--resume"));
  EXPECT_THAT(gumption(command("run", {"--steps", "3", "--resume"})).err,
              AllOf(HasSubstr("expected steps = \"2\""), HasSubstr("found steps = \"3\"")));
  EXPECT_EQ(gumption(command("run", {"--steps", "2", "--resume"})).exit_code, 0);
}

/// The rate of a warm-up's first step is 0, so that a good state is saved before the second step spoils everything.
TEST_F(Train, ADivergingRateLeavesTheSavedState) {
  Words words = command("run", {"--steps", "9", "--warmup", "0.5", "--save-steps", "1"});
  *(std::find(words.begin(), words.end(), "--lr") + 1) = "1e30";
  const RunResult diverged = gumption(words);
  EXPECT_EQ(diverged.exit_code, 1);
  EXPECT_THAT(diverged.err, HasSubstr("What was saved before stays as it is"));
  const auto state = open_safetensors(fs::path(out("run")) / "training/state.safetensors");
  const StoredTensor* weights = state->find("weights.0");
  ASSERT_NE(weights, nullptr);
  for (std::size_t at = 0; at < weights->bytes.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, weights->bytes.data() + at, sizeof(float));
    ASSERT_TRUE(std::isfinite(value));
  }
}

TEST_F(Train, AfterADivergingRateASmallerOneTakesTheFolder) {
  const auto words = [&](const std::string& rate) {
    Words all = command("run", {"--steps", "9", "--warmup", "0"});
    *(std::find(all.begin(), all.end(), "--lr") + 1) = rate;
    return all;
  };
  const RunResult diverged = gumption(words("1e30"));
  EXPECT_EQ(diverged.exit_code, 1);
  EXPECT_THAT(diverged.err, HasSubstr("Nothing was saved"));
  EXPECT_THAT(gumption(words("1e-3") + Words{"--resume"}).err, HasSubstr("leave --resume out"));
  const RunResult again = gumption(words("1e-3"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(gumption(words("1e-3")).err, HasSubstr("a run is there already"));
}

/// The step and the command in "stopped after step 7 of 100. To go on: gumption train …".
struct Stop {
  int step = 0;
  std::string command;
};
Stop stop_in(const std::string& message) {
  Stop stop;
  const std::string before = "stopped after step ";
  const std::string between = " of 1,000,000. To go on: ";
  const std::size_t start = message.find(before);
  const std::size_t middle = message.find(between);
  if (start == std::string::npos || middle == std::string::npos) return stop;
  std::string step = message.substr(start + before.size(), middle - start - before.size());
  step.erase(std::remove(step.begin(), step.end(), ','), step.end());
  stop.step = std::stoi(step);
  stop.command = message.substr(middle + between.size());
  return stop;
}

/// Runs a command and sends it a signal once it has logged another step in `out`.
RunResult stop_in_training(const std::string& signal, const std::string& out, const Words& words) {
  const std::string script = R"sh(signal=$1; log=$2; shift 2
lines() { cat "$log" 2> /dev/null | wc -l; }
before=$(lines)
"$@" & child=$!
while kill -0 $child 2> /dev/null && [ "$(lines)" -le "$before" ]; do sleep 0.05; done
kill -s "$signal" $child
wait $child)sh";
  return test::run("sh", Words{"-c", script, "sh", signal, out + "/log.jsonl"} + words);
}

TEST_F(Train, NamesTheCommandThatGoesOn) {
  const std::string data = folder_.write("it's data.jsonl", test::read_bytes(data_));
  Words words = command("run", {"--steps", "1000000"});
  *(std::find(words.begin(), words.end(), "--data") + 1) = data;
  words.erase(std::find(words.begin(), words.end(), "--quiet"));
  const RunResult first = stop_in_training("TERM", out("run"), Words{test::program().string()} + words);
  EXPECT_EQ(first.exit_code, 128 + SIGTERM);
  const Stop stop = stop_in(first.err);
  EXPECT_GT(stop.step, 0) << first.err;
  EXPECT_THAT(stop.command, AllOf(HasSubstr("'\\''s data.jsonl'"), testing::EndsWith(" --resume\n")));
  const RunResult second = stop_in_training("TERM", out("run"), {"sh", "-c", "exec " + stop.command});
  EXPECT_EQ(second.exit_code, 128 + SIGTERM);
  EXPECT_GT(stop_in(second.err).step, stop.step) << second.err;
  EXPECT_EQ(stop_in(second.err).command, stop.command);
}

/// Killed again and again at random moments, a run ends with the same bytes. GUMPTION_LONG_TESTS: more often.
TEST_F(Train, KilledAndResumedEqualsUninterrupted) {
  const bool is_long = std::getenv("GUMPTION_LONG_TESTS") != nullptr;
  const int kills_wanted = is_long ? 25 : 4;
  const Words settings = {
      "--steps", is_long ? "1200" : "120", "--save-steps", "2", "--eval-steps", "7", "--dev", data_, "--dropout",
      "0.1"};
  ASSERT_EQ(gumption(command("whole", settings)).exit_code, 0);
  std::mt19937 random(7);
  int kills = 0;
  RunResult last;
  do {
    Words words = command("killed", settings);
    if (fs::exists(fs::path(out("killed")) / "training/run.json")) words.push_back("--resume");
    const std::string after = std::to_string(0.45 + 0.5 * static_cast<double>(random() % 1000) / 1000);
    last = kills < kills_wanted ? test::run("timeout", Words{"-s", "KILL", after, test::program().string()} + words)
                                : gumption(words);
    if (last.exit_code == 137 || last.exit_code == 128 + 9) ++kills;
  } while (last.exit_code == 137 && kills <= kills_wanted);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_GE(kills, is_long ? 20 : 2);
  EXPECT_TRUE(same_model("killed", "whole"));
}

/// A scheduler's signal saves and ends; a disk that is full then leaves what was saved.
TEST_F(Train, AFullDiskLeavesTheLastState) {
  const Words settings = {"--steps", "2000", "--save-steps", "50"};
  const Words words = Words{test::program().string()} + command("run", settings);
  const RunResult stopped = test::run("timeout", Words{"-s", "TERM", "1.5"} + words);
  ASSERT_EQ(stopped.exit_code, 124);  // what timeout says; the program's own would be 143
  const fs::path state = fs::path(out("run")) / "training/state.safetensors";
  const std::string saved = test::read_bytes(state);
  ASSERT_FALSE(saved.empty());
  std::string line = "ulimit -f 1000; exec";  // half a megabyte, or one: shells differ; a state has 6
  for (const std::string& word : words + Words{"--resume"}) line += " '" + word + "'";
  const RunResult full = test::run("sh", {"-c", line});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("state.safetensors"));
  EXPECT_TRUE(test::read_bytes(state) == saved);
}

/// The largest difference of two models' weights, relative to each tensor's largest.
double distance_of(const fs::path& a, const fs::path& b) {
  const auto first = open_safetensors(a / "model.safetensors");
  const auto second = open_safetensors(b / "model.safetensors");
  double worst = 0;
  for (const StoredTensor& tensor : first->tensors()) {
    const StoredTensor* other = second->find(tensor.name);
    if (other == nullptr || other->bytes.size() != tensor.bytes.size()) return INFINITY;
    const auto number = [](const StoredTensor& of, std::size_t i) {
      float value = 0;
      std::memcpy(&value, of.bytes.data() + i * sizeof(float), sizeof(float));
      return value;
    };
    double most = 1e-3;
    double apart = 0;
    for (std::size_t i = 0; i < tensor.bytes.size() / sizeof(float); ++i) {
      most = std::max<double>(most, std::fabs(number(tensor, i)));
      apart = std::max<double>(apart, std::fabs(number(tensor, i) - number(*other, i)));
    }
    worst = std::max(worst, apart / most);
  }
  return worst;
}

/// One command for each of two processes, begun together.
std::vector<RunResult> launch(const std::vector<Words>& programs) {
  const std::uint16_t port = test::free_port();
  std::vector<RunResult> results(programs.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    threads.emplace_back([&, rank] {
      test::RunOptions options;
      options.environment = test::launcher_variables(rank, programs.size(), port);
      const Words& words = programs[rank];
      results[rank] = test::run(words.front(), {words.begin() + 1, words.end()}, options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

TEST_F(Train, TwoProcessesLearnWhatOneDoes) {
  if (!has_feature("cluster")) GTEST_SKIP() << "built without the feature";
  const Words settings = {"--steps", "10", "--dev", data_, "--dropout", "0.1"};
  ASSERT_EQ(gumption(command("one", settings)).exit_code, 0);
  const Words words = Words{test::program().string()} + command("two", settings);
  const auto results = launch({words, words});
  for (const RunResult& result : results) ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(results[1].out, "");
  EXPECT_LT(distance_of(out("one"), out("two")), 1e-5);
}

TEST_F(Train, WhereOneOfTwoDiesTheOtherSaysSoAndTheyGoOn) {
  if (!has_feature("cluster")) GTEST_SKIP() << "built without the feature";
  const Words settings = {"--steps", "300", "--save-steps", "5", "--dropout", "0.1"};
  const Words words = Words{test::program().string()} + command("two", settings);
  const auto results = launch({words, Words{"timeout", "-s", "KILL", "1.5"} + words});
  ASSERT_NE(results[1].exit_code, 0);
  EXPECT_EQ(results[0].exit_code, 1);
  EXPECT_THAT(results[0].err, HasSubstr("has ended or can't be reached"));
  for (const RunResult& result : launch({words + Words{"--resume"}, words + Words{"--resume"}})) {
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  const auto whole = launch({Words{test::program().string()} + command("whole", settings),
                             Words{test::program().string()} + command("whole", settings)});
  for (const RunResult& result : whole) ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(same_model("two", "whole"));
}

/// Of seven questions one process has three, which go through as one batch, and the other four, which don't: both must
/// still update by the same numbers, or a resumed run, in which the second takes over the first's weights, differs.
TEST_F(Train, ProcessesWithDifferentNumbersOfBatchesStayTogether) {
  if (!has_feature("cluster")) GTEST_SKIP() << "built without the feature";
  const Words settings = {"--steps", "200",         "--save-steps", "5",     "--dropout",
                          "0.1",     "--precision", "bfloat16",     "--set", "batch_tokens=200"};
  const auto words = [&](const std::string& name) {
    Words all = Words{test::program().string()} + command(name, settings);
    *(std::find(all.begin(), all.end(), "--batch") + 1) = "7";
    return all;
  };
  for (const RunResult& result : launch({words("whole"), words("whole")})) ASSERT_EQ(result.exit_code, 0) << result.err;
  launch({words("two"), Words{"timeout", "-s", "TERM", "1.5"} + words("two")});
  for (const RunResult& result : launch({words("two") + Words{"--resume"}, words("two") + Words{"--resume"}})) {
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_TRUE(same_model("two", "whole"));
}

}  // namespace
}  // namespace gumption
