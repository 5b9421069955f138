#pragma once

// The formats that events come in, as question_format.h has those of questions.

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gumption/data/event.h"
#include "gumption/data/question_format.h"
#include "gumption/data/table_reader.h"

namespace gumption {

/// Gives the events of one file, one after another. Not thread-safe.
class EventReader {
 public:
  virtual ~EventReader() = default;

  /// The next event; false at the end. Throws BadRow when one row is at fault (call again to go on) and any other
  /// UserError when the rest can't be read.
  virtual bool next(Event& event) = 0;
  virtual const std::string& file() const = 0;
  virtual std::size_t line() const = 0;
  virtual ReadPosition position() const = 0;

 protected:
  [[noreturn]] void refuse(std::string expected, std::string found, std::string advice = {}) const;
};

/// Writes events to a file that appears, whole, with commit(). Not thread-safe.
class EventWriter {
 public:
  virtual ~EventWriter() = default;
  virtual void write(const Event& event) = 0;
  virtual void commit() = 0;
};

struct EventFormat {
  std::string name;
  std::string about;
  std::string extension;
  bool (*recognises)(const FileStart& start) = nullptr;
  std::unique_ptr<EventReader> (*open)(std::unique_ptr<ByteSource> source) = nullptr;
  std::unique_ptr<EventWriter> (*create)(const std::filesystem::path& path) = nullptr;
};

std::span<const EventFormat* const> event_formats();

/// nullptr where there is none of that name.
const EventFormat* find_event_format(std::string_view name);
const EventFormat* guess_event_format(const FileStart& start);

/// Calls `take` with each event of a file, or with the first `limit`; the first bad row ends it. `format` empty: told
/// by content. Returns the format.
const EventFormat& for_each_event(const std::filesystem::path& path, std::string_view format,
                                  const std::function<void(const Event&)>& take, std::uint64_t limit = 0);

/// Base for tables of events: rows are records, checked for their number of fields and for UTF-8.
class TableEventReader : public EventReader {
 public:
  TableEventReader(std::unique_ptr<ByteSource> source, TableOptions options) : table_(std::move(source), options) {}

  bool next(Event& event) final;
  const std::string& file() const final { return table_.name(); }
  std::size_t line() const final { return table_.line_number(); }
  ReadPosition position() const final { return {table_.source().raw_position(), table_.source().raw_size()}; }

 protected:
  virtual void fill(const std::vector<std::string>& fields, Event& event) = 0;
  const TableReader& table() const { return table_; }

  /// A JSON list of texts in a field.
  std::vector<std::string> list(const std::string& field) const;

 private:
  TableReader table_;
  std::vector<std::string> fields_;
};

/// Base for event writers of one text file.
class TextEventWriter : public EventWriter {
 public:
  explicit TextEventWriter(const std::filesystem::path& path) : file_(path) {}
  void commit() override { file_.commit(); }

 protected:
  void append(std::string_view text) { file_.write(text); }
  [[noreturn]] void refuse(const Event& event, const std::string& why) const;

 private:
  AtomicFile file_;
};

/// The values of a dimension; nullptr where the event has no such.
const std::vector<std::string>* values_of(const Event& event, std::string_view dimension);

std::string json_list_of(const std::vector<std::string>& values);

/// For EventFormat::open and ::create.
template <class Reader>
std::unique_ptr<EventReader> open_events_with(std::unique_ptr<ByteSource> source) {
  return std::make_unique<Reader>(std::move(source));
}
template <class Writer>
std::unique_ptr<EventWriter> create_events_with(const std::filesystem::path& path) {
  return std::make_unique<Writer>(path);
}

}  // namespace gumption
