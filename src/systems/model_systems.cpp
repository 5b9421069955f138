#include "gumption/systems/model_systems.h"

#include <array>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/weights/checkpoint.h"
#include "gumption/weights/model_store.h"

namespace gumption {

namespace {

const ModelFactory*& installed_factory() {
  static const ModelFactory* factory = nullptr;
  return factory;
}

}  // namespace

void set_model_factory(const ModelFactory* factory) { installed_factory() = factory; }

const ModelFactory* model_factory() { return installed_factory(); }

OptionSet describe(ModelOptions& options) {
  OptionSet set;
  set.add_file("model", options.model, "Folder of a checkpoint, or the name of a pulled one");
  set.add_file("tokenizer", options.tokenizer, "Folder of a tokenizer, where the model's has none");
  set.add_choice("device", options.device, "Where the model runs", {"cpu", "cuda"});
  set.add_choice("precision", options.precision, "Numbers that the model computes with", {"float32", "bfloat16"});
  set.add("threads", options.threads, "Threads of the CPU; 0 takes one for each core", {0, 4096});
  set.add("max_length", options.max_length, "Most tokens of a sequence; 0: as many as the model has positions");
  set.add("batch_tokens", options.batch_tokens,
          "Tokens that go through the model at a time; 0: what suits the device. Answers don't depend on it");
  return set;
}

namespace {

void add_ablations(OptionSet& set, bool& no_context, bool& no_question) {
  set.add("no_context", no_context, "Leave the context out");
  set.add("no_question", no_question, "Leave the question out");
}

}  // namespace

const std::vector<std::string>& bert_forms() {
  static const std::vector<std::string> forms = {"auto", "social-iqa", "pair", "cosmos-qa"};
  return forms;
}

OptionSet describe(BertOptions& options) {
  OptionSet set = describe(options.model);
  set.add_choice("template", options.form, "How context, question and choice are joined; auto: by the data's format",
                 bert_forms());
  add_ablations(set, options.no_context, options.no_question);
  return set;
}

OptionSet describe(GptOptions& options) {
  OptionSet set = describe(options.model);
  add_ablations(set, options.no_context, options.no_question);
  return set;
}

OptionSet describe(LikelihoodOptions& options) {
  OptionSet set = describe(options.model);
  set.add_choice("normalise", options.normalise,
                 "Divide by the choice's tokens or characters, or take its likelihood after nothing away",
                 {"none", "tokens", "chars", "prior"});
  set.add("details", options.details, "Keep the log-probability of every token");
  return set;
}

OptionSet describe(SimilarityOptions& options) { return describe(options.model); }
OptionSet describe(NextSentenceOptions& options) { return describe(options.model); }

namespace {

struct MethodName {
  const char* method;
  const char* system;
};
constexpr std::array<MethodName, 4> kMethods = {{{"likelihood", "lm"},
                                                 {"masked-likelihood", "masked-lm"},
                                                 {"similarity", "similarity"},
                                                 {"next-sentence", "next-sentence"}}};

}  // namespace

const std::vector<std::string>& scoring_methods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"multiple-choice"};
    for (const MethodName& known : kMethods) all.emplace_back(known.method);
    return all;
  }();
  return names;
}

std::string system_for_model(const std::string& model) {
  const Checkpoint checkpoint = open_checkpoint(find_model(model));
  const bool is_bert = checkpoint.config.architecture == Architecture::kBert;
  if (checkpoint.heads.multiple_choice) return is_bert ? "bert" : "gpt";
  if (!is_bert) return "lm";
  return checkpoint.heads.masked_lm ? "masked-lm" : checkpoint.heads.next_sentence ? "next-sentence" : "similarity";
}

std::string system_for_method(const std::string& method, const std::string& model) {
  for (const MethodName& known : kMethods) {
    if (method == known.method) return known.system;
  }
  if (method == "multiple-choice") {
    return open_checkpoint(find_model(model)).config.architecture == Architecture::kBert ? "bert" : "gpt";
  }
  throw UserError(fmt::format("There is no method {}. {}", in_quotes(method), suggest(method, scoring_methods())));
}

}  // namespace gumption
