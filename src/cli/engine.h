#pragma once

// LibTorch takes a quarter of a second to load, which most commands don't need. It is linked into a second program,
// gumption-engine, that is otherwise the same; `gumption` becomes that one where a command asks for it.

namespace gumption::cli {

/// Becomes gumption-engine with the same arguments; returns only where this build has none or this already is it.
/// UserError where it can't be started.
void become_engine(char** argv);

/// Whether the launcher's variables say that this process is one of several, for commands that share their work then.
/// UserError where they are wrong, or where this build can't.
bool is_one_of_several();

/// Says that this program is the engine.
void set_is_engine();

}  // namespace gumption::cli
