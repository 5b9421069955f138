#include "gumption/corpus/hits_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::HasSubstr;

const HitCacheSource kSource = {"http://127.0.0.1:9200/", "books", "text"};
const std::string kHeader =
    R"({"magic":"gumption hit counts","version":1,"endpoint":"http://127.0.0.1:9200/","index":"books","field":"text"})"
    "\n";

class HitCacheFile : public testing::Test {
 protected:
  std::string opening_fails(const HitCacheSource& source = kSource) const {
    try {
      const HitCache cache(path_, source);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  void write(const std::string& bytes) const { folder_.write("cache", bytes); }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "cache";
};

TEST_F(HitCacheFile, KeepsCounts) {
  {
    HitCache cache(path_, kSource);
    EXPECT_EQ(cache.find("phrase\tcat\t"), std::nullopt);
    cache.add("phrase\tcat\t", 12);
    cache.add("phrase\tcat\tdog", 0);
    EXPECT_EQ(cache.find("phrase\tcat\t"), 12);
  }
  EXPECT_EQ(test::read_bytes(path_), kHeader + "12\tphrase\tcat\t\n0\tphrase\tcat\tdog\n");
  const HitCache cache(path_, kSource);
  EXPECT_EQ(cache.size(), 2);
  EXPECT_EQ(cache.find("phrase\tcat\tdog"), 0);
}

TEST_F(HitCacheFile, CutAnywhereStillServes) {
  const std::string whole = kHeader + "12\tphrase\tcat\t\n345\tphrase\tcat\tdog\n";
  const std::size_t first_end = kHeader.size() + std::string("12\tphrase\tcat\t\n").size();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(whole.substr(0, size));
    {
      HitCache cache(path_, kSource);
      EXPECT_EQ(cache.find("phrase\tcat\t").has_value(), size >= first_end) << size;
      EXPECT_EQ(cache.find("phrase\tcat\tdog").has_value(), size == whole.size()) << size;
      cache.add("phrase\tmouse\t", 7);
    }
    const HitCache again(path_, kSource);
    EXPECT_EQ(again.find("phrase\tmouse\t"), 7) << size;
  }
}

TEST_F(HitCacheFile, OfAnotherSourceIsRefused) {
  write(kHeader);
  EXPECT_EQ(opening_fails(), "no error");
  EXPECT_THAT(opening_fails({"http://127.0.0.1:9200/", "papers", "text"}), HasSubstr("one cache for each endpoint"));
  EXPECT_EQ(test::read_bytes(path_), kHeader);
}

TEST_F(HitCacheFile, OfAnotherKindOrVersionIsRefusedAndStays) {
  for (const std::string foreign : {"my diary\nday one\n", "my diary", "[1]\n", "{}\n"}) {
    write(foreign);
    EXPECT_THAT(opening_fails(), HasSubstr("cache:1: expected a file of hit counts"));
    EXPECT_EQ(test::read_bytes(path_), foreign);
  }
  write("{\"magic\":\"gumption hit counts\",\"version\":2}\n");
  EXPECT_THAT(opening_fails(), HasSubstr("expected hit counts of version 1, found version 2"));
}

TEST_F(HitCacheFile, WithADamagedLineIsRefused) {
  for (const std::string row : {"x\tphrase\tcat\t\n", "12\n", "-1\tphrase\tcat\t\n", "\n"}) {
    write(kHeader + "12\tphrase\tcat\t\n" + row);
    EXPECT_THAT(opening_fails(), HasSubstr("cache:3: expected a count, a tab and a query")) << row;
  }
}

TEST_F(HitCacheFile, IsHeldByOneAtATime) {
  const HitCache cache(path_, kSource);
  EXPECT_THAT(opening_fails(), HasSubstr("another process uses this cache"));
}

}  // namespace
}  // namespace gumption
