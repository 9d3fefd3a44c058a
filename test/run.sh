#!/usr/bin/env bash
# Copyright (c) 2026 llm-fabric contributors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the Debian packages that are missing, builds with the tests in build-test/ and runs all
# of them. Arguments are passed on to ctest, for example
#   test/run.sh -R Dcqcn
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash examples/install-packages.sh build test

cmake -S . -B build-test -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DENABLE_EXAMPLES=ON \
    -DENABLE_TESTS=ON -DLLM_FABRIC_WERROR=ON
cmake --build build-test --parallel "$(nproc)"

exec ctest --test-dir build-test --output-on-failure --no-tests=error -j2 "$@"
