#include "gumption/models/factory.h"

#if GUMPTION_WITH_CLUSTER
#include "gumption/cluster/gloo.h"
#endif

#include "cli/app.h"
#include "cli/engine.h"

int main(int argc, char** argv) {
  gumption::use_models();
#if GUMPTION_WITH_CLUSTER
  gumption::use_gloo();
#endif
  gumption::cli::set_is_engine();
  return gumption::cli::run_program(argc, argv);
}
