using Tracer.Etl.Tests.Conformance;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Every trace of the corpus is whole, whoever wrote it: no reader may call one damaged.</summary>
public class IntactTests
{
    /// <summary>Files that their own headers say something of.</summary>
    private static readonly Dictionary<string, string> Told = new()
    {
        ["airbus-AMSITrace.etl"] = "EventsLost 3",

        // Buffers 284 and 314 of its session are not in the file.
        ["gpuvis-wintracecmd.etl.gz"] = "SequenceGaps 2",

        // Two numbers were taken into use and never written, as the header agrees.
        ["tx-Process.etl"] = "SequenceGaps 2",
    };

    /// <summary>Files whose events are not in order of time: only a reader that sorts them finds that.</summary>
    private static readonly Dictionary<string, string> ToldInOrderOfTime = new()
    {
        // Its author gave one event the time of another clock.
        ["reports/one-event-of-another-clock.etl.gz"] = "TimeInversions 1",
    };

    public static TheoryData<string> Files() => [.. TraceVisit.Files()];

    [Theory]
    [MemberData(nameof(Files))]
    public void No_order_finds_damage_or_loss(string file)
    {
        RepositoryFiles.Corpus();
        using EtlReader reader = TraceVisit.Open(file);
        long? events = null;
        foreach (EtlOrder order in Enum.GetValues<EtlOrder>())
        {
            var sink = new CountingSink();
            Assert.True(reader.Read(order, ref sink));
            string? told = order == EtlOrder.Time ? ToldInOrderOfTime.GetValueOrDefault(file) : null;
            Assert.Equal(told ?? Told.GetValueOrDefault(file, ""), ReadEvents.Text(reader.Health));
            Assert.Equal(events ??= sink.Events, sink.Events);
        }

        Assert.True(reader.HasHeader && reader.Header.IsClockKnown);
        Assert.Empty(reader.Losses);
    }

    private struct CountingSink : IEtlEventSink
    {
        public long Events { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            return true;
        }
    }
}
