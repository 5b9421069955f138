#include "gumption/base/checksum.h"

#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "support/support.h"

namespace gumption {
namespace {

// FIPS 180-2's examples.
TEST(Checksum, MatchesTheStandardsExamples) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(sha256_of_file(folder.write("abc", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of_file(folder.write("million", std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_THROW(sha256_of_file(folder / "absent"), UserError);
}

// What `git hash-object` prints.
TEST(Checksum, MatchesGit) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(git_blob_of_file(folder.write("empty", "")), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_of_file(folder.write("hello", "hello\n")), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(git_blob_of_file(folder.write("long", std::string(1'000'000, 'a'))),
            "de1fbf0c2f34f67f01f355f31ed0cf7319643c5e");
}

}  // namespace
}  // namespace gumption
