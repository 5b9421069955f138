#include "gumption/weights/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/weights/checkpoint.h"

#include "support/support.h"
#include "weights/store_support.h"

namespace gumption {
namespace {

using test::bytes_of;
using test::complaint_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::string npy(const std::string& header, const std::string& data) {
  return "\x93NUMPY" + std::string("\x01\x00", 2) + bytes_of(static_cast<std::uint16_t>(header.size())) + header + data;
}

std::string header_of(const std::string& type, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n";
}

std::string complaint(const std::string& bytes) {
  return complaint_of([&] { parse_npy(bytes, "f"); });
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const std::string bytes = npy(header_of("<f4", "(2, 1)"), bytes_of(1.5F) + bytes_of(-2.0F));
  const StoredTensor tensor = parse_npy(bytes, "f");
  EXPECT_THAT(tensor.shape, ElementsAre(2, 1));
  EXPECT_THAT(test::values_of(tensor), ElementsAre(1.5, -2.0));
  EXPECT_THAT(parse_npy(npy(header_of("<i8", "()"), bytes_of<std::int64_t>(1)), "f").shape, ElementsAre());
  EXPECT_THAT(parse_npy(npy(header_of("<f8", "(1L,)"), bytes_of(1.0)), "f").shape, ElementsAre(1));
}

TEST(Npy, DamagedFilesAreRefused) {
  EXPECT_THAT(complaint(""), HasSubstr("a .npy file"));
  EXPECT_THAT(complaint(npy(header_of("<f4", "(2,)"), "1234567")), HasSubstr("data of shape [2]"));
  EXPECT_THAT(complaint(npy(header_of(">f4", "(2,)"), "12345678")), HasSubstr("little-endian"));
  EXPECT_THAT(complaint(npy(header_of("<f4", "(1, 2)", "True"), "12345678")), HasSubstr("Fortran"));
  EXPECT_THAT(complaint(npy(header_of("<f4", "(9223372036854775807, 4)"), "")), HasSubstr("data of shape"));
  EXPECT_THAT(complaint(npy(header_of("<f4", "(99999999999999999999,)"), "")), HasSubstr("'shape'"));
  EXPECT_THAT(complaint(npy("{'descr': '<f4'}", "")), HasSubstr("'shape'"));
  EXPECT_THAT(complaint(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "")), HasSubstr("descr"));
  EXPECT_THAT(complaint("\x93NUMPY\x01" + std::string("\x00\xff\xff{}", 5)), HasSubstr("cut off"));
  EXPECT_THAT(complaint("\x93NUMPY\x09" + std::string("\x00\x02\x00{}", 5)), HasSubstr("version 9"));
}

/// One layer 64 wide with 3 tokens and 2 positions, every array filled with its place in the order.
test::TemporaryFolder& write_gpt1(test::TemporaryFolder& folder) {
  const std::vector<std::vector<int>> shapes = {{2, 64},      {3, 64}, {1, 64, 192}, {192},        {1, 64, 64},
                                                {64},         {64},    {64},         {1, 64, 256}, {256},
                                                {1, 256, 64}, {64},    {64},         {64}};
  std::string data;
  std::string list;
  float place = 0;
  for (const auto& shape : shapes) {
    int count = 1;
    std::string text;
    for (const int extent : shape) {
      count *= extent;
      text += (text.empty() ? "" : ",") + std::to_string(extent);
    }
    for (int i = 0; i < count; ++i) data += bytes_of(place);
    list += (list.empty() ? "[[" : ",[") + text + "]";
    ++place;
  }
  folder.write("params_shapes.json", list + "]");
  // Cut in the middle of an array.
  const std::string first = data.substr(0, 4 * 101);
  const std::string second = data.substr(first.size());
  folder.write("params_0.npy", npy(header_of("<f4", "(101,)"), first));
  folder.write("params_1.npy", npy(header_of("<f4", "(" + std::to_string(second.size() / 4) + ",)"), second));
  return folder;
}

TEST(Gpt1Npy, OpensWithoutAConfig) {
  test::TemporaryFolder folder;
  const Checkpoint checkpoint = open_checkpoint(write_gpt1(folder).path());
  EXPECT_EQ(checkpoint.format, "openai-npy");
  EXPECT_EQ(checkpoint.config.architecture, Architecture::kGpt1);
  EXPECT_EQ(checkpoint.config.heads, 1);
  EXPECT_EQ(checkpoint.config.vocabulary, 3);
  EXPECT_EQ(checkpoint.config.positions, 2);
  EXPECT_EQ(checkpoint.config.inner, 256);
  EXPECT_EQ(checkpoint.config.activation, Activation::kGeluTanh);
  EXPECT_TRUE(checkpoint.missing.empty() && checkpoint.left_over.empty());
  EXPECT_EQ(test::values_of(*checkpoint.tensors->find("transformer.positions_embed.weight")).back(), 0);
  EXPECT_EQ(test::values_of(*checkpoint.tensors->find("transformer.tokens_embed.weight")).front(), 1);
  const StoredTensor& last = *checkpoint.tensors->find("transformer.h.0.ln_2.bias");
  EXPECT_EQ(test::values_of(last).back(), 13);
  EXPECT_THAT(checkpoint.tensors->find("transformer.h.0.attn.c_attn.weight")->shape, ElementsAre(64, 192));
}

TEST(Gpt1Npy, MissingPiecesAreSaid) {
  test::TemporaryFolder folder;
  write_gpt1(folder);
  std::filesystem::remove(folder / "params_1.npy");
  EXPECT_THAT(complaint_of([&] { open_gpt1_npy(folder.path()); }),
              HasSubstr("too few for transformer.positions_embed"));
  std::filesystem::remove(folder / "params_0.npy");
  EXPECT_THAT(complaint_of([&] { open_gpt1_npy(folder.path()); }), HasSubstr("params_0.npy beside"));
  folder.write("params_shapes.json", "[[1,2],[3]]");
  EXPECT_THAT(complaint_of([&] { open_gpt1_npy(folder.path()); }), HasSubstr("found 2 shapes"));
  folder.write("params_shapes.json", "[[1,-2]]");
  EXPECT_THAT(complaint_of([&] { open_gpt1_npy(folder.path()); }), HasSubstr("a list of shapes"));
}

}  // namespace
}  // namespace gumption
