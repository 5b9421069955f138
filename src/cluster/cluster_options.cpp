#include "gumption/cluster/cluster_options.h"

#include <cstdlib>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"

namespace gumption {

namespace {

constexpr std::int64_t kMostProcesses = 65'536;
constexpr std::int64_t kMostSeconds = std::int64_t{7} * 24 * 3600;

class Variables {
 public:
  explicit Variables(const std::function<const char*(const char*)>& get) : get_(get) {}

  bool has(const char* name) const { return get_(name) != nullptr; }

  std::string text(const char* name) const {
    const char* const value = get_(name);
    if (value == nullptr || *value == '\0') {
      throw UserError(
          fmt::format("{}: expected a value, since WORLD_SIZE says that there are several processes. "
                      "torchrun sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; unset WORLD_SIZE "
                      "and RANK to work alone.",
                      name));
    }
    return value;
  }

  std::int64_t number(const char* name, std::int64_t least, std::int64_t most) const {
    const std::string value = text(name);
    const auto parsed = parse_integer(value);
    if (!parsed || *parsed < least || *parsed > most) {
      throw UserError(
          fmt::format("{}: expected a whole number from {} to {}, found {}.", name, least, most, in_quotes(value)));
    }
    return *parsed;
  }

 private:
  const std::function<const char*(const char*)>& get_;
};

}  // namespace

ClusterOptions ClusterOptions::from(const std::function<const char*(const char*)>& get) {
  const Variables variables(get);
  ClusterOptions options;
  if (!variables.has("WORLD_SIZE") && !variables.has("RANK")) return options;
  if (!variables.has("WORLD_SIZE")) {
    throw UserError("WORLD_SIZE: expected how many processes there are, since RANK is set; found nothing.");
  }
  const std::int64_t size = variables.number("WORLD_SIZE", 1, kMostProcesses);
  if (size == 1) return options;
  options.size = static_cast<std::size_t>(size);
  options.rank = static_cast<std::size_t>(variables.number("RANK", 0, size - 1));
  options.address = variables.text("MASTER_ADDR");
  options.port = static_cast<std::uint16_t>(variables.number("MASTER_PORT", 1, 65'535));
  if (variables.has("GUMPTION_TIMEOUT")) {
    options.timeout = std::chrono::seconds(variables.number("GUMPTION_TIMEOUT", 1, kMostSeconds));
  }
  // torchrun's own agent listens at MASTER_PORT and says so by this variable.
  if (variables.has("TORCHELASTIC_USE_AGENT_STORE")) {
    options.agent_has_store = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  }
  if (variables.has("TORCHELASTIC_RESTART_COUNT")) options.attempt = variables.text("TORCHELASTIC_RESTART_COUNT");
  return options;
}

ClusterOptions ClusterOptions::from_environment() {
  return from([](const char* name) { return std::getenv(name); });
}

}  // namespace gumption
