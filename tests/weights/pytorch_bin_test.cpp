#include "gumption/weights/pytorch_bin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/weights/pickle.h"
#include "gumption/weights/zip_directory.h"

#include "support/shell.h"
#include "support/support.h"
#include "weights/store_support.h"

namespace gumption {
namespace {

using test::bytes_of;
using test::complaint_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text(const std::string& value) { return "X" + bytes_of(static_cast<std::uint32_t>(value.size())) + value; }

std::string whole(std::int64_t value) { return "\x8a\x08" + bytes_of(value); }

std::string tuple(const std::vector<std::int64_t>& values) {
  std::string code = "(";
  for (const auto value : values) code += whole(value);
  return code + "t";
}

/// A pickled tensor over storage "0" of `count` floats.
std::string tensor(std::int64_t count, std::int64_t offset, const std::vector<std::int64_t>& shape,
                   const std::vector<std::int64_t>& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" + text("0") +
         text("cpu") + whole(count) + "tQ" + whole(offset) + tuple(shape) + tuple(strides) + "\x89" +
         "ccollections\nOrderedDict\n)Rt" + "R";
}

std::string pickled(const std::string& code) { return "\x80\x02" + code + "."; }

/// The older form with one tensor "w" and three floats.
std::string legacy(const std::string& tensor_code, const std::string& storage = bytes_of<std::int64_t>(3) +
                                                                                bytes_of(1.0F) + bytes_of(2.0F) +
                                                                                bytes_of(3.0F)) {
  const std::string magic("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12);
  return pickled(magic) + pickled(whole(1001)) + pickled("}") + pickled("}" + text("w") + tensor_code + "s") +
         pickled("](" + text("0") + "e") + storage;
}

std::vector<double> read(const std::string& bytes) {
  return test::values_of(*parse_pytorch_bin(bytes, nullptr, "f")->find("w"));
}

std::string complaint(const std::string& bytes) {
  return complaint_of([&] { parse_pytorch_bin(bytes, nullptr, "f"); });
}

TEST(PyTorchBin, TensorsAreViewsOfStorages) {
  EXPECT_THAT(read(legacy(tensor(3, 0, {3}, {1}))), ElementsAre(1, 2, 3));
  EXPECT_THAT(read(legacy(tensor(3, 1, {2}, {1}))), ElementsAre(2, 3));
  EXPECT_THAT(read(legacy(tensor(3, 0, {2}, {2}))), ElementsAre(1, 3));
  EXPECT_THAT(read(legacy(tensor(3, 0, {2, 2}, {1, 1}))), ElementsAre(1, 2, 2, 3));
  EXPECT_THAT(read(legacy(tensor(3, 2, {2, 2}, {0, 0}))), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(read(legacy(tensor(3, 2, {}, {}))), ElementsAre(3));
  EXPECT_THAT(read(legacy(tensor(3, 0, {0, 5}, {5, 1}))), ElementsAre());
}

TEST(PyTorchBin, TensorsBeyondTheirStorageAreRefused) {
  EXPECT_THAT(complaint(legacy(tensor(3, 0, {4}, {1}))), HasSubstr("inside a storage of 3"));
  EXPECT_THAT(complaint(legacy(tensor(3, 1, {3}, {1}))), HasSubstr("inside a storage of 3"));
  EXPECT_THAT(complaint(legacy(tensor(4, 0, {4}, {1}))), HasSubstr("storage of 4 elements"));
  EXPECT_THAT(complaint(legacy(tensor(3, -1, {3}, {1}))), HasSubstr("whole numbers from 0"));
  EXPECT_THAT(complaint(legacy(tensor(3, 0, {3}, {-1}))), HasSubstr("whole numbers from 0"));
  EXPECT_THAT(complaint(legacy(tensor(3, 0, {3}, {1, 1}))), HasSubstr("a stride for each dimension"));
  const std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_THAT(complaint(legacy(tensor(3, 0, {huge, huge}, {1, 1}))), HasSubstr("shape"));
  EXPECT_THAT(complaint(legacy(tensor(3, 0, {3}, {huge}))), HasSubstr("inside a storage"));
  // A stride of 0 asks for any amount of memory.
  EXPECT_THAT(complaint(legacy(tensor(3, 0, {1'000'000'000}, {0}))), HasSubstr("no more values than the file has"));
}

TEST(PyTorchBin, CutFilesAreRefused) {
  const std::string bytes = legacy(tensor(3, 0, {3}, {1}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(complaint(bytes.substr(0, size)), "(no complaint)") << size;
  }
  const auto zip = test::read_bytes(test::source_folder() / "tests/weights/files/bert-zip/pytorch_model.bin");
  for (std::size_t size = 0; size < zip.size(); size += 97) {
    EXPECT_NE(complaint(zip.substr(0, size)), "(no complaint)") << size;
  }
}

TEST(PyTorchBin, NoCodeIsRun) {
  EXPECT_THAT(complaint(legacy("cos\nsystem\n(" + text("true") + "tR")), HasSubstr("\"os system\""));
  EXPECT_THAT(complaint(legacy("cbuiltins\neval\n")), HasSubstr("not read for safety"));
  EXPECT_THAT(complaint(legacy("i")), HasSubstr("instruction 0x69"));       // INST
  EXPECT_THAT(complaint(legacy("\x93")), HasSubstr("instruction 0x93"));    // STACK_GLOBAL
  EXPECT_THAT(complaint(legacy("}}\x81")), HasSubstr("instruction 0x81"));  // NEWOBJ
}

TEST(PyTorchBin, OtherPicklesAreRefused) {
  EXPECT_THAT(complaint(""), HasSubstr("a file of torch.save"));
  EXPECT_THAT(complaint("hello"), HasSubstr("a file of torch.save"));
  EXPECT_THAT(complaint(pickled("N")), HasSubstr("pickle of something else"));
  EXPECT_THAT(complaint(legacy("N")), HasSubstr("with tensors, found none"));
  EXPECT_THAT(complaint(legacy(tensor(3, 0, {3}, {1}) + "s" + text("w") + tensor(3, 0, {3}, {1}))),
              HasSubstr("\"w\" twice"));
  EXPECT_THAT(complaint(legacy("h\x05")), HasSubstr("slot 5"));
  EXPECT_THAT(complaint(legacy("a")), HasSubstr("f: expected"));
  EXPECT_THAT(complaint(legacy("t")), HasSubstr("a mark"));
}

TEST(PyTorchBin, PicklesMayContainThemselves) {
  const auto tree = read_pickle(pickled("]q\x01h\x01"
                                        "a"),
                                "f", [](std::string_view) { return false; });
  EXPECT_EQ(tree.at(tree.root).parts.front(), tree.root);
  EXPECT_THAT(complaint(legacy("]q\x01h\x01"
                               "a")),
              HasSubstr("found none"));
}

TEST(PyTorchBin, ZipMembersMustBeStoredPlainly) {
  const test::TemporaryFolder folder;
  folder.write("a/data.pkl", std::string(1000, 'x'));
  ASSERT_EQ(test::run("/usr/bin/zip", {"-qr", "t.zip", "a"}, {"", {}, folder.path()}).exit_code, 0);
  EXPECT_THAT(complaint_of([&] { open_pytorch_bin(folder / "t.zip"); }),
              HasSubstr("\"a/data.pkl\" compressed (method 8)"));
  ASSERT_EQ(test::run("/usr/bin/zip", {"-qr0", "s.zip", "a"}, {"", {}, folder.path()}).exit_code, 0);
  const std::string stored = test::read_bytes(folder / "s.zip");
  EXPECT_EQ(stored_members(stored, "f").at("a/data.pkl"), std::string(1000, 'x'));
  EXPECT_THAT(complaint_of([&] { open_pytorch_bin(folder / "s.zip"); }), HasSubstr("instruction 0x78"));
}

TEST(PyTorchBin, Zip64IsUnderstood) {
  const test::TemporaryFolder folder;
  // zip writes the wide records when it doesn't know the size before: from standard input.
  ASSERT_EQ(test::run("/bin/sh", {"-c", "printf hello | zip -q0 -fz t.zip -"}, {"", {}, folder.path()}).exit_code, 0);
  const std::string archive = test::read_bytes(folder / "t.zip");
  ASSERT_NE(archive.find("PK\x06\x06"), std::string::npos);
  EXPECT_EQ(stored_members(archive, "f").at("-"), "hello");
}

}  // namespace
}  // namespace gumption
