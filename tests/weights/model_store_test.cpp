#include "gumption/weights/model_store.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/base/file_lock.h"
#include "gumption/weights/model_record.h"

#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Action>
std::string user_error_of(const Action& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no UserError";
}

class ModelStore : public testing::Test {
 protected:
  ModelStore() {
    ::setenv("GUMPTION_DATA", (folder_.path().string() + "/first:" + folder_.path().string() + "/second").c_str(), 1);
    ::setenv("XDG_DATA_HOME", (folder_ / "home").c_str(), 1);
  }
  ~ModelStore() override {
    ::unsetenv("GUMPTION_DATA");
    ::unsetenv("XDG_DATA_HOME");
  }

  fs::path add(const std::string& place) const {
    folder_.write(place + "/config.json", R"({"architectures": ["BertModel"], "model_type": "bert"})");
    folder_.write(place + "/model.safetensors", "not really");
    return folder_ / place;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ModelStore, FindsNamesInTheDataFoldersInOrder) {
  const fs::path second = add("second/models/tiny");
  add("home/gumption/models/tiny");
  const fs::path owned = add("home/gumption/models/me/other");
  EXPECT_EQ(find_model("tiny"), second);
  EXPECT_EQ(find_model("me/other"), owned);
  EXPECT_EQ(find_model(second.string()), second);
  const fs::path first = add("first/models/tiny");
  EXPECT_EQ(find_model("tiny"), first);
}

TEST_F(ModelStore, TheHubsNameOfAPackageIsAnAlias) {
  const fs::path folder = add("first/models/bert-base-uncased");
  EXPECT_EQ(find_model("google-bert/bert-base-uncased"), folder);
}

TEST_F(ModelStore, SaysHowToGetWhatIsNotThere) {
  add("first/models/my-model");
  EXPECT_THAT(user_error_of([] { find_model("my-modl"); }), HasSubstr("Did you mean my-model?"));
  EXPECT_THAT(user_error_of([] { find_model("bert-base-uncased"); }),
              HasSubstr("`gumption model pull bert-base-uncased` fetches it"));
  EXPECT_THAT(user_error_of([] { find_model("all-MiniLM-L6-v3"); }), HasSubstr("Did you mean all-MiniLM-L6-v2?"));
  EXPECT_THAT(user_error_of([] { find_model("./no/folder/here"); }),
              AllOf(HasSubstr("expected a model's folder, found nothing"), testing::Not(HasSubstr("model pull"))));
  const fs::path file = folder_.write("model.safetensors", "x");
  EXPECT_THAT(user_error_of([&] { find_model(file.string()); }), HasSubstr("Name the folder"));
}

TEST_F(ModelStore, ListsWhatIsThere) {
  const fs::path tiny = add("first/models/tiny");
  add("second/models/me/other");
  folder_.write("first/models/notes/readme.txt", "no model");
  folder_.write("first/models/.pulling/half/config.json", "{}");
  ModelRecord record;
  record.name = "tiny";
  record.source = "pip:tiny==1";
  folder_.write("first/models/tiny/gumption.json", to_json_text(record));
  const auto models = list_models();
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].name, "tiny");
  EXPECT_EQ(models[0].folder, tiny);
  EXPECT_EQ(models[0].architecture, "BertModel");
  EXPECT_EQ(models[0].source, "pip:tiny==1");
  EXPECT_EQ(models[0].parameters, std::nullopt);
  EXPECT_EQ(models[1].name, "me/other");
  EXPECT_EQ(models[1].bytes, fs::file_size(models[1].folder / "config.json") + 10);
}

TEST_F(ModelStore, RemovesAModelAndNothingElse) {
  const fs::path other = add("first/models/me/other");
  const fs::path tiny = add("first/models/tiny");
  EXPECT_EQ(remove_model("me/other"), other);
  EXPECT_FALSE(fs::exists(other.parent_path()));
  EXPECT_TRUE(fs::exists(tiny));
  EXPECT_THAT(user_error_of([] { remove_model("tny"); }), HasSubstr("Did you mean tiny?"));
  folder_.write("first/models/notes/readme.txt", "no model");
  EXPECT_THAT(user_error_of([] { remove_model("notes"); }), HasSubstr("Nothing was removed"));
  EXPECT_TRUE(fs::exists(folder_ / "first/models/notes/readme.txt"));
  const fs::path outside = add("outside");
  EXPECT_THAT(user_error_of([] { remove_model("../../outside"); }), HasSubstr("There is no stored model"));
  EXPECT_THAT(user_error_of([&] { remove_model(outside.string()); }), HasSubstr("There is no stored model"));
  EXPECT_TRUE(fs::exists(outside / "config.json"));
}

TEST_F(ModelStore, RemovesALinkAndNotWhatItLeadsTo) {
  const fs::path outside = add("outside");
  fs::create_directories(folder_ / "first/models");
  fs::create_directory_symlink(outside, folder_ / "first/models/linked");
  remove_model("linked");
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder_ / "first/models/linked")));
  EXPECT_TRUE(fs::exists(outside / "model.safetensors"));
}

TEST_F(ModelStore, AModelThatIsBeingPulledStays) {
  const fs::path tiny = add("first/models/tiny");
  const Workplace work = workplace_of(folder_ / "first/models", "tiny");
  fs::create_directories(work.folder);
  const FileLock lock(work.lock, tiny);
  EXPECT_THAT(user_error_of([] { remove_model("tiny"); }), HasSubstr("another process"));
  EXPECT_TRUE(fs::exists(tiny));
}

TEST_F(ModelStore, PuttingInPlaceReplacesInOneStep) {
  const fs::path made = add("made");
  const fs::path place = folder_ / "models/me/tiny";
  put_in_place(made, place);
  EXPECT_TRUE(is_model_folder(place));
  EXPECT_FALSE(fs::exists(made));
  folder_.write("again/new.txt", "new");
  put_in_place(folder_ / "again", place);
  EXPECT_TRUE(fs::exists(place / "new.txt"));
  EXPECT_FALSE(fs::exists(place / "config.json"));
  EXPECT_TRUE(fs::exists(folder_ / "again/config.json"));
}

TEST(Record, ReadsWhatItWrites) {
  const test::TemporaryFolder folder;
  ModelRecord record;
  record.name = "tiny";
  record.source = "hub:me/tiny@0123";
  record.licence = "MIT";
  record.date = date_now();
  folder.write("gumption.json", to_json_text(record));
  const auto read = find_record(folder.path());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->source, record.source);
  EXPECT_EQ(read->date.size(), std::string("2026-11-15T13:50:00Z").size());
  EXPECT_EQ(read->package, "");
  folder.write("gumption.json", "[");
  EXPECT_FALSE(find_record(folder.path()).has_value());
}

}  // namespace
}  // namespace gumption
