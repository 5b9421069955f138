// Bad input: one message with file, line, what was expected and what was found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::user_error_of;
using testing::AllOf;
using testing::HasSubstr;

struct BadFile {
  std::string title;
  std::string name;
  std::string text;
  std::string format;   // empty: told by content
  std::string message;  // a part of what must be said
};

class BadInput : public testing::TestWithParam<BadFile> {};

const std::string kNative = R"({"choices":["a","b"],"label":0})";
const std::string kCosmosHeader = "id,context,question,answer0,answer1,answer2,answer3,label\n";
const std::string kCopaStart =
    "<copa-corpus><item id=\"1\" asks-for=\"cause\" most-plausible-alternative=\"1\"><p>P</p>";

INSTANTIATE_TEST_SUITE_P(
    Files, BadInput,
    testing::Values(
        BadFile{"JsonCutOff", "x.jsonl", kNative + "\n{\"choices\":[\"a\",", "native",
                "x.jsonl:2: expected one JSON object"},
        BadFile{"JsonWrongType", "x.jsonl", R"({"choices":["a","b"],"context":3})", "",
                "x.jsonl:1: expected text as \"context\", found a number"},
        BadFile{"JsonNotAnObject", "x.jsonl", kNative + "\n[1,2]", "",
                "x.jsonl:2: expected a JSON object, found a list"},
        BadFile{"JsonTwoOnALine", "x.jsonl", kNative + kNative, "native", "x.jsonl:1: expected one JSON object"},
        BadFile{"OneChoice", "x.jsonl", R"({"choices":["a"]})", "",
                "x.jsonl:1: expected two or more choices, found one"},
        BadFile{"NoChoices", "x.jsonl", R"({"context":"a"})", "native",
                "x.jsonl:1: expected a list of two or more \"choices\""},
        BadFile{"LabelOutOfRange", "x.jsonl", kNative + "\n" + R"({"choices":["a","b"],"label":2})", "",
                "x.jsonl:2: expected a label that names one of 2 choices"},
        BadFile{"LabelNegative", "x.jsonl", R"({"choices":["a","b"],"label":-1})", "",
                "expected a whole number from 0 as \"label\", found -1"},
        BadFile{"LabelHuge", "x.jsonl", R"({"choices":["a","b"],"label":99999999999999})", "",
                "expected a whole number from 0"},
        BadFile{"LabelText", "x.jsonl", R"({"choices":["a","b"],"label":"two"})", "", "found \"two\""},
        BadFile{"KindsDontFit", "x.jsonl", R"({"choices":["a","b"],"notes":{"choice_kinds":["x"]}})", "",
                "expected 2 choice_kinds"},
        BadFile{"AsksForUnknown", "x.jsonl", R"({"choices":["a","b"],"notes":{"asks_for":"why"}})", "",
                "\"cause\" or \"effect\""},
        BadFile{"TooDeep", "x.jsonl",
                R"({"choices":["a","b"],"notes":{"x":)" + std::string(90, '[') + std::string(90, ']') + "}}", "",
                "nested more than 64 deep"},
        BadFile{"InvalidUtf8Json", "x.jsonl", "{\"choices\":[\"a\",\"b\xFF\"]}", "native", "x.jsonl:1: expected"},
        BadFile{"InvalidUtf8Table", "x.tsv", "o\tP\xE9\ta\tb\tc\td\t0\n", "",
                "x.tsv:1: expected UTF-8 text, found the byte 0xE9 at position 1 of the field"},
        BadFile{"NulByte", "x.tsv", std::string("o\tP\0Q\ta\tb\tc\td\t0\n", 17), "codah",
                "x.tsv:1: expected text, found a NUL byte in the field"},
        BadFile{"NulInJson", "x.jsonl", R"({"choices":["a","b\u0000"]})", "", "found a NUL"},
        BadFile{"Utf16", "x.jsonl", std::string("\xFF\xFE{\0\"\0", 6), "native", "UTF-16"},
        BadFile{"XmlCutOff", "x.xml", "<?xml version=\"1.0\"?>\n" + kCopaStart + "<a1>A</a1>\n", "", "x.xml:"},
        BadFile{"XmlPartMissing", "x.xml", "\n\n" + kCopaStart + "<a1>A</a1></item></copa-corpus>", "",
                "x.xml:3: expected an element <a2> in the item, found none"},
        BadFile{
            "XmlBadLabel", "x.xml",
            R"(<copa-corpus><item id="1" asks-for="cause" most-plausible-alternative="3"><p>P</p><a1>A</a1><a2>B</a2></item></copa-corpus>)",
            "", "most-plausible-alternative=\"1\" or \"2\", found \"3\""},
        BadFile{"XmlBadAsksFor", "x.xml",
                R"(<copa-corpus><item id="1" asks-for="reason"><p>P</p><a1>A</a1><a2>B</a2></item></copa-corpus>)", "",
                "found \"reason\""},
        BadFile{"XmlOtherRoot", "x.xml", "<collection><item/></collection>", "copa-xml",
                "expected the root element <copa-corpus>, found <collection>"},
        BadFile{"CsvTooFewFields", "x.csv", kCosmosHeader + "1,c,q,a,b,c,d,0\n2,c,q\n", "",
                "x.csv:3: expected 8 fields, found 3"},
        BadFile{"CsvUnclosedQuote", "x.csv", kCosmosHeader + "1,c,q,a,b,c,d,0\n2,\"c,q,a,b,c,d,0\n", "",
                "x.csv:3: expected a closing quote"},
        BadFile{"CsvTextBehindQuote", "x.csv", kCosmosHeader + "1,\"c\"x,q,a,b,c,d,0\n", "",
                "x.csv:2: expected a separator behind a closing quote"},
        BadFile{"CsvColumnMissing", "x.csv", "id,context,question,answer0,answer1,answer2\n", "cosmos-csv",
                "expected a column \"answer3\""},
        BadFile{"CsvBadLabel", "x.csv", kCosmosHeader + "1,c,q,a,b,c,d,9\n", "",
                "x.csv:2: expected a label that names one of 4 choices"},
        BadFile{"TsvFields", "x.tsv", "o\tP\ta\tb\tc\td\t0\no\tP\ta\tb\n", "", "x.tsv:2: expected 7 fields, found 4"},
        BadFile{"BlockCutOff", "x.txt", "It fell because it broke.\nit\nThe cup,the jug\nThe cup\n\nHe ran.\nHe\n", "",
                "x.txt:6: expected blocks of four lines"},
        BadFile{"PronounAbsent", "x.txt", "The cup fell.\nit\nThe cup,the jug\nThe cup\n", "dpr",
                "x.txt:1: expected the pronoun \"it\" in the sentence"},
        BadFile{"AnswerNotACandidate", "x.txt", "The cup fell as it broke.\nit\nThe cup,the jug\nthe pan\n", "dpr",
                "expected one of the candidates"},
        BadFile{"RaceBroken", "x.txt", R"({"article":"A","questions":["Q"],"options":[["a","b"]],"answers":[]})",
                "race", "a list of 1 letters \"answers\""},
        BadFile{
            "CommonsenseQaKey", "x.jsonl",
            R"({"answerKey":"Z","question":{"stem":"S","choices":[{"label":"A","text":"a"},{"label":"B","text":"b"}]}})",
            "", "answerKey"},
        BadFile{"Empty", "x.jsonl", "", "", "found an empty file"},
        BadFile{"Binary", "x.bin",
                std::string("\x7F"
                            "ELF\0\1\2",
                            7),
                "", "found binary data"},
        BadFile{"Unknown", "x.txt", "Once upon a time\nthere was a file.\n", "",
                "expected questions in a known format"},
        BadFile{"Events", "x.csv", "Source,Event,Xintent,Xemotion,Otheremotion,Xsent,Osent\n", "",
                "found events (event2mind)"}),
    [](const auto& tested) { return tested.param.title; });

TEST_P(BadInput, IsSaidInOneMessage) {
  const test::TemporaryFolder folder;
  const auto path = folder.write(GetParam().name, GetParam().text);
  const std::string message = user_error_of([&] { test::read_questions(path, GetParam().format); });
  EXPECT_THAT(message, AllOf(HasSubstr(GetParam().message), HasSubstr(path.string())));
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(BadInputFiles, MissingFilesFoldersAndFormats) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(user_error_of([&] { test::read_questions(folder / "absent.jsonl"); }), HasSubstr("No such file"));
  EXPECT_THAT(user_error_of([&] { test::read_questions(folder.path()); }), HasSubstr("expected questions"));
  EXPECT_THAT(user_error_of([&] { test::read_questions(folder.path(), "native"); }), HasSubstr("Is a directory"));
  EXPECT_THAT(user_error_of([&] { question_format("natve"); }), HasSubstr("Did you mean native?"));
}

}  // namespace
}  // namespace gumption
