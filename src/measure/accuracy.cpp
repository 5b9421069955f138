#include "gumption/measure/accuracy.h"

namespace gumption {

void AccuracyTally::add(const Question& question, const Answer& answer) {
  if (!question.label) {
    ++unlabelled_;
    return;
  }
  const bool correct = answer.choice == *question.label;
  const auto count = [&](Accuracy& accuracy) {
    ++accuracy.n;
    if (correct) ++accuracy.correct;
    if (answer.tie) ++accuracy.ties;
  };
  count(all_);
  const Notes& notes = question.notes;
  if (!notes.category.empty()) count(by_["category"][notes.category]);
  if (!notes.question_type.empty()) count(by_["question_type"][notes.question_type]);
  if (notes.asks_for) count(by_["asks_for"][std::string(to_text(*notes.asks_for))]);
}

}  // namespace gumption
