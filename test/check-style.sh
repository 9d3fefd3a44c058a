#!/usr/bin/env bash
# Copyright (c) 2026 llm-fabric contributors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# The style check: clang-format with ns-3's .clang-format over all .h and .cc files, ASCII only, and
# the copyright and licence lines at the head of each source file. The version is pinned to what
# Debian 12 has, because each clang-format formats a little differently.
# Usage: check-style.sh [ROOT]   (default: the repository that holds this script)
set -euo pipefail

pinned=14

cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

# Tracked files and new ones, without what .gitignore names; a tarball has no git to ask.
# arguments: file name patterns
list_files() {
    if [ -e .git ] && git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard -- "$@" | sort -zu | while IFS= read -r -d '' file; do
            [ ! -f "$file" ] || printf '%s\0' "$file"
        done
    else
        local names=()
        local pattern
        for pattern in "$@"; do
            names+=(-o -path "./$pattern")
        done
        find . -path './build*' -prune -o -type f \( "${names[@]:1}" \) -print0 | sort -z
    fi
}

find_clang_format() {
    local name
    for name in clang-format-$pinned clang-format; do
        if command -v "$name" >/dev/null && "$name" --version | grep -q "version $pinned\."; then
            echo "$name"
            return
        fi
    done
    echo "check-style.sh: clang-format $pinned not found; run: examples/install-packages.sh style" >&2
    return 1
}

clang_format=$(find_clang_format) || exit 2
mapfile -d '' -t cpp < <(list_files '*.h' '*.cc')
mapfile -d '' -t scripts < <(list_files '*.py' '*.sh' '*wscript' '.ci/run')
if [ ${#cpp[@]} -eq 0 ]; then
    echo "check-style.sh: no .h or .cc file found in $PWD" >&2
    exit 2
fi

bad=0

printf '%s\0' "${cpp[@]}" | xargs -0 "$clang_format" --dry-run --Werror || bad=1

if LC_ALL=C grep -nH --color=never '[^ -~[:space:]]' "${cpp[@]}" "${scripts[@]}"; then
    echo "check-style.sh: the lines above hold characters outside ASCII" >&2
    bad=1
fi

for file in "${cpp[@]}" "${scripts[@]}"; do
    head=$(head -n 8 "$file")
    if ! grep -qE 'Copyright \(c\) 20[0-9]{2} llm-fabric contributors' <<<"$head" ||
        ! grep -q 'SPDX-License-Identifier: GPL-2.0-only' <<<"$head"; then
        echo "$file:1: the head lacks 'Copyright (c) YEAR llm-fabric contributors' or" \
            "'SPDX-License-Identifier: GPL-2.0-only'" >&2
        bad=1
    fi
done

[ $bad -eq 0 ] || exit 1
echo "check-style: ${#cpp[@]} C++ files and ${#scripts[@]} scripts, all well"
