#!/bin/sh
# Builds the reader: build/viewer/reader.wasm, which `npm run build` then puts into the page. On Debian 12; README.md has the packages.
set -eu
cd "$(dirname "$0")"
build=../../build/viewer
./sources "$build/sources"
cmake -G Ninja -S . -B "$build"
cmake --build "$build"
