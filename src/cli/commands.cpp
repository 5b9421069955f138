#include "cli/command.h"

namespace gumption::cli {

OptionSet describe(CommonOptions& options) {
  OptionSet set;
  set.add("json", options.json, "Print the result as JSON");
  set.add("quiet", options.quiet, "Print nothing but the result and errors");
  set.add("threads", options.threads, "Threads to use; 0 takes one for each core", {0, 4096});
  return set;
}

Command make_commands() {
  Command data;
  data.name = "data";
  data.about = "Read, check, describe, convert and divide benchmarks";
  data.examples = {"gumption data check samples/*.jsonl", "gumption data stats train.jsonl dev.jsonl"};
  data.children = {data_check_command(),   data_stats_command(), data_show_command(), data_split_command(),
                   data_convert_command(), data_list_command(),  data_pull_command()};

  Command measure;
  measure.name = "measure";
  measure.about = "Compare systems, and say how far raters agree and groups differ";
  measure.examples = {"gumption measure compare PMIgutenbergW5.dev baselineFirst.dev --gold gold.dev",
                      "gumption measure agreement ratings.csv"};
  measure.children = {measure_compare_command(), measure_agreement_command(), measure_effect_command()};

  Command corpus;
  corpus.name = "corpus";
  corpus.about = "Count words and pairs over large text, and index it for document hits";
  corpus.examples = {"gumption corpus build books/ --out books.counts",
                     "gumption corpus count books.counts ice melted"};
  corpus.children = {corpus_build_command(), corpus_info_command(), corpus_count_command(), corpus_index_command()};

  Command model;
  model.name = "model";
  model.about = "Get, describe, convert and remove the checkpoints of BERT, GPT and GPT-2";
  model.examples = {"gumption model pull all-MiniLM-L6-v2", "gumption model info all-MiniLM-L6-v2",
                    "gumption model convert uncased_L-12_H-768_A-12 --out bert-base"};
  model.children = {model_pull_command(), model_list_command(), model_info_command(), model_convert_command(),
                    model_remove_command()};

  Command root;
  root.name = "gumption";
  root.about = "A workbench for commonsense multiple-choice questions";
  root.examples = {"gumption data stats samples/copa-style.jsonl",
                   "gumption eval --system longest --data samples/social-iqa-style.jsonl"};
  root.children = {std::move(data),   std::move(corpus),  eval_command(),      score_command(),
                   train_command(),   std::move(measure), std::move(model),    tokenize_command(),
                   systems_command(), doctor_command(),   completion_command()};
  return root;
}

}  // namespace gumption::cli
