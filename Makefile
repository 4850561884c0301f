# The front door. `make help` says what there is to do; CMakeLists.txt is the build itself.
SHELL := /bin/bash
BUILD := build/release
PREFIX ?= /usr/local
JOBS ?= 2
ARCH ?= sm_90
CMAKE_FLAGS ?=
CUDA_PATH ?= /usr/local/cuda
export CUDA_PATH
# Tests and measurements leave the user's own alone.
export CUPREWRITE_CACHE ?= $(CURDIR)/$(BUILD)/header-cache

help: ## Show this list
	@echo "cuprewrite: see how a CUDA program uses memory"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do \
	  printf '  make %-12s %s\n' "$$name" "$$what"; done

setup: ## Install what the build needs (Debian packages)
	@scripts/setup

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json
	cmake --preset release $(CMAKE_FLAGS)

build: setup $(BUILD)/build.ninja ## Build everything, into build/release
	cmake --build --preset release -j$(JOBS)

# All but the tests.
product: setup $(BUILD)/build.ninja
	cmake --build --preset release -j$(JOBS) --target product

demo: product ## Rewrite an example, run it, look at its memory accesses
	@ARCH=$(ARCH) scripts/demo $(BUILD)/bin

test: build ## Build, and run all tests
	@scripts/setup test
	ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS)

format: ## Lay out the sources as .clang-format says
	@scripts/format

FUZZ_SECONDS ?= 3600

fuzz: setup ## Fuzz everything that reads bytes, an hour each (FUZZ_SECONDS)
	@scripts/fuzz $(FUZZ_SECONDS)

bench: build ## Measure what tracing costs, on a GPU if there is one (BENCH=everyday: more kernels)
	@scripts/bench $(BUILD)/bin $(BENCH)

DEVICE ?= cpu

reproduce: product ## Judge the results of Rieber 2017, write docs/reproduction.md (DEVICE=gpu)
	@scripts/reproduce --tools $(BUILD)/bin --device=$(DEVICE) --arch=$(ARCH) --jobs=$(JOBS) --page=docs/reproduction.md

install: build ## Install under PREFIX (default /usr/local)
	cmake --install $(BUILD) --prefix $(PREFIX)

gpu-bundle: build ## Gather what a GPU machine without compilers needs to run the tests
	@scripts/gpu_bundle $(BUILD)/bin gpu-bundle $(ARCH)

clean: ## Remove build, gpu-bundle and what the examples built
	rm -rf build gpu-bundle
	@for example in examples/*/Makefile; do $(MAKE) -s -C $$(dirname $$example) clean; done

.PHONY: help setup product build demo test format fuzz bench reproduce install gpu-bundle clean
.DEFAULT_GOAL := help
