#pragma once

// One version of a function for each width of vectors; the loader takes the widest that runs here.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define GUMPTION_FOR_EACH_WIDTH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GUMPTION_FOR_EACH_WIDTH
#endif
