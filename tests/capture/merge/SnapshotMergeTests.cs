using Tracer.Analysis;
using Tracer.Analysis.Request;
using Tracer.Analysis.Slicing;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Tests;

/// <summary>A trace made of a snapshot and a rundown is whole, in order, and says the same as the machine's full trace.</summary>
[Trait("Speed", "slow")]
public sealed class SnapshotMergeTests : IDisposable
{
    private static readonly DateTime Date = new(2026, 5, 6, 7, 8, 9, DateTimeKind.Utc);

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-merge-").FullName;

    /// <summary>One of three by default.</summary>
    public static TheoryData<string> Machines =>
        [.. Selection.Some(["clock-owner", "hal-beat", "ndis-miniport", "raised-irql", "smi"], 2, parts: 3)];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("ndis-miniport", false)]
    [InlineData("kmdf-client", true)]
    public void TheTraceOfAnEpisodeNamesTheSameCulprit(string scenario, bool keys)
    {
        SimulatedRing ring = SimulatedRing.Of(scenario, 7, keys);
        TrueEpisode worst = ring.Truth.Episodes.MaxBy(episode => episode.Latency)!;
        string merged = Merge(ring, WindowOf(ring, worst), out MergeOutcome outcome);
        Assert.Null(outcome.Unidentified.Told());
        Assert.True(outcome.KernelImages.Count > 20);

        BlameReport full = Blame(ring.FullPath);
        BlameReport cut = Blame(merged);
        Assert.Equal(ring.Truth.Culprit, full.Summary.Culprit);
        Assert.Equal(full.Summary.Culprit, cut.Summary.Culprit);
        Assert.Equal(full.Summary.Verdict, cut.Summary.Verdict);
        Assert.Equal(full.Culprits[0].Mechanism, cut.Culprits[0].Mechanism);
        Assert.Equal(full.Culprits[0].Image?.Company, cut.Culprits[0].Image?.Company);
        Assert.Contains(cut.Episodes, episode => episode.Latency == full.Episodes.MaxBy(one => one.Latency)!.Latency);
        Assert.Equal(Date, cut.Trace.StartUtc);

        // Nothing behind the window is taken for an episode: there is only the rundown.
        Every.Item(cut.Episodes, episode => Assert.InRange(episode.Start.Nanoseconds, 0, 3_000_000_000));
    }

    /// <summary>
    /// Blame of the trace says what it says of these seconds of the whole: its episodes, their times and mechanisms, and nobody else's
    /// names. The window begins long after the probe said how it measures.
    /// </summary>
    [Theory]
    [MemberData(nameof(Machines))]
    public void BlameOfTheWindowIsThatOfTheWhole(string scenario)
    {
        SimulatedRing ring = SimulatedRing.Of(scenario, 7);
        var (from, to) = (Duration.FromSeconds(4), Duration.FromSeconds(6));
        string merged = Merge(ring, new TraceWindow(ring.Clock.TicksAt(from.Nanoseconds), ring.Clock.TicksAt(to.Nanoseconds)), out _);
        BlameReport cut = Blame(merged);
        BlameReport whole;
        using (EtlReader reader = EtlReader.Open(ring.FullPath))
        {
            whole = BlameAnalysis.Analyze("whole", reader, new BlameRequest { From = from, To = to }).Report;
        }

        // The trace counts from what led to its window, and has nothing of what ends behind it.
        Duration first = from - Duration.FromMilliseconds(250);
        whole = whole with
        {
            Episodes =
            [
                .. whole.Episodes.Where(episode => episode.Start + episode.Latency <= to)
                    .Select(episode => episode with { Start = episode.Start - first }),
            ],
        };
        SliceDifferences differences = SliceDifferences.Between(whole, cut);
        Assert.Equal(0, differences.Different);
        Assert.Equal(0, differences.LessSure);
        Assert.Equal(whole.Summary.Verdict, cut.Summary.Verdict);
        Assert.Equal(whole.Trace.Has.Wakeups, cut.Trace.Has.Wakeups);
        Assert.InRange(cut.Summary.Probes, whole.Summary.Probes - 4, whole.Summary.Probes);
    }

    [Fact]
    public void ItIsReadWithoutAnyWarning()
    {
        SimulatedRing ring = SimulatedRing.Of("ndis-miniport", 7);
        string merged = Merge(ring, WindowOf(ring, ring.Truth.Episodes[0]), out _);
        using EtlReader reader = EtlReader.Open(merged);
        var counter = new Counter();
        reader.Read(EtlOrder.Time, ref counter);
        Every.Item(Enum.GetValues<HealthCounter>(), odd => Assert.Equal(0, reader.Health[odd]));
        Assert.Empty(reader.Losses);
        Assert.True(reader.Header.Mode.HasFlag(EtlLogFileMode.Relog | EtlLogFileMode.Compressed));
        Assert.Equal(Date.ToFileTimeUtc(), reader.Header.Clock.StartFileTime);
        Assert.True(reader.Header.EndFileTime >= reader.Header.Clock.StartFileTime);
    }

    [Fact]
    public void RecordsOfTheWindowAreKeptByteForByteWithTheirStacks()
    {
        SimulatedRing ring = SimulatedRing.Of("ndis-miniport", 7);
        TraceWindow window = WindowOf(ring, ring.Truth.Episodes[0]);
        string merged = Merge(ring, window, out _);
        List<(long, int, string)> expected = Records(ring.SnapshotPath, window, stacksOf: window);
        List<(long, int, string)> actual = Records(merged, window, stacksOf: window);
        Assert.True(expected.Count > 1000);
        Assert.Empty(expected.Except(actual));
    }

    [Fact]
    public void OurEventsStandAtTheBeginning()
    {
        SimulatedRing ring = SimulatedRing.Of("clean", 2);
        var window = new TraceWindow(ring.Clock.TicksAt(500_000_000), ring.Clock.TicksAt(1_500_000_000));
        string merged = Merge(ring, window, out _, new CaptureWorkSpan(CaptureWorkKind.Merge, window.Begin + 5, window.Begin + 10));
        using EtlReader reader = EtlReader.Open(merged);
        var marks = new MarkReader();
        reader.Read(EtlOrder.Time, ref marks);
        Assert.Equal(["Capture", "CaptureWork", "CaptureWork"], marks.Names);
        Every.Item(marks.Times, time => Assert.Equal(window.Begin - Lead(ring), time));
    }

    [Fact]
    public void ADriverThatVanishedBetweenSnapshotAndRundownIsStillThere()
    {
        SimulatedRing ring = SimulatedRing.Of("ndis-miniport", 7);
        TrueEpisode worst = ring.Truth.Episodes.MaxBy(episode => episode.Latency)!;
        KernelImageLog earlier;
        using (EtlReader rundown = EtlReader.Open(ring.RundownPath))
        {
            earlier = RundownSurvey.Of(rundown, new HeaderRecords()).Images;
        }

        string gone = ring.Truth.Culprit!;
        string later = Path.Combine(_folder, "later.etl");
        CopyWithout(ring.RundownPath, later, gone);
        string merged = Merge(ring, WindowOf(ring, worst), out MergeOutcome outcome, rundown: later, earlier: earlier);
        Assert.Equal(earlier.Count - 1, outcome.KernelImages.Count);
        Assert.Equal(gone, Blame(merged).Summary.Culprit);
    }

    [Fact]
    public void LossesOfTheWindowAreCarriedOverAndOlderOnesAreNot()
    {
        SimulatedRing ring = SimulatedRing.Of("clean", 2);
        string lossy = Path.Combine(_folder, "lossy.etl");
        var window = new TraceWindow(ring.Clock.TicksAt(500_000_000), ring.Clock.TicksAt(1_500_000_000));
        CopyWithLoss(ring.SnapshotPath, lossy, ring.Clock.TicksAt(1_000_000_000));
        string merged = Merge(ring, window, out _, snapshot: lossy, lostBefore: 41);
        using EtlReader reader = EtlReader.Open(merged);
        var counter = new Counter();
        reader.Read(EtlOrder.Time, ref counter);
        Assert.Equal(2u, reader.Header.EventsLost); // 43 in the snapshot.
        TraceLoss loss = Assert.Single(reader.Losses);
        Assert.Equal(0, loss.Cpu);
        Assert.True(loss.Covers(0, ring.Clock.TicksAt(1_000_000_000)));
    }

    [Fact]
    public void WithoutARundownThereIsATraceAllTheSame()
    {
        SimulatedRing ring = SimulatedRing.Of("clean", 2);
        var window = new TraceWindow(ring.Clock.TicksAt(500_000_000), ring.Clock.TicksAt(1_500_000_000));
        string merged = Merge(ring, window, out MergeOutcome outcome, rundown: "");
        Assert.Equal(0, outcome.KernelImages.Count);
        Assert.True(Blame(merged).Trace.Events > 100);
    }

    private static TraceWindow WindowOf(SimulatedRing ring, TrueEpisode episode) => new(
        ring.Clock.TicksAt(episode.Start.Nanoseconds - 2_000_000_000),
        ring.Clock.TicksAt(episode.Start.Nanoseconds + episode.Latency.Nanoseconds + 250_000_000));

    /// <summary>How much before the window is kept, in ticks.</summary>
    private static long Lead(SimulatedRing ring) => ring.Clock.TicksPerSecond / 4;

    private static BlameReport Blame(string path)
    {
        using EtlReader reader = EtlReader.Open(path);
        return BlameAnalysis.Analyze(path, reader, new BlameRequest()).Report;
    }

    private static List<(long Ticks, int Cpu, string Bytes)> Records(string path, TraceWindow window, TraceWindow stacksOf)
    {
        using EtlReader reader = EtlReader.Open(path);
        var sink = new RecordReader(window, stacksOf);
        reader.Read(EtlOrder.Time, ref sink);
        return sink.Records;
    }

    /// <summary>Copies a trace without the images of one name.</summary>
    private static void CopyWithout(string source, string target, string image)
    {
        using EtlReader reader = EtlReader.Open(source);
        using var writer = EtlWriter.Create(target, reader.Header);
        var copy = new FilteredCopy(writer, (in EtlEvent traceEvent) =>
            !(ImageRecord.TryRead(in traceEvent, out ImageRecord record) && traceEvent.HookId == KernelHook.ImageDCEnd
                && System.Text.Encoding.Unicode.GetString(record.FileName).EndsWith(image, StringComparison.OrdinalIgnoreCase)));
        reader.Read(EtlOrder.Time, ref copy);
        writer.Complete(reader.Header.Clock.StartFileTime + 1);
    }

    /// <summary>Copies a trace that lost an event at a moment on CPU 0, and 42 events in all.</summary>
    private static void CopyWithLoss(string source, string target, long at)
    {
        using EtlReader reader = EtlReader.Open(source);
        using var writer = EtlWriter.Create(target, reader.Header with { EventsLost = 42 });
        bool isTold = false;
        var copy = new FilteredCopy(writer, (in EtlEvent traceEvent) =>
        {
            if (!isTold && traceEvent.TimestampTicks >= at && traceEvent.Cpu == 0)
            {
                isTold = true;
                writer.EndBuffer(0);
                writer.AddLostEvents(0, 1);
            }

            return true;
        });
        reader.Read(EtlOrder.Time, ref copy);
        writer.Complete(reader.Header.Clock.StartFileTime + 1);
    }

    private string Merge(
        SimulatedRing ring,
        TraceWindow window,
        out MergeOutcome outcome,
        CaptureWorkSpan? work = null,
        string? snapshot = null,
        string? rundown = null,
        KernelImageLog? earlier = null,
        uint lostBefore = 0)
    {
        string path = Path.Combine(_folder, "merged.etl");
        string snapshotPath = snapshot ?? ring.SnapshotPath;
        using EtlReader snapshotReader = EtlReader.Open(snapshotPath);
        using EtlReader? rundownReader = rundown == "" ? null : EtlReader.Open(rundown ?? ring.RundownPath);
        long bytes = new FileInfo(snapshotPath).Length;
        SessionPlan plan = SessionPlans.Recorder(new MachineSize(4, 8L << 30), TimeSpan.FromSeconds(4));
        TraceWindow kept = window with { Begin = window.Begin - Lead(ring) };
        using FileStream output = File.Create(path);
        outcome = SnapshotMerge.Write(
            new MergeRequest
            {
                Snapshot = snapshotReader,
                Survey = SnapshotSurvey.Of(snapshotReader, bytes, ringBytes: 2 * bytes, window), // Nothing was overwritten.
                Rundown = rundownReader,
                Window = window,
                Kept = kept,
                KeptFromUtc = Date,
                EventsLostBefore = lostBefore,
                SampleInterval100ns = 10_000,
                Images = ring.Images,
                Identities = new ImageIdentityCache(),
                EarlierImages = earlier ?? new KernelImageLog(),
                Events = new EpisodeEvents
                {
                    Trigger = TriggerKind.Wakeup,
                    Threshold = Duration.FromMicroseconds(500),
                    EpisodeStart = window.Begin,
                    Latency = Duration.FromMicroseconds(600),
                    Cpu = 1,
                    PreCovered = Duration.FromSeconds(2),
                    Wanted = plan,
                    Granted = plan.Masks,
                    GrantedStacks = plan.Stacks,
                    Work =
                    [
                        new CaptureWorkSpan(CaptureWorkKind.Start, 0, kept.Begin - 1), // Before the trace: left out.
                        .. work is { } span ? [span] : Array.Empty<CaptureWorkSpan>(),
                        new CaptureWorkSpan(CaptureWorkKind.Rundown, window.End + 1, ring.RundownTicks + 1),
                    ],
                },
            },
            output);
        return path;
    }

    private delegate bool Keeps(in EtlEvent traceEvent);

    private struct Counter : IEtlEventSink
    {
        public readonly bool OnEvent(scoped in EtlEvent traceEvent) => true;
    }

    private readonly struct FilteredCopy(EtlWriter writer, Keeps keeps) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.Group != KernelGroup.Header && keeps(in traceEvent))
            {
                writer.WriteRecord(traceEvent.Cpu, traceEvent.Record);
            }

            return true;
        }
    }

    private sealed class RecordReader(TraceWindow window, TraceWindow stacksOf) : IEtlEventSink
    {
        public List<(long Ticks, int Cpu, string Bytes)> Records { get; } = [];

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            bool isStack = traceEvent.HookId == KernelHook.Stack;
            bool isWanted = isStack
                ? StackRecord.TryRead(in traceEvent, out StackRecord stack) && stacksOf.Contains(stack.EventTimeStamp)
                : traceEvent.Group != KernelGroup.Header && window.Contains(traceEvent.TimestampTicks);
            if (isWanted)
            {
                Records.Add((traceEvent.TimestampTicks, traceEvent.Cpu, Convert.ToHexString(traceEvent.Record)));
            }

            return true;
        }
    }

    private sealed class MarkReader : IEtlEventSink
    {
        public List<string> Names { get; } = [];

        public List<long> Times { get; } = [];

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.IsEventHeader && traceEvent.ProviderId == TracerProvider.Id)
            {
                foreach (EtlExtendedItemEnumerator item in traceEvent.ExtendedItems)
                {
                    if (item.Kind == EtlExtendedItemKind.TraceLoggingSchema)
                    {
                        string name = Tracer.Etl.Decoding.TraceLoggingSchema.Parse(item.Data, default)!.EventName!;
                        Names.Add(name);
                        Times.Add(traceEvent.TimestampTicks);
                    }
                }
            }

            return true;
        }
    }
}
