#!/usr/bin/env python3
# Copyright (c) 2026 llm-fabric contributors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The layer check: maps every #include to its room and fails on an arrow that the design forbids.

Comments (and, except for includes, string literals) are stripped first. Also checked: file length,
header names, output and exit calls in model/, per-packet logging in the hot rooms, and that hdf5.h
stays private. Plain Python 3, no packages. Exit status: 0 all well, 1 violations, 2 cannot check.
"""

import argparse
import pathlib
import re
import sys
import tempfile

MAX_LINES = 400

# room: (rooms, ns-3 modules) that it may include; its own room and model/user-error.h always go
ROOMS = {
    "workload": ((), ("core",)),
    "collective": ((), ("core",)),
    "engine": ((), ("core",)),
    "fabric": (("engine",), ("core", "network", "internet")),
    "cc": (("engine",), ("core", "network")),
    "nic": (("cc", "fabric", "engine"), ("core", "network", "internet")),
    "gpu": (("nic", "fabric", "engine"), ("core", "network")),
    "replay": (("workload", "collective", "gpu"), ("core", "network")),
    "trace": ((), ("core",)),
    "user-error": ((), ()),
}
MODEL_ROOMS = tuple(ROOMS)
ROOMS["helper"] = (MODEL_ROOMS, ("core", "network", "internet", "flow-monitor", "mpi"))
# examples and tests use any room and any ns-3 module
ROOMS["examples"] = (MODEL_ROOMS + ("helper",), None)
ROOMS["test"] = (MODEL_ROOMS + ("helper",), None)

# plain values: these rooms know no simulator, although it lies in ns-3's core
PLAIN_ROOMS = ("workload", "collective")
SIMULATOR_HEADER = re.compile(
    r"(.*-)?(simulator|simulator-impl|scheduler|synchronizer|event-id|event-impl|make-event"
    r"|timer|timer-impl|watchdog|event-garbage-collector)\.h"
)
HOT_ROOMS = ("engine", "fabric", "nic")
# fabric/ reads ns-3's Internet through its protocol headers only
INTERNET_HEADERS_ONLY = ("fabric",)
# other libraries that belong in some rooms only
LIBRARIES = (
    (re.compile(r"yaml-cpp/"), ("helper", "examples", "test")),
    (re.compile(r"nlohmann/"), ("helper", "examples", "test")),
    (re.compile(r"g(test|mock)/"), ("test",)),
)
HDF5 = re.compile(r"(.*/)?(hdf5(_hl)?|H5\w*)\.h|highfive/.*")
# ns-3 headers that no *-module.h lists
UNLISTED = {"core-config.h": "core", "version-defines.h": "core", "config-store-config.h": "config-store"}

TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
    |(?P<include>^[ \t]*\#[ \t]*include\b[^\n/]*(?:/(?![/*])[^\n/]*)*)
    |(?P<number>(?<!\w)\d(?:'?[\w.])*)
    |(?P<string>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.S | re.M | re.X,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(.*))', re.M)
FORBIDDEN_IN_MODEL = (
    (re.compile(r"\b(f?printf|rand|exit)\s*\("), "a model does not print, exit or draw C random numbers"),
    (re.compile(r"\bstd\s*::\s*cout\b"), "a model prints nothing"),
    (re.compile(r"^[ \t]*#[ \t]*if[ \t]+0\b", re.M), "no dead code"),
)
HOT_LOG = re.compile(r"\bNS_LOG_(FUNCTION(_NOARGS)?|LOGIC|DEBUG|INFO)\b")


def strip(text):
    """Blank out comments and string literals; line numbers and #include lines stay."""

    def blank(match):
        if match.group("include") or match.group("number"):
            return match.group()
        newlines = "\n" * match.group().count("\n")
        return (" " if match.group("comment") else '""') + newlines

    return TOKEN.sub(blank, text)


def read_ns3_headers(folder):
    """@return {header name: ns-3 module}, read from the *-module.h files of an installed ns-3"""
    modules = dict(UNLISTED)
    for path in sorted(folder.glob("*-module.h")):
        module = path.name[: -len("-module.h")]
        if module == "llm-fabric":
            continue
        modules.update((name, module) for name in re.findall(r'[<"]ns3/([^>"]+)', path.read_text()))
    return modules


def find_ns3(root):
    """@return the folder of ns-3's headers: the tree that the module lies in, else an installed one"""
    tree = root.parent.parent / "build"
    for folder in (tree / "include/ns3", tree / "ns3", "/usr/include/ns3", "/usr/local/include/ns3"):
        folder = pathlib.Path(folder)
        if (folder / "core-module.h").is_file():
            return folder
    return None


class Checker:
    """One check of one tree; violations gather in `found` as (file, line, reason)."""

    def __init__(self, root, ns3_headers):
        self.root = root
        self.ns3 = ns3_headers
        self.found = []
        self.arrows = 0
        self.text = {}  # path relative to the root: stripped text
        self.includes = {}  # path: [(line, name, path of the own header or None)]
        for top in ("model", "helper", "examples", "test"):
            for path in sorted((root / top).rglob("*")):
                if path.is_file():
                    self.read(path.relative_to(root))
        self.headers = {}  # basename of a header that ns-3 flattens: its path
        for path in self.text:
            if path.suffix == ".h" and path.parts[0] in ("model", "helper"):
                self.check_header_name(path)
        for path in self.text:  # only now, because an include may name any header
            self.includes[path] = list(self.resolve_includes(path))
        self.private = self.find_private()

    def fail(self, path, line, reason):
        self.found.append((str(path), line, reason))

    def read(self, path):
        if path.suffix in (".cpp", ".cxx", ".c", ".C", ".hh", ".hpp", ".hxx", ".ipp", ".inc", ".inl", ".tcc"):
            self.fail(path, 1, f"'{path.suffix}' is no ending of the module's code; use .h or .cc")
        elif path.suffix in (".h", ".cc"):
            try:
                raw = (self.root / path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                self.fail(path, 1, "is not UTF-8")
                return
            self.text[path] = strip(raw)
            if path.parts[0] in ("model", "helper") and len(raw.splitlines()) > MAX_LINES:
                self.fail(path, MAX_LINES + 1, f"has {len(raw.splitlines())} lines; {MAX_LINES} is the ceiling")

    @staticmethod
    def room(path):
        """@return the room of a path, None if it lies in none"""
        if path.parts[0] != "model":
            return path.parts[0]
        if len(path.parts) == 2:
            return "user-error" if path.name == "user-error.h" else None
        return path.parts[1] if path.parts[1] in ROOMS else None

    def check_header_name(self, path):
        if path.name in self.headers:
            self.fail(path, 1, f"has the same name as {self.headers[path.name]}; headers are flattened in a tree")
        elif path.name in self.ns3:
            self.fail(path, 1, f"has the name of a header of ns-3's module {self.ns3[path.name]}")
        elif "-" not in path.stem:
            self.fail(path, 1, f"is one word; put its room in front, as in {path.parts[-2]}-{path.name}")
        self.headers.setdefault(path.name, path)

    def resolve_includes(self, path):
        """@return (line, name as written, path of the module's own header or None) of each include"""
        for match in INCLUDE.finditer(self.text[path]):
            line = 1 + self.text[path].count("\n", 0, match.start())
            quoted, angled, other = match.groups()
            name = quoted or angled
            if not name:
                self.fail(path, line, f"cannot tell what '#include {other.strip()}' includes")
                continue
            own = None
            if name.startswith("ns3/"):
                own = self.headers.get(name[len("ns3/"):])
            elif quoted:
                own = self.own_header(path, quoted)
                if own is None and not HDF5.fullmatch(name):
                    self.fail(path, line, f"'{name}' is no header of this module; other headers go in <>")
                    continue
            yield line, name, own

    def own_header(self, path, name):
        near = (self.root / path.parent / name).resolve()
        if near.is_file() and self.root in near.parents:
            return near.relative_to(self.root)
        return self.headers.get(pathlib.PurePath(name).name)

    def find_private(self):
        """@return the own headers through which hdf5.h would reach whoever includes them"""
        private = set()
        grew = True
        while grew:
            grew = False
            for path, includes in self.includes.items():
                brings = any(own in private or HDF5.fullmatch(name) for _, name, own in includes)
                if brings and path.suffix == ".h" and path not in private:
                    private.add(path)
                    grew = True
        return private

    def run(self):
        for path in self.text:
            room = self.room(path)
            if room is None:
                self.fail(path, 1, "lies in no room")
                continue
            for line, name, own in self.includes[path]:
                self.arrows += 1
                reason = self.judge(path, room, name, own)
                if reason:
                    self.fail(path, line, reason)
            self.check_text(path, room)
        self.found.sort()
        return self.found

    def judge(self, path, room, name, own):
        """@return why the file may not include this, None if it may"""
        base = pathlib.PurePath(name).name
        if base.endswith("-module.h") and room != "examples":
            return f"'{name}': include the headers that are used, not all of a module"
        in_hdf5_file = room == "trace" and path.name.startswith("hdf5-")
        if own is not None:
            if own in self.private and not in_hdf5_file and room != "test":
                return f"'{name}' brings in hdf5.h, which only model/trace/hdf5-* may see"
            return self.judge_own(room, own)
        if HDF5.fullmatch(name):
            return None if in_hdf5_file else f"'{name}': only model/trace/hdf5-* may include HDF5"
        for library, rooms in LIBRARIES:
            if library.match(name) and room not in rooms:
                return f"'{name}' belongs in {', '.join(rooms)} only"
        return self.judge_ns3(room, base) if name.startswith("ns3/") else None

    def judge_own(self, room, own):
        target = self.room(own)
        allowed = ROOMS[room][0]
        if target in (room, "user-error") or target in allowed:
            return None
        return f"{room} may not include {target} ({own}); allowed: {', '.join(allowed) or 'no other room'}"

    def judge_ns3(self, room, base):
        allowed = ROOMS[room][1]
        if allowed is None or base.endswith("-module.h"):
            return None
        module = self.ns3.get(base)
        if module is None:
            return f"ns3/{base} is neither a header of this module nor of ns-3"
        if module not in allowed:
            return f"{room} may not include ns-3's {module} (ns3/{base}); allowed: {', '.join(allowed) or 'none'}"
        if module == "internet" and room in INTERNET_HEADERS_ONLY and not base.endswith("-header.h"):
            return f"{room} may include ns-3's internet for its protocol headers (*-header.h) only, not ns3/{base}"
        if room in PLAIN_ROOMS and SIMULATOR_HEADER.fullmatch(base):
            return f"{room} knows no simulator, so not ns3/{base}"
        return None

    def check_text(self, path, room):
        text = self.text[path]
        rules = list(FORBIDDEN_IN_MODEL) if path.parts[0] == "model" else []
        if room in HOT_ROOMS:
            rules.append((HOT_LOG, f"no log line per packet in {room}/"))
        for pattern, reason in rules:
            for match in pattern.finditer(text):
                self.fail(path, 1 + text.count("\n", 0, match.start()), f"'{match.group().strip()}': {reason}")


# ---------- the self test ----------

# a tree in which all is well; it holds what must not be taken for a violation
CLEAN = {
    "ns3/core-module.h": "#include <ns3/nstime.h>\n#include <ns3/simulator.h>\n",
    "ns3/network-module.h": '#include "ns3/node.h"\n',
    "ns3/internet-module.h": "#include <ns3/ipv4-header.h>\n#include <ns3/ipv4-l3-protocol.h>\n",
    "ns3/applications-module.h": "#include <ns3/bulk-send-helper.h>\n",
    "model/user-error.h": "#include <string>\n",
    "model/workload/rank-grid.h": '#include "ns3/user-error.h"\n#include "ns3/nstime.h"\n',
    "model/engine/fabric-engine.h": '#include "ns3/simulator.h"\n',
    "model/engine/fabric-engine.cc": '#include "fabric-engine.h"\n// printf("x") rand() #include "ns3/node.h"\n'
    '/*\n#if 0\nexit(1)\n*/\nint a = 1\'000; auto s = "exit(1) std::cout"; auto r = R"(rand() ")";\n'
    'int b = snprintf(x, 1, "//"); // NS_LOG_INFO\nint l = NS_LOG_WARN; #define X strand(1)\n',
    "model/fabric/fabric-frame.h": '#include "ns3/fabric-engine.h"\n#include "ns3/ipv4-header.h"\n',
    "model/trace/trace-record.h": "#include <cstdint>\n",
    "model/trace/hdf5-file.h": '#include "trace-record.h"\n\n#include <hdf5.h>\n',
    "model/trace/hdf5-sink.cc": '#include "hdf5-file.h"\n',
    "model/replay/rank-application.cc": '#include "../workload/rank-grid.h"\nNS_LOG_FUNCTION(this);\n',
    "helper/helper-thing.h": "",
    "helper/scenario-reader.cc": '#include "ns3/rank-grid.h"\n#include <yaml-cpp/yaml.h>\nstd::cout << 1;\n',
    "examples/first.cc": '#include "ns3/core-module.h"\n#include "ns3/bulk-send-helper.h"\n',
    "test/hdf5-test.cc": '#include "ns3/hdf5-file.h"\n#include <gtest/gtest.h>\n',
}

# (file, text added to it or put in it, line of the violation, part of the reason)
PLANTED = (
    ("model/workload/a-b.h", '#include "ns3/fabric-engine.h"', 1, "workload may not include engine"),
    ("model/workload/a-b.h", '#include "../engine/fabric-engine.h"', 1, "workload may not include engine"),
    ("model/workload/a-b.h", '#include "fabric-engine.h"', 1, "workload may not include engine"),
    ("model/workload/a-b.h", "#include <ns3/node.h>", 1, "may not include ns-3's network"),
    ("model/workload/a-b.h", '#include "ns3/simulator.h"', 1, "knows no simulator"),
    ("model/engine/fabric-engine.h", "\n  #  include <ns3/fabric-frame.h>", 3, "engine may not include fabric"),
    ("model/fabric/fabric-frame.h", "#include /* x */ <ns3/ipv4-l3-protocol.h>", 3, "protocol headers"),
    ("model/fabric/a-b.cc", '#include "ns3/bulk-send-helper.h"', 1, "may not include ns-3's applications"),
    ("model/fabric/a-b.cc", '#include "ns3/nowhere.h"', 1, "neither a header of this module"),
    ("model/fabric/a-b.cc", '#include "nowhere.h"', 1, "is no header of this module"),
    ("model/fabric/a-b.cc", "#include MACRO", 1, "cannot tell"),
    ("model/fabric/a-b.cc", '#include "../../helper/helper-thing.h"', 1, "fabric may not include helper"),
    ("model/replay/a-b.cc", '#include "ns3/fabric-engine.h"', 1, "replay may not include engine"),
    ("model/trace/a-b.cc", '#include "ns3/fabric-frame.h"', 1, "trace may not include fabric"),
    ("model/gpu/a-b.cc", '#include "ns3/trace-record.h"', 1, "gpu may not include trace"),
    ("model/user-error.h", '#include "ns3/fabric-engine.h"', 2, "user-error may not include engine"),
    ("model/engine/a-b.cc", '#include "ns3/core-module.h"', 1, "not all of a module"),
    ("test/a-b.cc", "#include <ns3/core-module.h>", 1, "not all of a module"),
    ("helper/a-b.cc", '#include "ns3/bulk-send-helper.h"', 1, "helper may not include ns-3's applications"),
    ("helper/a-b.cc", "\n" * MAX_LINES + "int x;\n", MAX_LINES + 1, "is the ceiling"),
    ("model/nic/a-b.cc", "\n" * MAX_LINES + "int x;\n", MAX_LINES + 1, "is the ceiling"),
    ("model/nic/a-b.cc", 'int x = 1;\nprintf ("x");', 2, "'printf ('"),
    ("model/nic/a-b.cc", 'std::fprintf(stderr, "x");', 1, "'fprintf('"),
    ("model/nic/a-b.cc", "int x = 'a' + rand();", 1, "'rand('"),
    ("model/nic/a-b.cc", "/* a */ exit(1);", 1, "'exit('"),
    ("model/nic/a-b.cc", "std :: cout << 1;", 1, "cout"),
    ("model/nic/a-b.cc", "\n# if 0\n", 2, "no dead code"),
    ("model/engine/a-b.cc", "NS_LOG_FUNCTION(this);", 1, "no log line per packet"),
    ("model/fabric/a-b.cc", "NS_LOG_LOGIC(1);", 1, "no log line per packet"),
    ("model/nic/a-b.cc", "NS_LOG_DEBUG(1);", 1, "no log line per packet"),
    ("model/nic/a-b.cc", "NS_LOG_INFO(1);", 1, "no log line per packet"),
    ("helper/rank-grid.h", "", 1, "same name"),
    ("model/nic/node.h", "", 1, "the name of a header of ns-3's module network"),
    ("model/cc/dcqcn.h", "", 1, "put its room in front, as in cc-dcqcn.h"),
    ("model/trace/a-b.h", "#include <hdf5.h>", 1, "only model/trace/hdf5-* may include HDF5"),
    ("model/nic/hdf5-a.h", '#include "hdf5.h"', 1, "only model/trace/hdf5-* may include HDF5"),
    ("test/a-b.cc", "#include <H5public.h>", 1, "only model/trace/hdf5-* may include HDF5"),
    ("helper/a-b.cc", '#include "ns3/hdf5-file.h"', 1, "brings in hdf5.h"),
    ("model/trace/a-b.h", '#include "hdf5-file.h"', 1, "brings in hdf5.h"),
    ("model/workload/a-b.cc", "#include <yaml-cpp/yaml.h>", 1, "belongs in helper"),
    ("helper/a-b.cc", "#include <gtest/gtest.h>", 1, "belongs in test"),
    ("model/extra/a-b.cc", "", 1, "lies in no room"),
    ("model/a-b.cc", "", 1, "lies in no room"),
    ("model/nic/a-b.hpp", "", 1, "is no ending of the module's code"),
)


def plant(path, text):
    """@return the violations of the clean tree after one change"""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        tree = dict(CLEAN)
        if path:
            tree[path] = CLEAN.get(path, "") + text
        for name, content in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content, encoding="utf-8")
        return Checker(root, read_ns3_headers(root / "ns3")).run()


def self_test():
    """Each planted violation is caught, alone, at its line; the clean tree passes."""
    failures = [f"clean tree: {v}" for v in plant(None, None)]
    for path, text, line, reason in PLANTED:
        found = plant(path, text)
        if reason == "same name":  # which of the two files is named depends on the walk's order
            caught = [v for v in found if v[2].startswith("has the same name as")]
        else:
            caught = [v for v in found if v[0] == path and v[1] == line and reason in v[2]]
        if len(caught) != 1 or len(found) != 1:
            failures.append(f"{path} with {text.strip()[:60]!r}: wanted line {line}, '{reason}', got {found}")
    for failure in failures:
        print(f"check-layers self test: {failure}", file=sys.stderr)
    if not failures:
        print(f"check-layers self test: {len(PLANTED)} planted violations, each caught; the clean tree passes")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    here = pathlib.Path(__file__).absolute().parent.parent
    parser.add_argument("--root", type=pathlib.Path, default=here, help="the module's folder")
    parser.add_argument("--ns3-include", type=pathlib.Path, help="the folder that holds core-module.h")
    parser.add_argument("--self-test", action="store_true", help="show that each violation is caught")
    args = parser.parse_args()
    if args.self_test:
        return self_test()
    ns3_folder = args.ns3_include or find_ns3(args.root.absolute())
    if ns3_folder is None or not (ns3_folder / "core-module.h").is_file():
        print("check-layers: no ns-3 headers found; name their folder with --ns3-include", file=sys.stderr)
        return 2
    checker = Checker(args.root.resolve(), read_ns3_headers(ns3_folder))
    checker.run()
    if not checker.text:
        print(f"check-layers: no code found in {args.root}", file=sys.stderr)
        return 2
    for path, line, reason in checker.found:
        print(f"{path}:{line}: {reason}", file=sys.stderr)
    if checker.found:
        print(f"check-layers: {len(checker.found)} violations", file=sys.stderr)
        return 1
    print(f"check-layers: {len(checker.text)} files, {checker.arrows} includes, all well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
