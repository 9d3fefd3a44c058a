#!/usr/bin/env bash
# Copyright (c) 2026 llm-fabric contributors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# From a fresh clone to a trace: installs the Debian packages that are missing, makes a release
# build in build/ and runs the scenario gpt2-dp8. The results, gpt2-dp8.h5 and gpt2-dp8.json, are
# written to the repository's top folder. Arguments are passed on to llm-fabric-run, for example
#   examples/quickstart.sh --set=run.steps=2
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash examples/install-packages.sh build

cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DENABLE_EXAMPLES=ON -DENABLE_TESTS=OFF
cmake --build build --parallel "$(nproc)"

exec build/llm-fabric-run --scenario=gpt2-dp8 "$@"
