#include "gumption/models/factory.h"

#include "cli/app.h"
#include "cli/engine.h"

int main(int argc, char** argv) {
  gumption::use_models();
  gumption::cli::set_is_engine();
  return gumption::cli::run_program(argc, argv);
}
