#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/cluster/transport.h"

namespace gumption {

std::unique_ptr<Transport> connect_processes(const ClusterOptions&) {
  require_feature("cluster");
  throw InternalError("a build without the feature has no transport");
}

}  // namespace gumption
