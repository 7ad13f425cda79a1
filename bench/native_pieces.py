"""What takes the room in the native analyzer, as a table for bench/start.md.

    native_pieces.py MAP PROGRAM

MAP is what the compiler wrote (native.sh --map), PROGRAM the file. Each method counts with its code and its share of what describes code to
the unwinder and the collector; each type with its table, or its share of them where they are compressed; what belongs to none stands by
itself.
"""

import collections
import os
import re
import subprocess
import sys

NODE = re.compile(r'<(\w+) Name="([^"]*)" Length="(\d+)"')

# The first that fits: libraries, then what the base library is instantiated over.
PIECES = [
    ("System.Text.Json, and what it is instantiated over", r"System_Text_Json|JsonContext|Tracer_Contract_Tracer_Contract_\w+Converter"),
    ("HTTP, TLS, cryptography (`--symbol-server`)", r"^(_ZTV\d+)?(unbox_)?(System_Net|System_Security|System_Formats_Asn1|S_P_Uri|Interop_)"),
    ("LINQ", r"^(_ZTV\d+)?(Boxed_)?(unbox_)?System_Linq"),
    ("ZstdSharp (`.zst`)", r"^(_ZTV\d+)?ZstdSharp"),
    ("XML (manifests in traces)", r"^(_ZTV\d+)?S_P_Xml"),
    ("Regular expressions", r"^(_ZTV\d+)?System_Text_RegularExpressions"),
    ("Spectre.Console", r"^(_ZTV\d+)?Spectre"),
    ("System.CommandLine", r"^(_ZTV\d+)?System_CommandLine"),
    ("MathNet.Numerics", r"^(_ZTV\d+)?MathNet"),
    ("Tracer: analysis", r"^(_ZTV\d+)?Tracer_Analysis"),
    ("Tracer: reading", r"^(_ZTV\d+)?Tracer_Etl"),
    ("Tracer: symbols", r"^(_ZTV\d+)?Tracer_Symbols"),
    ("Tracer: reports' records", r"^(_ZTV\d+)?Tracer_Contract"),
    ("Tracer: commands, forecasts and the rest", r"^(_ZTV\d+)?(Tracer_|analyzer)"),
    ("Base library over types of Tracer", r"Tracer_|analyzer_"),
    ("Base library: collections, comparers, delegates over other types", r"^(_ZTV\d+)?(Boxed_|__Array|unbox_)?\w*?_System_(Collections_Generic|Func|Action|Comparison|ValueTuple|Nullable|Array|SZGeneric)"),
    ("Base library: the rest", r""),
]


def main():
    pieces = [(name, re.compile(pattern)) for name, pattern in PIECES]
    code, types = collections.Counter(), collections.Counter()
    methods = collections.Counter()
    single = {}
    with open(sys.argv[1], encoding="utf-8", errors="replace") as lines:
        for line in lines:
            node = NODE.search(line)
            if not node:
                continue
            kind, name, length = node[1], node[2], int(node[3])
            if kind not in ("MethodCode", "ConstructedEEType"):
                single[kind] = single.get(kind, 0) + length
                continue
            piece = next(piece for piece, pattern in pieces if pattern.search(name))
            if kind == "MethodCode":
                code[piece] += length
                methods[piece] += 1
            else:
                types[piece] += length
    sections = {}
    for line in subprocess.run(["readelf", "-SW", sys.argv[2]], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 6 and re.fullmatch(r"\[\d+\]", words[0]) and words[2] not in ("NOBITS", "NULL"):
            sections[words[1]] = int(words[5], 16)
    described = sections[".eh_frame"] + sections[".eh_frame_hdr"] + sections[".dotnet_eh_table"]
    per_method = described / sum(methods.values())
    per_type_byte = single.get("DehydratedData", sum(types.values())) / sum(types.values())
    rows = [(name, methods[name], code[name], methods[name] * per_method, types[name] * per_type_byte) for name, _ in PIECES]
    size = os.path.getsize(sys.argv[2])
    known = [
        ("The runtime itself: collector, files, sockets, zlib, Brotli", sections[".text"]),
        ("Names of types for messages and reflection", single.get("Metadata", 0)),
        ("The page of `report` and other resources", single.get("ResourceData", 0)),
    ]
    rest = size - sum(row[2] + row[3] + row[4] for row in rows) - sum(row[1] for row in known)
    print("| piece | methods | code, kB | unwinding, kB | types, kB | sum, kB | of the file |")
    print("|---|---|---|---|---|---|---|")
    total = [(sum(row[2:]), row) for row in rows]
    for whole, row in sorted(total, reverse=True):
        print("| %s | %d | %.0f | %.0f | %.0f | %.0f | %.1f %% |" % (
            row[0], row[1], row[2] / 1e3, row[3] / 1e3, row[4] / 1e3, whole / 1e3, 100 * whole / size))
    for name, length in known + [("Tables of generic code, interfaces, constants, initialised data", rest)]:
        print("| %s | | | | | %.0f | %.1f %% |" % (name, length / 1e3, 100 * length / size))
    print("| all | %d | | | | %.0f | |" % (sum(methods.values()), size / 1e3))


main()
