#include "gumption/base/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gumption/base/archive.h"
#include "gumption/base/build_info.h"
#include "gumption/base/error.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_to(const char* what, const std::string& name, int error_number) {
  std::string advice;
  if (error_number == ENOENT) advice = " Check the name.";
  if (error_number == EISDIR) advice = " Name a file in it.";
  if (error_number == EACCES) advice = " Check its permissions.";
  if (error_number == ENOSPC || error_number == EFBIG) advice = " Free some space; nothing was changed.";
  throw UserError(fmt::format("{}: can't {}: {}.{}", name, what, system_message(error_number), advice));
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

int open_for_reading(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_to("read it", path.string(), errno);
  return descriptor;
}

struct stat status_of(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail_to("read it", name, errno);
  if (S_ISDIR(status.st_mode)) fail_to("read it", name, EISDIR);
  return status;
}

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(const fs::path& path)
      : name_(path == "-" ? "standard input" : path.string()),
        file_(path == "-" ? STDIN_FILENO : open_for_reading(path)) {
    const struct stat status = status_of(file_.get(), name_);
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
  }

  std::size_t read(char* into, std::size_t size) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), into, size);
      if (got >= 0) {
        position_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) fail_to("read it", name_, errno);
    }
  }

  const std::string& name() const override { return name_; }
  std::uint64_t raw_size() const override { return size_; }
  std::uint64_t raw_position() const override { return position_; }

 private:
  std::string name_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  std::size_t read(char* into, std::size_t size) override {
    const std::size_t taken = std::min(size, bytes_.size() - position_);
    std::memcpy(into, bytes_.data() + position_, taken);
    position_ += taken;
    return taken;
  }

  const std::string& name() const override { return name_; }
  std::uint64_t raw_size() const override { return bytes_.size(); }
  std::uint64_t raw_position() const override { return position_; }

 private:
  std::string_view bytes_;
  std::string name_;
  std::size_t position_ = 0;
};

/// Some bytes that were read already, then the rest of their source.
class RewoundSource final : public ByteSource {
 public:
  RewoundSource(std::string start, std::unique_ptr<ByteSource> rest)
      : start_(std::move(start)), rest_(std::move(rest)) {}

  std::size_t read(char* into, std::size_t size) override {
    if (given_ == start_.size()) return rest_->read(into, size);
    const std::size_t taken = std::min(size, start_.size() - given_);
    std::memcpy(into, start_.data() + given_, taken);
    given_ += taken;
    return taken;
  }

  const std::string& name() const override { return rest_->name(); }
  std::uint64_t raw_size() const override { return rest_->raw_size(); }
  std::uint64_t raw_position() const override { return rest_->raw_position(); }

 private:
  std::string start_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

}  // namespace

std::unique_ptr<ByteSource> rewound(std::string start, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<RewoundSource>(std::move(start), std::move(rest));
}

std::unique_ptr<ByteSource> open_plain(const fs::path& path) { return std::make_unique<PlainSource>(path); }

std::unique_ptr<ByteSource> open_memory(std::string_view bytes, std::string name) {
  return std::make_unique<MemorySource>(bytes, std::move(name));
}

std::unique_ptr<ByteSource> open_input(const fs::path& path) {
  // A pipe can be read once only: what is looked at is given back, never read again.
  auto source = open_plain(path);
  std::string start(512, '\0');
  std::size_t filled = 0;
  while (filled < start.size()) {
    const std::size_t got = source->read(start.data() + filled, start.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  start.resize(filled);
  if (!looks_packed(start)) return rewound(std::move(start), std::move(source));
  require_feature("archives");
  if (!fs::is_regular_file(path)) {
    throw UserError(
        fmt::format("{}: can't unpack it on the way: it is no regular file. Unpack it first, for example "
                    "with zcat.",
                    source->name()));
  }
  return open_packed(path);
}

std::string read_all(ByteSource& source, std::uint64_t limit) {
  std::string all;
  std::vector<char> buffer(1 << 18);
  while (const std::size_t got = source.read(buffer.data(), buffer.size())) {
    if (all.size() + got > limit) {
      throw UserError(fmt::format("{}: expected at most {} bytes, found more.", source.name(), limit));
    }
    all.append(buffer.data(), got);
  }
  return all;
}

MappedFile::MappedFile(const fs::path& path) {
  const Descriptor file(open_for_reading(path));
  size_ = static_cast<std::size_t>(status_of(file.get(), path.string()).st_size);
  if (size_ == 0) return;
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) fail_to("map it", path.string(), errno);
  data_ = static_cast<const char*>(data);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

namespace {

constexpr std::size_t kWriteBuffer = std::size_t{1} << 18;

/// Pipes and devices can only be written to directly.
bool is_special(const fs::path& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) ::fsync(descriptor.get());
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  if (path_ == "-") {
    to_stdout_ = true;
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (fs::is_directory(path_)) fail("write it", EISDIR);
  if (is_special(path_)) {
    to_stdout_ = true;
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("write it", errno);
    return;
  }
  if (fs::is_symlink(path_)) path_ = fs::weakly_canonical(path_);
  constexpr mode_t kMode = 0666;
  descriptor_ = ::open(folder_of(path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  if (descriptor_ >= 0) return;
  if (errno == ENOENT || errno == EACCES || errno == EROFS || errno == ENOTDIR) fail("write it", errno);
  // A file system without unnamed files: a named one that the destructor removes.
  temporary_ = folder_of(path_) / fmt::format(".{}.partial-{}", path_.filename().string(), ::getpid());
  descriptor_ = ::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, kMode);
  if (descriptor_ < 0) fail("write it", errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* what, int error_number) const { fail_to(what, path_.string(), error_number); }

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kWriteBuffer) flush();
}

void AtomicFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write it", errno);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (to_stdout_) return;
  if (::fsync(descriptor_) != 0) fail("write it", errno);
  if (temporary_.empty()) {
    const fs::path named = folder_of(path_) / fmt::format(".{}.partial-{}", path_.filename().string(), ::getpid());
    ::unlink(named.c_str());
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, named.c_str(), AT_SYMLINK_FOLLOW) != 0) fail("write it", errno);
    temporary_ = named;
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write it", errno);
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void write_file(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void sync_to_disk(const fs::path& file_or_folder) {
  const Descriptor descriptor(::open(file_or_folder.c_str(), O_RDONLY | O_CLOEXEC));
  // Some file systems know no syncing of folders, and say EINVAL.
  if (descriptor.get() >= 0 && (::fsync(descriptor.get()) == 0 || errno == EINVAL)) return;
  throw UserError(fmt::format("{}: can't write it: {}.", file_or_folder.string(), system_message(errno)));
}

}  // namespace gumption
