using Tracer.Contract;

namespace Tracer.Capture.Tests;

/// <summary>Tests that measure memory: alone, after all others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class MeasuredAlone
{
    public const string Name = "alone";
}

/// <summary>A capture that runs for three days of the virtual clock.</summary>
[Collection(MeasuredAlone.Name)]
[Trait("Speed", "slow")]
public sealed class LongRunTests(ITestOutputHelper output)
{
    private const int Hours = 72;
    private const int HoursBetweenLooks = 6;
    private const int PlaysOfAnHour = 6;
    private const int Kept = 5;
    private const long MemorySlack = 1 << 20;

    [Fact]
    public void ThreeDaysNeedNoMoreMemoryAndDiskThanHalfADay()
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
        List<(long Bytes, long Allocated, long Disk)> looks = [];
        rig.Watch = status =>
        {
            if (status.Elapsed.Nanoseconds / 1_000_000_000 >= (looks.Count + 1L) * HoursBetweenLooks * 3600)
            {
                looks.Add((GC.GetTotalMemory(forceFullCollection: true), GC.GetAllocatedBytesForCurrentThread(), rig.DiskUsedBytes));
            }
        };

        // Every four hours episodes are a little longer, so that they replace others.
        var trigger = new TruthTrigger(rig.Windows, TriggerKind.Wakeup, (run, latency) =>
            latency + Duration.FromMicroseconds(10 * (run / (4 * PlaysOfAnHour))));
        CaptureResult result = rig.Run(trigger);

        Assert.Equal(CaptureEnd.Duration, result.End);
        Assert.Equal(Hours / HoursBetweenLooks, looks.Count);
        looks.ForEach(look => output.WriteLine($"{look}"));
        Assert.InRange(rig.Episodes.Count, Kept + 5, 100);
        Assert.Equal(Kept, result.Status.Episodes.Count);
        long halfDay = looks[1].Bytes;
        Every.Item(looks.Skip(2), look => Assert.InRange(look.Bytes, 0, halfDay + MemorySlack));
        long mostDisk = (Kept + 1) * rig.Episodes.Max(episode => episode.Bytes);
        Every.Item(looks, look => Assert.InRange(look.Disk, 0, mostDisk));

        // What is allocated in six hours is the status each 10 s and the episodes written: it does not grow with time.
        long[] allocated = [.. looks.Zip(looks.Skip(1), (one, next) => next.Allocated - one.Allocated)];
        Assert.InRange(allocated[^1], 0, 2 * allocated[1]);
    }
}
