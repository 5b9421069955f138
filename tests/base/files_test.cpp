#include "gumption/base/files.h"

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gumption/base/archive.h"
#include "gumption/base/atomic_folder.h"
#include "gumption/base/error.h"

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no UserError";
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Files, MissingFilesAndFoldersAreSaid) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(message_of([&] { open_input(folder / "absent.jsonl"); }),
              AllOf(HasSubstr("absent.jsonl"), HasSubstr("No such file")));
  EXPECT_THAT(message_of([&] { open_input(folder.path()); }), HasSubstr("Is a directory"));
  EXPECT_THAT(message_of([&] { MappedFile mapped(folder / "absent"); }), HasSubstr("No such file"));
}

TEST(Files, UnreadableFilesAreSaid) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const test::TemporaryFolder folder;
  const auto path = folder.write("secret", "x");
  fs::permissions(path, fs::perms::none);
  EXPECT_THAT(message_of([&] { open_input(path); }), HasSubstr("Permission denied"));
}

TEST(Files, MapsWhatIsThere) {
  const test::TemporaryFolder folder;
  MappedFile mapped(folder.write("a", "some bytes"));
  EXPECT_EQ(mapped.bytes(), "some bytes");
  const MappedFile moved = std::move(mapped);
  EXPECT_EQ(moved.bytes(), "some bytes");
  EXPECT_EQ(MappedFile(folder.write("empty", "")).bytes(), "");
}

TEST(Files, WritesAppearWholeOrNotAtAll) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("out", "old");
  {
    AtomicFile file(path);
    file.write("half of it");
    EXPECT_EQ(test::read_bytes(path), "old");
  }
  EXPECT_EQ(test::read_bytes(path), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
  write_file(path, "new");
  EXPECT_EQ(test::read_bytes(path), "new");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(Files, AWriteThroughALinkKeepsTheLink) {
  const test::TemporaryFolder folder;
  const auto target = folder.write("target", "old");
  fs::create_symlink(target, folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(test::read_bytes(target), "new");
}

TEST(Files, WritingSomewhereImpossibleIsSaid) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(message_of([&] { write_file(folder / "no/such/folder/f", "x"); }), HasSubstr("No such file"));
  EXPECT_THAT(message_of([&] { write_file(folder.path(), "x"); }), HasSubstr("Is a directory"));
  EXPECT_THAT(message_of([&] { write_file("/dev/full", std::string(1 << 20, 'x')); }), HasSubstr("No space left"));
}

TEST(Files, AFullDiskLeavesTheOldFile) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("out", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1 << 20, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of([&] { write_file(path, std::string(4 << 20, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, AllOf(HasSubstr("File too large"), HasSubstr("nothing was changed")));
  EXPECT_EQ(test::read_bytes(path), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

class Packed : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Commands, Packed,
                         testing::Values("gzip -k text", "xz -k text", "zstd -q text", "bzip2 -k text",
                                         "tar cf text.tar text", "tar czf text.tgz text", "zip -q text.zip text"));

TEST_P(Packed, IsReadAsIfItWereNot) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i) + "\n";
  folder.write("text", text);
  if (test::run("sh", {"-c", GetParam()}, {.input = {}, .environment = {}, .folder = folder.path().string()})
          .exit_code != 0) {
    GTEST_SKIP() << "this machine can't run: " << GetParam();
  }
  fs::path packed;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().filename() != "text") packed = entry.path();
  }
  const auto source = open_input(packed);
  EXPECT_EQ(read_all(*source), text);
  EXPECT_EQ(source->raw_size(), fs::file_size(packed));

  const std::string bytes = test::read_bytes(packed);
  const auto cut = folder.write("cut", std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_THAT(message_of([&] {
                const auto broken = open_input(cut);
                read_all(*broken);
              }),
              HasSubstr("can't be unpacked"));
}

TEST(Files, AnArchiveOfSeveralFilesIsRefusedWithTheirNames) {
  const test::TemporaryFolder folder;
  folder.write("a/one.txt", "1");
  folder.write("a/two.txt", "2");
  ASSERT_EQ(test::run("tar", {"cf", (folder / "both.tar").string(), "-C", folder.path().string(), "a"}).exit_code, 0);
  EXPECT_THAT(message_of([&] { open_input(folder / "both.tar"); }), AllOf(HasSubstr("one.txt"), HasSubstr("several")));
  extract_member(folder / "both.tar", "two.txt", folder / "out");
  EXPECT_EQ(test::read_bytes(folder / "out"), "2");
  EXPECT_THAT(message_of([&] { extract_member(folder / "both.tar", "three.txt", folder / "out"); }),
              HasSubstr("expected a file three.txt"));
}

TEST(Files, AFolderAppearsWholeOrNotAtAll) {
  const test::TemporaryFolder folder;
  folder.write("out.partial/precious", "not ours");
  {
    const AtomicFolder half(folder / "out");
    write_file(half.filling() / "a", "1");
  }
  EXPECT_EQ(files_in(folder.path()), 1U);
  AtomicFolder whole(folder / "out");
  write_file(whole.filling() / "a", "1");
  whole.commit();
  EXPECT_EQ(test::read_bytes(folder / "out/a"), "1");
  EXPECT_EQ(test::read_bytes(folder / "out.partial/precious"), "not ours");
  EXPECT_THAT(message_of([&] { AtomicFolder again(folder / "out"); }), HasSubstr("is there already"));
}

TEST(Files, APipeIsReadFromItsStart) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "line " + std::to_string(i) + "\n";
  const auto path = folder.write("text", text).string();
  const auto fifo = (folder / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] { test::run("sh", {"-c", "cat " + path + " > " + fifo}); });
  const auto source = open_input(fifo);
  EXPECT_EQ(read_all(*source), text);
  writer.join();
}

TEST(Files, ReadAllHasALimit) {
  const auto source = open_memory("0123456789", "digits");
  EXPECT_THAT(message_of([&] { read_all(*source, 5); }), HasSubstr("at most 5 bytes"));
}

}  // namespace
}  // namespace gumption
