#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/weights/convert.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

enum class Precision { kAsStored, kFloat32, kFloat16, kBfloat16 };

struct State {
  std::vector<std::string> folders;
  std::string out;
  Precision precision = Precision::kAsStored;
};

std::optional<ElementType> element_type(Precision precision) {
  switch (precision) {
    case Precision::kAsStored:
      return std::nullopt;
    case Precision::kFloat32:
      return ElementType::kFloat32;
    case Precision::kFloat16:
      return ElementType::kFloat16;
    case Precision::kBfloat16:
      return ElementType::kBfloat16;
  }
  throw InternalError("a precision without an element type");
}

int run(const State& state, const CommonOptions& common) {
  if (state.out.empty()) throw UsageError("model convert: --out DIR is missing: the new folder.");
  // Looked at before hundreds of megabytes are read.
  if (std::filesystem::exists(state.out)) {
    throw UserError(fmt::format("{}: is there already. Name a new folder, or remove this one first.", state.out));
  }
  const Checkpoint checkpoint = open_checkpoint(state.folders.front());
  const auto precision = element_type(state.precision);
  convert_checkpoint(checkpoint, state.out, {precision, {}});
  for (const std::string& note : checkpoint.notes) print_note(common, note);
  const auto tensors = checkpoint.tensors->tensors().size();
  const auto type = name_of(precision ? *precision : precision_of(checkpoint));
  if (common.json) {
    print_json({{"folder", state.out},
                {"from", checkpoint.format},
                {"tensors", tensors},
                {"precision", type},
                {"missing", checkpoint.missing},
                {"left_over", checkpoint.left_over}});
  } else {
    fmt::print("{}: a {} of {} tensors, read as {}, written in {}.\n", state.out,
               name_of(checkpoint.config.architecture), tensors, checkpoint.format, type);
    if (!checkpoint.left_over.empty()) {
      print_note(common, fmt::format("{} tensors were left over and not written; `gumption model info {}` lists them.",
                                     checkpoint.left_over.size(), state.folders.front()));
    }
  }
  return 0;
}

}  // namespace

Command model_convert_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "convert";
  command.about = "Write any model that can be read as a Hugging Face folder";
  command.examples = {"gumption model convert uncased_L-12_H-768_A-12 --out bert-base",
                      "gumption model convert gpt1-original --out gpt1 --precision bfloat16"};
  command.operands = {
      {"DIR", "The folder of a model: safetensors, PyTorch, TensorFlow, or OpenAI's .npy files", &state->folders}};
  command.options.add_file("out", state->out, "The new folder");
  command.options.add_choice("precision", state->precision, "Element type of the new weights",
                             std::vector<NamedValue<Precision>>{{"as-stored", Precision::kAsStored},
                                                                {"float32", Precision::kFloat32},
                                                                {"float16", Precision::kFloat16},
                                                                {"bfloat16", Precision::kBfloat16}});
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
