using Tracer.Analysis.Contents;
using Tracer.Capture.Ground;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Capture.Tests;

/// <summary>dissect.etl, which shares nothing with our reader, counts the same events of each class in captured traces.</summary>
[Trait("Speed", "slow")]
[Trait("Against", "peers")]
public sealed class PeerReaderTests
{
    private const string Script =
        """
        import collections
        import sys
        import uuid
        from dissect.etl import ETL

        HOOKS, EVENTS = (1, 2, 16, 17), (18, 19)
        with open(sys.argv[1], "rb") as file:
            counts = collections.Counter()
            for event in ETL(file):
                kind, data = event.header._marker.header_type, bytes(event.header.data[:0x30])
                if kind in HOOKS:
                    counts["hook", f"{data[7]:02x}{data[6]:02x}", data[0]] += 1
                elif kind in EVENTS:
                    counts["id", str(uuid.UUID(bytes_le=data[0x18:0x28])), int.from_bytes(data[0x28:0x2A], "little")] += 1
                else:
                    counts["opcode", str(uuid.UUID(bytes_le=data[0x18:0x28])), data[4]] += 1
            for key, count in sorted(counts.items()):
                print(*key, count)
        """;

    [Theory]
    [InlineData("ndis-miniport")]
    [InlineData("gc-pause")]
    [InlineData("parked-cores")]
    public void DissectCountsTheSameEventsOfEachClass(string scenario)
    {
        using var rig = new CaptureRig(FakeMachines.Of(scenario, Duration.FromSeconds(6)));
        rig.Options = rig.Options with { Pre = Duration.FromMilliseconds(100), Post = Duration.FromMilliseconds(20) };
        CapturedEpisode episode = Assert.Single(rig.Run().Status.Episodes);
        using EtlReader reader = EtlReader.Open(episode.File);
        var ours = new ClassCounts();
        reader.Read(EtlOrder.File, ref ours);
        var contents = new TraceContents(() => null);
        contents.Read(reader);
        InfoReport info = InfoReportOfTrace.Make(episode.File, reader, contents);
        Assert.Equal(ours.Text, DissectPackages.Run(Script, episode.File));
        Assert.Equal(ours.Total, info.Classes.Sum(one => one.Count));
        Assert.Equal(ours.Total, info.Trace.Events);
    }

    private sealed class ClassCounts : IEtlEventSink
    {
        private readonly SortedDictionary<string, long> _counts = new(StringComparer.Ordinal);

        public long Total => _counts.Values.Sum();

        public string Text => string.Join('\n', _counts
            .Select(one => (Words: one.Key.Split(' '), one.Value))
            .OrderBy(one => one.Words[0], StringComparer.Ordinal)
            .ThenBy(one => one.Words[1], StringComparer.Ordinal)
            .ThenBy(one => int.Parse(one.Words[2], CultureInfo.InvariantCulture))
            .Select(one => $"{string.Join(' ', one.Words)} {one.Value}"));

        public bool OnEvent(in EtlEvent traceEvent)
        {
            string key = traceEvent.IsKernelHook ? $"hook {traceEvent.HookId:x4} {traceEvent.Version}"
                : traceEvent.IsEventHeader ? $"id {traceEvent.ProviderId} {traceEvent.Id}"
                : $"opcode {traceEvent.ProviderId} {traceEvent.Opcode}";
            _counts[key] = _counts.GetValueOrDefault(key) + 1;
            return true;
        }
    }
}
