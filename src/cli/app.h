#pragma once

namespace gumption::cli {

/// Runs the program: 0 done, 1 the user's input is at fault, 2 wrong usage, 70 our bug.
int run_program(int argc, char** argv);

}  // namespace gumption::cli
