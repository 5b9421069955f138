#include "support/shell.h"

#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

namespace gumption::test {

RunResult run(const std::string& program, const std::vector<std::string>& arguments, const RunOptions& options) {
  const TemporaryFolder folder;
  const auto input = folder.write("in", options.input);
  const std::string out = (folder / "out").string();
  const std::string err = (folder / "err").string();

  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("can't fork");
  if (child == 0) {
    const auto redirect = [](const std::string& path, int flags, int to) {
      const int from = ::open(path.c_str(), flags, 0600);
      if (from < 0 || ::dup2(from, to) < 0) ::_exit(126);
    };
    redirect(input.string(), O_RDONLY, STDIN_FILENO);
    redirect(out, O_CREAT | O_WRONLY, STDOUT_FILENO);
    redirect(err, O_CREAT | O_WRONLY, STDERR_FILENO);
    if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
    for (const auto& entry : options.environment) ::putenv(const_cast<char*>(entry.c_str()));
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execvp(program.c_str(), argv.data());
    ::_exit(127);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("can't wait");
  RunResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_bytes(out);
  result.err = read_bytes(err);
  return result;
}

RunResult gumption(const std::vector<std::string>& arguments, const RunOptions& options) {
  return run(program().string(), arguments, options);
}

}  // namespace gumption::test
