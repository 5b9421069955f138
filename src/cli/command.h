#pragma once

// Commands as data: what help, parsing and shell completion are made from.

#include <functional>
#include <string>
#include <vector>

#include "gumption/base/options.h"

namespace gumption::cli {

/// Options that every command has.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  std::uint64_t threads = 0;
  std::vector<std::string> words = {};  // no option: the command line, with the program as its first word
};
OptionSet describe(CommonOptions& options);

/// Words on the command line that belong to no option.
struct Operand {
  std::string name;
  std::string meaning;
  std::vector<std::string>* values = nullptr;  // must outlive the command
  bool required = true;
  bool repeats = false;
  bool takes_file = true;
  std::vector<std::string> known = {};  // what it can be, for completion
};

/// A command, or a group of them when it has children (it then has no run()). `run` owns whatever the options and
/// operands are bound to, and returns the exit code.
struct Command {
  std::string name;
  std::string about;
  std::vector<std::string> examples;
  std::vector<Operand> operands;
  OptionSet options;
  std::function<int(const CommonOptions&)> run;
  std::function<bool()> needs_engine;  // whether, as it was called, it needs LibTorch; empty: never
  std::vector<Command> children;
};

/// The whole tree; its root is the program.
Command make_commands();

// One for each file of a command.
Command corpus_build_command();
Command corpus_count_command();
Command corpus_info_command();
Command corpus_index_command();
Command data_check_command();
Command data_convert_command();
Command data_list_command();
Command data_pull_command();
Command data_show_command();
Command data_split_command();
Command data_stats_command();
Command doctor_command();
Command eval_command();
Command measure_agreement_command();
Command measure_compare_command();
Command measure_effect_command();
Command model_convert_command();
Command model_info_command();
Command model_list_command();
Command model_pull_command();
Command model_remove_command();
Command score_command();
Command systems_command();
Command tokenize_command();
Command train_command();
Command completion_command();

}  // namespace gumption::cli
