#!/usr/bin/env bash
# Copyright (c) 2026 llm-fabric contributors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the Debian packages that llm-fabric needs and that are missing, as root or through sudo.
# Once they are there it does nothing at all, so it also works offline.
# Usage: install-packages.sh [build|test|style]...   (default: build)
set -euo pipefail

declare -A groups=(
    [build]="g++ cmake ninja-build libns3-dev libhdf5-dev libyaml-cpp-dev libboost-dev nlohmann-json3-dev"
    [test]="libgtest-dev hdf5-tools python3 tshark"
    [style]="clang-format"
)

say() {
    echo "install-packages.sh: $*" >&2
}

is_installed() {
    # one line for each architecture; nothing when dpkg has never heard of the package
    dpkg-query --show --showformat='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

[ $# -gt 0 ] || set -- build
wanted=()
for group in "$@"; do
    if [ -z "${groups[$group]:-}" ]; then
        say "unknown group '$group'; allowed: build, test, style"
        exit 2
    fi
    read -ra packages <<<"${groups[$group]}"
    wanted+=("${packages[@]}")
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is no Debian system; nothing is installed, what Debian calls ${wanted[*]} has to be there"
    exit 0
fi

missing=()
for package in "${wanted[@]}"; do
    is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        say "missing packages: ${missing[*]}"
        say "installing them needs root, and there is no sudo; run as root: apt-get install ${missing[*]}"
        exit 1
    fi
    as_root=(sudo)
fi

apt() {
    # waits when another apt is at work, as on a machine that has just booted
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null
}

say "installing ${missing[*]}"
apt update || say "apt-get update failed; trying with the package lists that are there"
if ! apt install --yes --no-install-recommends "${missing[@]}"; then
    say "could not install: ${missing[*]}"
    say "the reason stands above; once these packages are there, no root and no network are needed"
    exit 1
fi
