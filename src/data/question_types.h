#pragma once

#include <string>
#include <string_view>

namespace gumption {

/// The question type of Social IQA's Figure 3 (wants, reactions, descriptions, motivations, needs, effects), told by
/// the question's wording; "other" where no rule fits.
std::string social_question_type(std::string_view question);

}  // namespace gumption
