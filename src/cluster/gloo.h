#pragma once

namespace gumption {

/// Lets this program's process groups work over LibTorch's. Call once, before starting threads. Needs the target
/// gumption::cluster_gloo, which a build with the feature `cluster` has.
void use_gloo();

}  // namespace gumption
