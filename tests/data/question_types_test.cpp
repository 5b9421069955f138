#include "gumption/data/question_types.h"

#include <gtest/gtest.h>

namespace gumption {
namespace {

// The examples of Social IQA's Figure 3, and edited wordings from the data.
TEST(QuestionTypes, FollowTheWording) {
  EXPECT_EQ(social_question_type("What will Kai want to do next?"), "wants");
  EXPECT_EQ(social_question_type("How would Robin feel afterwards?"), "reactions");
  EXPECT_EQ(social_question_type("How would you describe Alex?"), "descriptions");
  EXPECT_EQ(social_question_type("Why did Sydney do this?"), "motivations");
  EXPECT_EQ(social_question_type("What does Remy need to do before this?"), "needs");
  EXPECT_EQ(social_question_type("What will happen to Sasha?"), "effects");
  EXPECT_EQ(social_question_type("Why did Jan want to do this?"), "motivations");
  EXPECT_EQ(social_question_type("What does Lee need to do after this?"), "wants");
  EXPECT_EQ(social_question_type("What will others do next?"), "wants");
  EXPECT_EQ(social_question_type("Before this what does Ash have to do?"), "needs");
  EXPECT_EQ(social_question_type("What advice can Kai offer?"), "other");
}

}  // namespace
}  // namespace gumption
