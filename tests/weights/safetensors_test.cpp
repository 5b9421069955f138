#include "gumption/weights/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.h"
#include "weights/store_support.h"

namespace gumption {
namespace {

using test::bytes_of;
using test::complaint_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::string file_of(const std::string& header, std::size_t data) {
  return bytes_of<std::uint64_t>(header.size()) + header + std::string(data, '\0');
}

std::string complaint(const std::string& bytes) {
  return complaint_of([&] { parse_safetensors(bytes, nullptr, "f"); });
}

std::string tensor(const std::string& name, const std::string& shape, int begin, int end) {
  return "\"" + name + R"(":{"dtype":"F32","shape":)" + shape + ",\"data_offsets\":[" + std::to_string(begin) + "," +
         std::to_string(end) + "]}";
}

TEST(Safetensors, ReadsShapesAndPlaces) {
  const std::string header = R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                             R"("a":{"dtype":"I64","shape":[],"data_offsets":[8,16]},"__metadata__":{"x":"y"}} )";
  const std::string bytes = file_of(header, 0) + bytes_of(1.5F) + bytes_of(-2.0F) + bytes_of<std::int64_t>(7);
  const auto store = parse_safetensors(bytes, nullptr, "f");
  ASSERT_EQ(store->tensors().size(), 2U);
  EXPECT_EQ(store->tensors()[0].name, "a");
  EXPECT_EQ(store->find("a")->bytes, bytes_of<std::int64_t>(7));
  EXPECT_THAT(test::values_of(*store->find("b")), ElementsAre(1.5, -2.0));
  EXPECT_EQ(store->find("c"), nullptr);
}

TEST(Safetensors, DamagedFilesAreRefused) {
  EXPECT_THAT(complaint(""), HasSubstr("fewer than 8"));
  EXPECT_THAT(complaint(bytes_of<std::uint64_t>(100) + "{}"), HasSubstr("cut off"));
  EXPECT_THAT(complaint(bytes_of(~std::uint64_t{0})), HasSubstr("cut off"));
  EXPECT_THAT(complaint(file_of("{", 0)), HasSubstr("header in JSON"));
  EXPECT_THAT(complaint(file_of("[]", 0)), HasSubstr("JSON object"));
  EXPECT_THAT(complaint(file_of("{\"a\":[[[[[[]]]]]]}", 0)), HasSubstr("nested deeper"));
  EXPECT_THAT(complaint(file_of("{" + std::string(100'000, '['), 0)), HasSubstr("f: expected"));
  EXPECT_THAT(complaint(file_of("{\"a\":{}}", 0)), HasSubstr("dtype, shape and two data_offsets"));
  EXPECT_THAT(complaint(file_of(R"({"a":{"dtype":"F3","shape":[],"data_offsets":[0,4]}})", 4)), HasSubstr("\"F3\""));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[2]", 0, 8) + "}", 7)), HasSubstr("cut off"));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[2]", 0, 8) + "}", 9)),
              HasSubstr("expected 8 bytes of data, found 9"));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[2]", 0, 4) + "}", 8)), HasSubstr("8 bytes for tensor \"a\""));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[1]", 8, 4) + "}", 8)), HasSubstr("offsets 8 to 4"));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[-1]", 0, 4) + "}", 4)), HasSubstr("dtype, shape"));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[4294967296,4294967296]", 0, 0) + "}", 0)),
              HasSubstr("fits in memory"));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[9223372036854775807]", 0, 4) + "}", 4)),
              HasSubstr("fits in memory"));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[1]", 0, 4) + "," + tensor("a", "[1]", 4, 8) + "}", 8)),
              HasSubstr("\"a\" twice"));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[2]", 0, 8) + "," + tensor("b", "[2]", 4, 12) + "}", 12)),
              HasSubstr("overlap"));
  EXPECT_THAT(complaint(file_of("{" + tensor("a", "[1]", 0, 4) + "," + tensor("b", "[1]", 8, 12) + "}", 12)),
              HasSubstr("gap"));
}

TEST(Safetensors, IndexesCannotLeaveTheirFolder) {
  const test::TemporaryFolder folder;
  for (const char* name : {"../x", "/etc/passwd", "a/b", "", "..", "."}) {
    const auto index = folder.write("i.json", std::string(R"({"weight_map":{"t":")") + name + "\"}}");
    EXPECT_THAT(complaint_of([&] { open_sharded_safetensors(index); }), HasSubstr("a file beside it")) << name;
  }
  EXPECT_THAT(complaint_of([&] { open_sharded_safetensors(folder.write("i.json", "[]")); }), HasSubstr("weight_map"));
}

TEST(Safetensors, ShardsMustHoldWhatTheIndexSays) {
  const test::TemporaryFolder folder;
  folder.write("1", file_of("{" + tensor("a", "[1]", 0, 4) + "}", 4));
  folder.write("2", file_of("{" + tensor("b", "[1]", 0, 4) + "}", 4));
  folder.write("3", file_of("{" + tensor("a", "[1]", 0, 4) + "}", 4));
  const auto open = [&](const std::string& map) {
    return open_sharded_safetensors(folder.write("i.json", "{\"weight_map\":" + map + "}"));
  };
  EXPECT_EQ(open(R"({"a":"1","b":"2"})")->tensors().size(), 2U);
  EXPECT_THAT(complaint_of([&] { open(R"({"a":"2"})"); }), HasSubstr("tensor \"a\", as i.json says"));
  EXPECT_THAT(complaint_of([&] { open(R"({"a":"1","b":"3"})"); }), HasSubstr("stands in 1 and in 3"));
  EXPECT_THAT(complaint_of([&] { open(R"({"a":"4"})"); }), HasSubstr("4: "));
}

TEST(Safetensors, WritesInPyTorchsRoundings) {
  // Values that are hard to round, beside what PyTorch made of them (make_checkpoints.py).
  const auto path = test::source_folder() / "tests/weights/files/roundings.safetensors";
  const auto store = open_safetensors(path);
  const test::TemporaryFolder folder;
  for (const ElementType type : {ElementType::kFloat16, ElementType::kBfloat16, ElementType::kFloat64}) {
    for (const char* from : {"float32", "float64"}) {
      write_safetensors(folder / "t", {store->find(from), 1}, type);
      const auto written = open_safetensors(folder / "t");
      const StoredTensor& tensor = written->tensors().front();
      const StoredTensor& expected = *store->find(name_of(type));
      EXPECT_EQ(tensor.type, type);
      ASSERT_EQ(tensor.bytes.size(), expected.bytes.size());
      const auto values = test::values_of(tensor);
      const auto wanted = test::values_of(expected);
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_TRUE(values[i] == wanted[i] || (values[i] != values[i] && wanted[i] != wanted[i]))
            << name_of(type) << " " << i << ": " << values[i] << " " << wanted[i];
      }
    }
  }
  // To a wider type and back, nothing changes; bits are compared, signs of zero too.
  write_safetensors(folder / "t", {store->find("float16"), 1}, ElementType::kFloat32);
  const auto widened = open_safetensors(folder / "t");
  write_safetensors(folder / "u", widened->tensors(), ElementType::kFloat16);
  EXPECT_EQ(open_safetensors(folder / "u")->find("float16")->bytes, store->find("float16")->bytes);
}

}  // namespace
}  // namespace gumption
