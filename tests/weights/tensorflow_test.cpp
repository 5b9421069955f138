// Checkpoints as TensorFlow's writer makes them, written here with LevelDB's own table builder.

#include <functional>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <leveldb/env.h>
#include <leveldb/table_builder.h>

#include "gumption/weights/checkpoint.h"
#include "gumption/weights/crc32c.h"
#include "gumption/weights/tensorflow_index.h"

#include "support/support.h"
#include "weights/store_support.h"

namespace gumption {
namespace {

using test::bytes_of;
using test::complaint_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

class TextFile : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    text_.append(data.data(), data.size());
    return {};
  }
  leveldb::Status Close() override { return {}; }
  leveldb::Status Flush() override { return {}; }
  leveldb::Status Sync() override { return {}; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string field(int number, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}
std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}

/// Builds the index and the data file.
class BundleWriter {
 public:
  void add(const std::string& name, const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    std::string bytes;
    for (const float value : values) bytes += bytes_of(value);
    std::string dimensions;
    for (const auto extent : shape) dimensions += field(2, field(1, static_cast<std::uint64_t>(extent)));
    entries_[name] = field(1, 1) + field(2, dimensions) + field(4, data_.size()) + field(5, bytes.size()) +
                     varint(6 << 3 | 5) + bytes_of(masked_crc32c(bytes));
    data_ += bytes;
  }
  void add_raw(const std::string& name, const std::string& entry) { entries_[name] = entry; }

  /// Filled with `start`, `start` + 1, …
  void add_counted(const std::string& name, const std::vector<std::int64_t>& shape, float start = 0) {
    std::vector<float> values(
        static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
    std::iota(values.begin(), values.end(), start);
    add(name, shape, values);
  }

  std::string index(leveldb::CompressionType compression = leveldb::kNoCompression) const {
    leveldb::Options options;
    options.compression = compression;
    options.block_size = 256;  // several blocks
    TextFile file;
    leveldb::TableBuilder builder(options, &file);
    for (const auto& [key, value] : entries_) builder.Add(key, value);
    EXPECT_TRUE(builder.Finish().ok());
    return file.text();
  }
  const std::string& data() const { return data_; }

  void write(const test::TemporaryFolder& folder, const std::string& prefix) const {
    folder.write(prefix + ".index", index());
    folder.write(prefix + ".data-00000-of-00001", data_);
  }

 private:
  std::map<std::string, std::string> entries_ = {{"", field(1, 1)}};  // the header: one data file
  std::string data_;
};

/// A BERT of one layer, 64 wide, with Google's names.
BundleWriter tiny_bert(const std::string& prefix) {
  BundleWriter writer;
  const auto dense = [&](const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    writer.add_counted(prefix + name + "/kernel", {inputs, outputs});
    writer.add_counted(prefix + name + "/bias", {outputs});
  };
  const auto norm = [&](const std::string& name) {
    writer.add_counted(prefix + name + "/gamma", {64}, 100);
    writer.add_counted(prefix + name + "/beta", {64}, 200);
  };
  writer.add_counted(prefix + "bert/embeddings/word_embeddings", {3, 64});
  writer.add_counted(prefix + "bert/embeddings/position_embeddings", {5, 64});
  writer.add_counted(prefix + "bert/embeddings/token_type_embeddings", {2, 64});
  norm("bert/embeddings/LayerNorm");
  const std::string layer = "bert/encoder/layer_0/";
  for (const char* role : {"query", "key", "value"}) dense(layer + "attention/self/" + role, 64, 64);
  dense(layer + "attention/output/dense", 64, 64);
  norm(layer + "attention/output/LayerNorm");
  dense(layer + "intermediate/dense", 64, 8);
  dense(layer + "output/dense", 8, 64);
  norm(layer + "output/LayerNorm");
  dense("bert/pooler/dense", 64, 64);
  dense("cls/predictions/transform/dense", 64, 64);
  norm("cls/predictions/transform/LayerNorm");
  writer.add_counted(prefix + "cls/predictions/output_bias", {3});
  return writer;
}

TEST(TensorFlow, GooglesReleaseOpens) {
  const test::TemporaryFolder folder;
  BundleWriter writer = tiny_bert("");
  writer.add_counted("cls/seq_relationship/output_weights", {2, 64});
  writer.add_counted("cls/seq_relationship/output_bias", {2});
  writer.add_counted("bert/pooler/dense/kernel/adam_m", {64, 64});
  writer.add_counted("bert/pooler/dense/kernel/adam_v", {64, 64});
  writer.add_raw("global_step",
                 field(1, 9) + field(5, 8) + varint(6 << 3 | 5) + bytes_of(masked_crc32c(writer.data().substr(0, 8))));
  writer.write(folder, "bert_model.ckpt");
  folder.write("bert_config.json",
               R"({"hidden_act": "gelu", "hidden_size": 64, "intermediate_size": 8, "max_position_embeddings": 5,
                   "num_attention_heads": 2, "num_hidden_layers": 1, "type_vocab_size": 2, "vocab_size": 3})");
  const Checkpoint checkpoint = open_checkpoint(folder.path());
  EXPECT_EQ(checkpoint.format, "tensorflow");
  EXPECT_THAT(checkpoint.missing, IsEmpty());
  EXPECT_THAT(checkpoint.left_over, IsEmpty());
  EXPECT_THAT(checkpoint.notes, IsEmpty());
  EXPECT_EQ(checkpoint.config.heads, 2);
  EXPECT_TRUE(checkpoint.heads.next_sentence && checkpoint.heads.masked_lm && checkpoint.heads.pooler);
  // Kernels are stored input × output: element (o, i) here is (i, o) there.
  const auto kernel = test::values_of(*checkpoint.tensors->find("bert.encoder.layer.0.intermediate.dense.weight"));
  EXPECT_EQ(kernel[3 * 64 + 5], 5 * 8 + 3);
  EXPECT_EQ(test::values_of(*checkpoint.tensors->find("bert.embeddings.LayerNorm.bias")).front(), 200);
  EXPECT_EQ(test::values_of(*checkpoint.tensors->find("cls.seq_relationship.weight"))[64], 64);
  EXPECT_EQ(open_tensorflow(folder / "bert_model.ckpt")->tensors().size(),
            open_tensorflow(folder / "bert_model.ckpt.index")->tensors().size());
}

TEST(TensorFlow, SavedModelOpensWithoutAConfig) {
  const test::TemporaryFolder folder;
  tiny_bert("module/").write(folder, "variables/variables");
  folder.write("assets/vocab.txt", "[UNK]\na\nb\n");
  const Checkpoint checkpoint = open_checkpoint(folder.path());
  EXPECT_EQ(checkpoint.config.heads, 1);
  EXPECT_EQ(checkpoint.config.layers, 1);
  EXPECT_EQ(checkpoint.config.inner, 8);
  EXPECT_FALSE(checkpoint.heads.next_sentence);
  EXPECT_THAT(checkpoint.missing, IsEmpty());
  EXPECT_THAT(checkpoint.left_over, IsEmpty());
  EXPECT_THAT(checkpoint.notes, ElementsAre(HasSubstr("no config.json")));
}

TEST(TensorFlow, OpenAisGpt2Opens) {
  const test::TemporaryFolder folder;
  BundleWriter writer;
  writer.add_counted("model/wte", {3, 4});
  writer.add_counted("model/wpe", {5, 4});
  for (const char* norm : {"h0/ln_1", "h0/ln_2", "ln_f"}) {
    writer.add_counted(fmt::format("model/{}/g", norm), {4});
    writer.add_counted(fmt::format("model/{}/b", norm), {4});
  }
  const auto conv = [&](const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    writer.add_counted("model/h0/" + name + "/w", {1, inputs, outputs});
    writer.add_counted("model/h0/" + name + "/b", {outputs});
  };
  conv("attn/c_attn", 4, 12);
  conv("attn/c_proj", 4, 4);
  conv("mlp/c_fc", 4, 16);
  conv("mlp/c_proj", 16, 4);
  writer.write(folder, "model.ckpt");
  folder.write("hparams.json", R"({"n_vocab": 3, "n_ctx": 5, "n_embd": 4, "n_head": 2, "n_layer": 1})");
  const Checkpoint checkpoint = open_checkpoint(folder.path());
  EXPECT_THAT(checkpoint.missing, IsEmpty());
  EXPECT_THAT(checkpoint.left_over, IsEmpty());
  EXPECT_THAT(checkpoint.tensors->find("transformer.h.0.attn.c_attn.weight")->shape, ElementsAre(4, 12));
  EXPECT_EQ(test::values_of(*checkpoint.tensors->find("transformer.h.0.attn.c_attn.weight"))[12], 12);
}

TEST(TensorFlow, DamageIsNoticed) {
  const test::TemporaryFolder folder;
  BundleWriter writer;
  writer.add_counted("bert/x", {4});
  std::string data = writer.data();
  data[5] ^= 1;
  folder.write("m.index", writer.index());
  folder.write("m.data-00000-of-00001", data);
  EXPECT_THAT(complaint_of([&] { open_tensorflow(folder.path()); }), HasSubstr("another sum"));
  folder.write("m.data-00000-of-00001", writer.data().substr(1));
  EXPECT_THAT(complaint_of([&] { open_tensorflow(folder.path()); }), HasSubstr("cut off"));
  writer.add_raw("z", field(1, 1) + field(2, field(2, field(1, 3))) + field(5, 8));
  folder.write("m.index", writer.index());
  folder.write("m.data-00000-of-00001", writer.data());
  EXPECT_THAT(complaint_of([&] { open_tensorflow(folder.path()); }), HasSubstr("12 bytes for \"z\""));
  EXPECT_THAT(complaint_of([&] { open_tensorflow(folder / "other"); }), HasSubstr("no "));
}

TEST(TensorFlow, EveryFlippedByteOfAnIndexIsNoticedOrHarmless) {
  const std::string index = tiny_bert("").index();
  const std::size_t entries = parse_bundle_index(index, "f").entries.size();
  for (std::size_t i = 0; i < index.size(); ++i) {
    std::string damaged = index;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    try {
      EXPECT_EQ(parse_bundle_index(damaged, "f").entries.size(), entries) << i;
    } catch (const UserError&) {
    }
    EXPECT_NE(complaint_of([&] { parse_bundle_index(std::string_view(index).substr(0, i), "f"); }), "(no complaint)");
  }
}

TEST(TensorFlow, HostileIndexesAreRefused) {
  const BundleWriter writer = tiny_bert("");
  std::string index = writer.index();
  // The handle of the index block, second in the footer, made as large as it can be.
  const std::string huge = varint(0) + varint(0) + varint(0) + varint(~std::uint64_t{0});
  std::string footer = index.substr(index.size() - 48);
  footer.replace(0, huge.size(), huge);
  EXPECT_THAT(complaint_of([&] { parse_bundle_index(index.substr(0, index.size() - 48) + footer, "f"); }),
              HasSubstr("beyond its end"));
  EXPECT_THAT(complaint_of([&] { parse_bundle_index("", "f"); }), HasSubstr("cut off"));
  BundleWriter bad;
  bad.add_raw("bert/x", "\xff\xff");
  EXPECT_THAT(complaint_of([&] { parse_bundle_index(bad.index(), "f"); }), HasSubstr("damaged entry"));
  bad.add_raw("", field(1, 1'000'000'000));
  EXPECT_THAT(complaint_of([&] { parse_bundle_index(bad.index(), "f"); }), HasSubstr("number of data files"));
}

TEST(Crc32c, KnownSums) {
  // RFC 3720, appendix B.4.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
}

}  // namespace
}  // namespace gumption
