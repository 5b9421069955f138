#pragma once

namespace gumption {

/// Makes this process's systems of models from the room `models`. Call once, before starting threads.
void use_models();

}  // namespace gumption
