# Each target sets up what it needs. `make demo` and `make test` are all a newcomer has to know.

PRESET := $(if $(CI),ci,release)
JOBS := $(shell nproc)

.PHONY: demo test build sanitize fuzz bench format check-format lint clean

demo:
	scripts/setup build
	cmake --preset $(PRESET) -DGUMPTION_BUILD_TESTS=OFF > /dev/null
	cmake --build build --target gumption
	scripts/demo

test:
	scripts/setup build test
	cmake --preset $(PRESET) -DGUMPTION_BUILD_TESTS=ON > /dev/null
	cmake --build build
	ctest --preset $(PRESET) --parallel $(JOBS)

build:
	scripts/setup build
	cmake --preset $(PRESET) > /dev/null
	cmake --build build

sanitize:
	scripts/setup build test
	cmake --preset asan > /dev/null
	cmake --build build-asan
	ctest --preset asan --parallel $(JOBS)

# SECONDS=60 is how long each target runs.
fuzz:
	scripts/setup build fuzz
	cmake --preset fuzz > /dev/null
	cmake --build build-fuzz
	scripts/fuzz $(or $(SECONDS),60)

bench:
	scripts/setup build bench
	cmake --preset bench > /dev/null
	cmake --build build
	scripts/bench

format:
	scripts/setup lint
	git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format-16 -i

check-format:
	scripts/setup lint
	git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format-16 --dry-run --Werror

lint: check-format
	scripts/setup build
	cmake --preset lint > /dev/null
	run-clang-tidy-16 -p build-lint -quiet -j $(JOBS) '/src/.*\.cpp$$'

clean:
	rm -rf build build-*
