// What every command owes its users, checked over the whole tree.

#include <functional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "support/shell.h"

namespace gumption::cli {
namespace {

void for_each_command(const Command& command, const std::vector<std::string>& path,
                      const std::function<void(const Command&, const std::vector<std::string>&)>& visit) {
  visit(command, path);
  for (const Command& child : command.children) {
    auto below = path;
    below.push_back(child.name);
    for_each_command(child, below, visit);
  }
}

TEST(Commands, NoOptionNameStandsTwice) {
  for_each_command(make_commands(), {}, [](const Command& command, const auto&) {
    CommonOptions common;
    std::set<std::string> names;
    for (const Option& option : describe(common).options()) EXPECT_TRUE(names.insert(option.flag()).second);
    for (const Option& option : command.options.options()) {
      EXPECT_TRUE(names.insert(option.flag()).second) << command.name << " " << option.name;
      EXPECT_FALSE(option.meaning.empty()) << option.name;
    }
  });
}

TEST(Commands, EachHasHelpWithAnExample) {
  for_each_command(make_commands(), {}, [](const Command& command, std::vector<std::string> path) {
    EXPECT_FALSE(command.about.empty()) << command.name;
    EXPECT_FALSE(command.examples.empty()) << command.name;
    EXPECT_EQ(command.children.empty(), static_cast<bool>(command.run)) << command.name;
    path.push_back("--help");
    const auto result = test::gumption(path);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, testing::HasSubstr(command.examples.front()));
    EXPECT_EQ(result.err, "");
    for (const Option& option : command.options.options()) {
      EXPECT_THAT(result.out, testing::HasSubstr(option.flag() + (option.is_flag ? "" : " "))) << command.name;
    }
  });
}

}  // namespace
}  // namespace gumption::cli
