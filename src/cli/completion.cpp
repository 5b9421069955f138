#include "cli/completion.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gumption/base/error.h"

namespace gumption::cli {

namespace {

std::vector<Option> options_of(const Command& command) {
  std::vector<Option> options = command.options.options();
  if (!command.children.empty()) return options;
  CommonOptions common;
  for (const Option& option : describe(common).options()) options.push_back(option);
  return options;
}

/// Calls visit(command, path) for the command and all below it; the path leaves the program's name out.
template <class Visit>
void for_each_command(const Command& command, const std::string& path, Visit&& visit) {
  visit(command, path);
  for (const Command& child : command.children) {
    for_each_command(child, path.empty() ? child.name : path + " " + child.name, visit);
  }
}

std::string words_for(const Command& command) {
  std::vector<std::string> words;
  for (const Command& child : command.children) words.push_back(child.name);
  for (const Option& option : options_of(command)) words.push_back(option.flag());
  for (const Operand& operand : command.operands) words.insert(words.end(), operand.known.begin(), operand.known.end());
  words.emplace_back("--help");
  return fmt::format("{}", fmt::join(words, " "));
}

bool takes_files(const Command& command) {
  for (const Operand& operand : command.operands) {
    if (operand.takes_file) return true;
  }
  return false;
}

/// bash: one case for each command; behind an option with known values, these; else words and files.
std::string bash_script(const Command& root) {
  std::string values;
  std::string commands;
  for_each_command(root, "", [&](const Command& command, const std::string& path) {
    commands +=
        fmt::format("    \"{}\") words=\"{}\"; files={} ;;\n", path, words_for(command), takes_files(command) ? 1 : 0);
    for (const Option& option : options_of(command)) {
      if (option.is_flag) continue;
      const std::string then =
          option.takes_file
              ? "COMPREPLY=($(compgen -f -- \"$current\")); return"
              : fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return", fmt::join(option.values, " "));
      values += fmt::format("    \"{} {}\") {} ;;\n", path, option.flag(), then);
    }
  });
  return fmt::format(R"(# bash completion for gumption; load with: source <(gumption completion bash)
_gumption() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path="" words="" files=0 word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    case "${{path:+$path }}$word" in
{}    esac
  done
  case "$path $previous" in
{}  esac
  case "$path" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if ((files)); then COMPREPLY+=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _gumption gumption
)",
                     [&] {
                       std::string steps;
                       for_each_command(root, "", [&](const Command&, const std::string& path) {
                         if (!path.empty()) steps += fmt::format("      \"{0}\") path=\"{0}\" ;;\n", path);
                       });
                       return steps;
                     }(),
                     values, commands);
}

/// zsh runs bash completions through its own layer.
std::string zsh_script(const Command& root) {
  return "#compdef gumption\n# zsh completion for gumption; load with: source <(gumption completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(root);
}

std::string fish_quoted(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return "'" + escaped + "'";
}

std::string fish_script(const Command& root) {
  std::string script =
      "# fish completion for gumption; load with: gumption completion fish | source\n"
      "function __gumption_at\n"
      "  set -l words (commandline -opc | string match -v -- '-*')[2..-1]\n"
      "  set -l wanted (string split ' ' -- $argv[1])\n"
      "  test -z \"$argv[1]\"; and set wanted\n"
      "  set -l count (count $wanted)\n"
      "  test (count $words) -ge $count; or return 1\n"
      "  test $count -eq 0; and begin; test (count $words) -eq 0; return $status; end\n"
      "  test \"$words[1..$count]\" = \"$wanted\"\n"
      "end\n"
      "complete -c gumption -f\n";
  for_each_command(root, "", [&](const Command& command, const std::string& path) {
    const std::string at = fmt::format("complete -c gumption -n {}", fish_quoted("__gumption_at " + fish_quoted(path)));
    for (const Command& child : command.children) {
      script += fmt::format("{} -a {} -d {}\n", at, child.name, fish_quoted(child.about));
    }
    for (const Option& option : options_of(command)) {
      script += fmt::format("{} -l {} -d {}", at, option.flag().substr(2), fish_quoted(option.meaning));
      if (!option.is_flag) script += option.takes_file ? " -r -F" : " -x";
      if (!option.values.empty())
        script += fmt::format(" -a {}", fish_quoted(fmt::format("{}", fmt::join(option.values, " "))));
      script += "\n";
    }
    if (takes_files(command)) script += at + " -F\n";
    for (const Operand& operand : command.operands) {
      if (!operand.known.empty())
        script += fmt::format("{} -a {}\n", at, fish_quoted(fmt::format("{}", fmt::join(operand.known, " "))));
    }
  });
  return script;
}

}  // namespace

std::string completion_script(const Command& root, const std::string& shell) {
  if (shell == "bash") return bash_script(root);
  if (shell == "zsh") return zsh_script(root);
  if (shell == "fish") return fish_script(root);
  throw UsageError(fmt::format("SHELL: expected bash, zsh or fish, found {}.", in_quotes(shell)));
}

Command completion_command() {
  auto shell = std::make_shared<std::vector<std::string>>();
  Command command;
  command.name = "completion";
  command.about = "Print a completion script for a shell";
  command.examples = {"source <(gumption completion bash)", "gumption completion fish | source"};
  command.operands = {{"SHELL", "bash, zsh or fish", shell.get(), true, false, false, {"bash", "zsh", "fish"}}};
  command.run = [shell](const CommonOptions&) {
    fmt::print("{}", completion_script(make_commands(), shell->front()));
    return 0;
  };
  return command;
}

}  // namespace gumption::cli
