#include "cli/app.h"

int main(int argc, char** argv) { return gumption::cli::run_program(argc, argv); }
