#include "support/processes.h"

#include <exception>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gumption::test {

std::uint16_t free_port() {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(listener);
  return ntohs(address.sin_port);
}

std::vector<std::string> launcher_variables(std::size_t rank, std::size_t size, std::uint16_t port,
                                            int timeout_seconds) {
  return {fmt::format("RANK={}", rank), fmt::format("WORLD_SIZE={}", size), "MASTER_ADDR=127.0.0.1",
          fmt::format("MASTER_PORT={}", port), fmt::format("GUMPTION_TIMEOUT={}", timeout_seconds)};
}

namespace {

struct Child {
  pid_t process = -1;
  int errors = -1;
};

Child start(const std::function<void()>& task) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t process = ::fork();
  if (process != 0) {
    ::close(ends[1]);
    return {process, ends[0]};
  }
  ::close(ends[0]);
  int code = 0;
  try {
    task();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    code = ::write(ends[1], text.data(), text.size()) > 0 ? 1 : 2;
  }
  ::_exit(code);
}

ChildResult finish(const Child& child) {
  ChildResult result;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(child.errors, buffer, sizeof(buffer))) > 0;) {
    result.error.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(child.errors);
  int status = 0;
  EXPECT_EQ(::waitpid(child.process, &status, 0), child.process);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace

std::vector<ChildResult> run_processes(std::size_t size, const std::function<void(std::size_t rank)>& task) {
  std::vector<Child> children;
  for (std::size_t rank = 0; rank < size; ++rank) children.push_back(start([&] { task(rank); }));
  std::vector<ChildResult> results;
  for (const Child& child : children) results.push_back(finish(child));
  return results;
}

}  // namespace gumption::test
