#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "support/shell.h"
#include "support/support.h"

namespace gumption::cli {
namespace {

using testing::HasSubstr;

/// What bash offers for a command line that ends in its last word.
std::string offered(const std::vector<std::string>& words) {
  const test::TemporaryFolder folder;
  std::string script = completion_script(make_commands(), "bash") + "COMP_WORDS=(";
  for (const auto& word : words) script += "'" + word + "' ";
  script += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) + "\n_gumption\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const auto result = test::run("bash", {folder.write("script", script).string()});
  EXPECT_EQ(result.err, "");
  return result.out;
}

TEST(Completion, BashKnowsCommandsOptionsAndValues) {
  EXPECT_THAT(offered({"gumption", "da"}), HasSubstr("data\n"));
  EXPECT_THAT(offered({"gumption", "data", "st"}), HasSubstr("stats\n"));
  EXPECT_THAT(offered({"gumption", "eval", "--sys"}), HasSubstr("--system\n"));
  EXPECT_EQ(offered({"gumption", "eval", "--system", "lo"}), "longest\n");
  EXPECT_THAT(offered({"gumption", "data", "pull", "soc"}), HasSubstr("social-iqa\n"));
}

TEST(Completion, EveryShellIsServed) {
  EXPECT_THAT(completion_script(make_commands(), "zsh"), HasSubstr("#compdef gumption"));
  EXPECT_THAT(completion_script(make_commands(), "fish"), HasSubstr("-l similarity"));
  EXPECT_THROW(completion_script(make_commands(), "tcsh"), UsageError);
}

}  // namespace
}  // namespace gumption::cli
