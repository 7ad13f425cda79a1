"""What other readers make of a trace, for bench/peers.sh: each reads as its authors mean it to be read.

    peers.py READER WORK FILE

READER is dissect (dissect.etl) or etl-parser. WORK is one of
    headers    every event's header
    classes    how many events of each kind there are
    dpcisr     number and time of ISRs and DPCs, by routine; neither has layouts of these, so their 16 bytes are read here

Prints "EVENTS SECONDS RESULT", seconds of CPU time; of dpcisr the result is the number of routines' runs. What goes wrong is the last line of standard error.
"""

import collections
import struct
import sys
import time

PERF_INFO = 0x0F
ROUTINES = {66, 67, 68, 69, 50}  # threaded DPC, ISR, DPC, timer DPC, ISR by message


class Tally:
    """What the work gathers: kinds are counted, runs of routines are added up."""

    def __init__(self):
        self.events = 0
        self.kinds = collections.Counter()
        self.routines = collections.defaultdict(lambda: [0, 0])

    def run(self, end, payload):
        start, routine = struct.unpack_from("<QQ", payload)
        entry = self.routines[routine]
        entry[0] += 1
        entry[1] += end - start


def dissect(work, path, tally):
    from dissect.etl import ETL

    with open(path, "rb") as file:
        for record in ETL(file):
            header = record.header
            tally.events += 1
            if work == "headers":
                header.header
            elif work == "classes":
                if hasattr(header, "hook_id"):
                    tally.kinds[header.hook_id] += 1
                else:
                    tally.kinds[header.provider_id, getattr(header, "opcode", None)] += 1
            elif getattr(header, "group", None) == PERF_INFO and header.opcode in ROUTINES:
                tally.run(header.time_delta, header.payload)


def etl_parser(work, path, tally):
    from etl.etl import IEtlFileObserver, build_from_stream

    class Observer(IEtlFileObserver):
        def take(self, kind):
            tally.events += 1
            if work == "classes":
                tally.kinds[kind()] += 1

        def on_event_record(self, event):
            header = event.source.event_header
            self.take(lambda: (str(header.provider_id), header.event_descriptor.Id, header.event_descriptor.Opcode))

        def on_trace_record(self, event):
            header = event.source.event_header
            self.take(lambda: (str(header.guid), header["class"].type))

        def on_system_trace(self, event):
            header = event.source.system_header.header
            self.take(lambda: (header.group, header.type))

        def on_win_trace(self, event):
            self.take(lambda: str(event.source.event_header.provider_id))

        def on_perfinfo_trace(self, event):
            header = event.source.header
            self.take(lambda: (header.group, header.type))
            if work == "dpcisr" and int(header.group) == PERF_INFO and header.type in ROUTINES:
                tally.run(event.get_timestamp(), event.source.mof_data)

    with open(path, "rb") as file:
        build_from_stream(file.read()).parse(Observer())


def main():
    reader, work, path = sys.argv[1:]
    tally = Tally()
    start = time.process_time()
    {"dissect": dissect, "etl-parser": etl_parser}[reader](work, path, tally)
    seconds = time.process_time() - start
    result = {"headers": tally.events, "classes": len(tally.kinds), "dpcisr": sum(run[0] for run in tally.routines.values())}[work]
    print("%d %.6f %d" % (tally.events, seconds, result))


main()
