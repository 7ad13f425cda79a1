using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>Tests that measure memory: alone, after all others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class MeasuredAlone
{
    public const string Name = "alone";
}

/// <summary>A capture that runs for a day and a half of the virtual clock.</summary>
[Collection(MeasuredAlone.Name)]
[Trait("Speed", "long")]
public sealed class LongRunTests(ITestOutputHelper output)
{
    private const int Hours = 36;
    private const int HoursBetweenLooks = 3;
    private const int PlaysOfAnHour = 6;
    private const int Kept = 5;
    private const long MemorySlack = 1 << 20;

    [Fact]
    public void ADayAndAHalfNeedsNoMoreMemoryAndDiskThanAQuarterOfADay()
    {
        MachineTrace machine = FakeMachines.Of("ndis-miniport", Duration.FromSeconds(2));
        long hour = 3600 * machine.Header.Clock.TicksPerSecond;
        long step = hour / PlaysOfAnHour;
        long[] plays = [.. Enumerable.Range(0, (Hours * PlaysOfAnHour) + 1).Select(play => machine.FirstTicks + (play * step))];
        using var rig = new CaptureRig(machine, new FakeOptions { Plays = plays });
        rig.Options = rig.Options with
        {
            Duration = Duration.FromSeconds(Hours * 3600),
            KeepWorst = Kept,
            Pre = Duration.FromMilliseconds(300),
            BufferMb = 8,
        };
        rig.StatusInterval = TimeSpan.FromSeconds(10);
        // Five minutes behind each third moment at which something happens it sleeps, for three minutes; twice it hibernates in the middle.
        rig.Windows.Clock.Sleeps =
        [
            .. plays.Where((_, play) => play % 3 == 1).Select((at, i) =>
                i is 20 or 45 ? (at + (hour / 7_200), hour / 12) : (at + (hour / 12), hour / 20)),
        ];
        List<(long Bytes, long Allocated, long Disk)> looks = [];
        rig.Watch = status =>
        {
            if (status.Elapsed.Nanoseconds / 1_000_000_000 >= (looks.Count + 1L) * HoursBetweenLooks * 3600)
            {
                looks.Add((GC.GetTotalMemory(forceFullCollection: true), GC.GetAllocatedBytesForCurrentThread(), rig.DiskUsedBytes));
            }
        };

        // Every two hours episodes are a little longer, so that they replace others.
        var trigger = new TruthTrigger(rig.Windows, TriggerKind.Wakeup, (run, latency) =>
            latency + Duration.FromMicroseconds(10 * (run / (2 * PlaysOfAnHour))));
        CaptureResult result = rig.Run(new ResumingTrigger(trigger, rig.Windows.Clock));

        // Every sleep was a wait of minutes, as the trigger tells it: none of them is an episode.
        Assert.Equal(Hours * PlaysOfAnHour / 3, rig.Windows.Clock.TimesSlept);
        Every.Item(rig.Episodes, episode => Assert.InRange(episode.Latency.Nanoseconds, 0, 1_000_000_000));
        Assert.Equal(rig.Windows.Clock.TimesSlept, rig.Notes.Count(note => note.StartsWith("the machine slept", StringComparison.Ordinal)));

        Assert.Equal(CaptureEnd.Duration, result.End);
        Assert.Equal(Hours / HoursBetweenLooks, looks.Count);
        looks.ForEach(look => output.WriteLine($"{look}"));
        Assert.InRange(rig.Episodes.Count, Kept + 5, 100);
        Assert.Equal(Kept, result.Status.Episodes.Count);
        long quarter = looks[1].Bytes;
        Every.Item(looks.Skip(2), look => Assert.InRange(look.Bytes, 0, quarter + MemorySlack));
        long mostDisk = (Kept + 1) * rig.Episodes.Max(episode => episode.Bytes);
        Every.Item(looks, look => Assert.InRange(look.Disk, 0, mostDisk));

        // What is allocated in three hours is the status each 10 s and the episodes written: it does not grow with time.
        long[] allocated = [.. looks.Zip(looks.Skip(1), (one, next) => next.Allocated - one.Allocated)];
        Assert.InRange(allocated[^1], 0, 2 * allocated[1]);
    }

    /// <summary>A trigger whose timers were set when the machine fell asleep, and that takes the sleep for latency.</summary>
    private sealed class ResumingTrigger(ITriggerSource inner, FakeClock clock) : ITriggerSource
    {
        private int _resumes;

        public TriggerKind Kind => inner.Kind;

        public TimeSpan Delay => inner.Delay;

        public long FloorNs => inner.FloorNs;

        public void Start() => inner.Start();

        public void Drain(ITriggerSink sink)
        {
            inner.Drain(sink);
            for (; _resumes < clock.TimesSlept; _resumes++)
            {
                (long at, long length) = clock.Sleeps[_resumes];
                long ns = (long)((Int128)length * 1_000_000_000 / clock.QpcHz);
                sink.OnMeasurement(new TriggerMeasurement(Kind, at - 1_000, ns, 0, 0));
            }
        }

        public void Dispose() => inner.Dispose();
    }
}
