"""Speed of dissect, for comparison: events a second of dissect.etl, and bytes a second that its XPRESS decoder makes.

    dissect_speed.py events FILE [LIMIT]     iterates the events of a trace, headers only
    dissect_speed.py xpress FILE [LIMIT]     decompresses the buffers of a compressed trace, read into memory before

Prints "COUNT SECONDS": events, or bytes made.
"""

import io
import struct
import sys
import time


def events(path, limit):
    from dissect.etl import ETL

    with open(path, "rb") as file:
        start = time.perf_counter()
        count = 0
        for event in ETL(file):
            event.header
            count += 1
            if count == limit:
                break
        return count, time.perf_counter() - start


def xpress(path, limit):
    from dissect.util.compression import lzxpress

    with open(path, "rb") as file:
        data = file.read()
    bodies = []
    at = 0
    while at + 72 <= len(data) and len(bodies) < limit:
        (size,) = struct.unpack_from("<I", data, at)
        (flags,) = struct.unpack_from("<H", data, at + 0x34)
        if flags & 0x40:
            bodies.append(data[at + 72 : at + size])
        at += size
    start = time.perf_counter()
    made = sum(len(lzxpress.decompress(io.BytesIO(body))) for body in bodies)
    return made, time.perf_counter() - start


mode, path = sys.argv[1:3]
limit = int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 62
print("%d %.6f" % {"events": events, "xpress": xpress}[mode](path, limit))
