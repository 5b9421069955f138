# What gumption is built with. The first block is always needed and is all that a bare machine must have; each option of
# the second brings one library, is on by default, and a command whose feature is off says so.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Utf8proc REQUIRED)

set(GUMPTION_FEATURES "" CACHE INTERNAL "Features that are switched on")
set(GUMPTION_FEATURE_DEFINITIONS "")

# gumption_feature(NAME package "what it brings" [more arguments of find_package...])
macro(gumption_feature name package what)
  option(GUMPTION_WITH_${name} "${what} (${package})" ON)
  if(GUMPTION_WITH_${name})
    find_package(${package} REQUIRED ${ARGN})
    list(APPEND GUMPTION_FEATURES ${name})
    list(APPEND GUMPTION_FEATURE_DEFINITIONS GUMPTION_WITH_${name}=1)
  else()
    list(APPEND GUMPTION_FEATURE_DEFINITIONS GUMPTION_WITH_${name}=0)
  endif()
endmacro()

gumption_feature(ARCHIVES LibArchive "Reading .gz, .xz, .zst, .zip and .tar input")
gumption_feature(CHECKSUMS Sodium "SHA-256 of files")
gumption_feature(DOWNLOAD CURL "Fetching benchmarks and asking search clusters by HTTP")
gumption_feature(HITS Xapian "Document hits from a search index")
gumption_feature(LIBTORCH LibTorch "Models: answering with them and training them")
gumption_feature(SENTENCES ICU "Splitting text into sentences" COMPONENTS uc)
gumption_feature(SIMDJSON simdjson "Fast reading of JSON Lines")
gumption_feature(STEMS Stemmer "Porter and English stems")
gumption_feature(TENSORFLOW LevelDB "Reading TensorFlow checkpoints")
gumption_feature(XML pugixml "Reading and writing XML benchmarks")

# Process groups are LibTorch's.
if(GUMPTION_WITH_LIBTORCH)
  gumption_feature(CLUSTER Gloo "Several processes, on one machine or many, as one")
else()
  set(GUMPTION_WITH_CLUSTER OFF)
  list(APPEND GUMPTION_FEATURE_DEFINITIONS GUMPTION_WITH_CLUSTER=0)
endif()
