#include "cli/app.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/base/progress.h"

#include "cli/command.h"
#include "cli/engine.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

constexpr int kInputAtFault = 1;
constexpr int kWrongUsage = 2;
constexpr int kOurBug = 70;

/// "How many (whole number, 1 to 10, default 3)"
std::string explanation_of(const Option& option) {
  std::string details;
  const auto add = [&](const std::string& detail) { details += (details.empty() ? "" : ", ") + detail; };
  if (!option.range.empty()) add(option.range);
  if (option.repeats) add("may be given several times");
  if (!option.is_flag && !option.default_value.empty()) add("default " + option.default_value);
  return details.empty() ? option.meaning : fmt::format("{} ({})", option.meaning, details);
}

/// What stands behind the flag in help: "N", "FILE", "a|b|c".
std::string value_name(const Option& option) {
  if (!option.values.empty()) {
    std::string names;
    for (const auto& value : option.values) {
      if (!value.empty()) names += (names.empty() ? "" : "|") + value;
    }
    return names;
  }
  if (option.takes_file) return "FILE";
  if (option.kind == "whole number") return "N";
  if (option.kind == "number") return "X";
  if (option.kind == "list") return "X,X,…";
  return "TEXT";
}

void set_option(const Option& option, const std::string& value) {
  try {
    option.set(value);
  } catch (const UserError& error) {
    throw UsageError(fmt::format("--{}", error.what()));
  }
}

void add_option(CLI::App& app, const Option& option) {
  const std::string explanation = explanation_of(option);
  if (option.is_flag) {
    app.add_flag_callback(
        option.flag(), [option] { set_option(option, "true"); }, explanation);
    return;
  }
  auto* added = app.add_option_function<std::vector<std::string>>(
      option.flag(),
      [option](const std::vector<std::string>& values) {
        for (const auto& value : values) set_option(option, value);
      },
      explanation);
  added->type_name(value_name(option))->allow_extra_args(false)->expected(1);
  if (option.takes_several) added->allow_extra_args(true)->expected(1, std::numeric_limits<int>::max());
  // A repeated plain option is more often a slip than a wish.
  added->multi_option_policy(option.repeats ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::Throw);
}

void add_operand(CLI::App& app, const Operand& operand) {
  auto* added = app.add_option_function<std::vector<std::string>>(
      operand.name, [&values = *operand.values](const std::vector<std::string>& given) { values = given; },
      operand.meaning);
  added->type_name("");
  if (operand.required) added->required();
  if (!operand.repeats) added->expected(1)->allow_extra_args(false);
}

/// A parsed command line: the command to run and its common options.
struct Chosen {
  const Command* command = nullptr;
  CommonOptions common;
};

/// Builds CLI11's tree over ours. `command` and `chosen` must outlive `app`.
void build(CLI::App& app, const Command& command, Chosen& chosen) {
  app.set_help_flag("-h,--help", "Print this help");
  app.get_formatter()->column_width(34);
  if (!command.examples.empty()) {
    std::string footer = command.examples.size() == 1 ? "Example:" : "Examples:";
    for (const auto& example : command.examples) footer += "\n  " + example;
    app.footer(footer);
  }
  for (const Operand& operand : command.operands) add_operand(app, operand);
  for (const Option& option : command.options.options()) add_option(app, option);
  if (command.children.empty()) {
    for (const Option& option : describe(chosen.common).options()) add_option(app, option);
    app.callback([&command, &chosen] { chosen.command = &command; });
    return;
  }
  app.require_subcommand(0, 1);
  for (const Command& child : command.children) build(*app.add_subcommand(child.name, child.about), child, chosen);
}

void print_version(bool as_json) {
  const BuildInfo& info = build_info();
  if (!as_json) {
    fmt::print("gumption {}\n", info.version);
    return;
  }
  nlohmann::ordered_json json;
  json["version"] = info.version;
  json["build_type"] = info.build_type;
  json["compiler"] = info.compiler;
  for (const Feature& feature : info.features) json["features"][feature.name] = feature.built_in;
  print_json(json);
}

void print_error(const std::string& message) { fmt::print(stderr, "gumption: {}\n", message); }

int run_chosen(const Chosen& chosen) {
  if (!chosen.common.quiet && ::isatty(STDERR_FILENO) == 1) set_progress_output(stderr);
  const int code = chosen.command->run(chosen.common);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw UserError("can't write the result to standard output");
  return code;
}

/// The innermost command that was named, for "gumption data" alone.
const CLI::App& innermost(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : innermost(*named.front());
}

/// "gumption data" for the group that holds a command.
std::string path_above(const CLI::App& app) {
  std::string path;
  for (const CLI::App* above = app.get_parent(); above != nullptr; above = above->get_parent()) {
    path.insert(0, above->get_name() + (path.empty() ? "" : " "));
  }
  return path;
}

/// CLI11's message, with a suggestion for a mistyped option or command.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& place = innermost(app);
  std::string message = error.what();
  const auto extras = place.remaining();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !extras.empty()) {
    std::vector<std::string> known;
    for (const CLI::Option* option : place.get_options()) {
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    }
    for (const CLI::App* child : place.get_subcommands(nullptr)) known.push_back(child->get_name());
    // Behind a mistyped command nothing is known; behind a mistyped option its value isn't either.
    const auto is_option = [](const std::string& extra) { return extra.starts_with("-"); };
    const bool takes_commands = !place.get_subcommands(nullptr).empty();
    const auto option = std::find_if(extras.begin(), extras.end(), is_option);
    const std::string& wrong = takes_commands || option == extras.end() ? extras.front() : *option;
    message = fmt::format("{} is not known here. {}", in_quotes(wrong), suggest(wrong, known));
  } else {
    message += '.';
  }
  const std::string above = path_above(place);
  return fmt::format("{} See {}{}{} --help.", message, above, above.empty() ? "" : " ", place.get_name());
}

int parse_and_run(int argc, char** argv) {
  const Command root = make_commands();
  Chosen chosen;
  chosen.common.words.assign(argv, argv + argc);
  CLI::App app(root.about, root.name);
  bool version = false;
  bool json = false;
  app.add_flag("--version", version, "Print the version (with --json: what is built in)");
  app.add_flag("--json", json, "With --version: as JSON")->group("");
  build(app, root, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(app, error));
  }
  if (version) {
    print_version(json);
    return 0;
  }
  if (chosen.command == nullptr) {
    const CLI::App& place = innermost(app);
    fmt::print(stderr, "{}", place.help(path_above(place)));
    return kWrongUsage;
  }
  if (chosen.command->needs_engine && chosen.command->needs_engine()) become_engine(argv);
  return run_chosen(chosen);
}

}  // namespace

int run_program(int argc, char** argv) {
  // A reader that leaves early (`gumption … | head`) ends us quietly; a full disk is reported by the write itself.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return parse_and_run(argc, argv);
  } catch (const UsageError& error) {
    print_error(error.what());
    return kWrongUsage;
  } catch (const UserError& error) {
    print_error(error.what());
    return kInputAtFault;
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(fmt::format("{}: {}.", error.path1().string(), error.code().message()));
    return kInputAtFault;
  } catch (const std::bad_alloc&) {
    print_error("out of memory. Try --limit, or a smaller input.");
    return kInputAtFault;
  } catch (const std::exception& error) {
    print_error(fmt::format("a bug in gumption, please report it: {}", error.what()));
    return kOurBug;
  }
}

}  // namespace gumption::cli
