using Tracer.Capture.Probe;

namespace Tracer.Capture.Tests;

/// <summary>A thread of the probe on a machine that a test makes.</summary>
public sealed class ProbeThreadTests
{
    private static readonly ProbeSettings Settings = new() { Threshold = Duration.FromMicroseconds(500), Cpus = [3] };

    [Fact]
    public void Measuring_allocates_nothing()
    {
        using var machine = new FakeProbeMachine { Late = (_, number) => number % 10 == 0 ? 7_000 : 0 };
        (ProbeThread thread, ProbeRun run, ProbeMemory memory, IProbeTimer timer) = Make(machine);
        using ProbeMemory shared = memory;
        thread.Calibrate(timer);
        machine.BeforeWait = StopAt(run, 2_000);
        thread.Measure(timer);
        // Warm: what the first run had to compile is there now.
        (thread, run, ProbeMemory other, timer) = Make(machine);
        using ProbeMemory otherShared = other;
        thread.Calibrate(timer);
        machine.BeforeWait = StopAt(run, 5_000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        thread.Measure(timer);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.InRange(thread.Wakeups, 4_500, 5_000);
    }

    [Theory]
    [InlineData(10_001.5, false)]
    [InlineData(5_000.2, false)]
    [InlineData(156_250, false)]
    [InlineData(10_001.5, true)]
    public void Ticks_are_no_latency(double period, bool isTimeCoarse)
    {
        using var machine = new FakeProbeMachine { ClockPeriod = period, IsTimeCoarse = isTimeCoarse };
        Assert.InRange(Latencies(machine, 2_000, out ProbeThread thread).Max(), 0, 40_000);
        Assert.InRange(thread.GranularityNs, (long)(period * 99), (long)(period * 101));
        Assert.InRange(thread.FloorNs, 1, 15_000);
    }

    [Fact]
    public void Without_ticks_latency_counts_from_the_due_time()
    {
        using var machine = new FakeProbeMachine { ClockPeriod = 0 };
        long[] latencies = Latencies(machine, 2_000, out ProbeThread thread);
        Assert.Equal(0, thread.GranularityNs);
        Assert.InRange(latencies.Min(), 5_500, 6_500);
        Assert.InRange(thread.FloorNs, 9_000, 10_100);
    }

    [Fact]
    public void Late_wakeups_are_episodes_of_their_length()
    {
        using var machine = new FakeProbeMachine { Late = (_, number) => number is 900 or 1_200 ? 21_000 : 0 };
        long[] latencies = Latencies(machine, 2_000, out _);
        Assert.Equal(2, latencies.Count(latency => latency >= 500_000));
        Assert.InRange(latencies.Max(), 2_100_000, 2_110_000);
        Assert.Equal(2, machine.Log.Count(ProbeEvent.EpisodeBegin));
        Assert.Equal(2, machine.Log.Count(ProbeEvent.EpisodeEnd));
        Assert.Equal(latencies.Length, machine.Log.Count(ProbeEvent.Wakeup));
    }

    [Fact]
    public void A_clock_that_changes_its_rate_is_no_episode_for_long()
    {
        using var machine = new FakeProbeMachine { ClockPeriod = 5_000.2 };
        (ProbeThread thread, ProbeRun run, ProbeMemory memory, IProbeTimer timer) = Make(machine);
        using ProbeMemory shared = memory;
        thread.Calibrate(timer);
        machine.ClockPeriod = 156_251;
        machine.BeforeWait = StopAt(run, 3_000);
        thread.Measure(timer);
        long[] latencies = Read(memory);
        Every.Item(latencies[1_500..], latency => Assert.InRange(latency, 0, 40_000));
    }

    /// <summary>
    /// Ten minutes with short sleeps, a night, and modern standby, in which the clocks may run on: no wake-up of them is told, and the one
    /// delay that there is is found.
    /// </summary>
    [Theory]
    [InlineData(false, 500)]
    [InlineData(false, 8 * 3_600_000)]
    [InlineData(true, 25_000)]
    public void What_the_machine_slept_is_no_latency(bool isAwakeTimeBiased, long sleepMs)
    {
        const long Second = 10_000_000;
        (long, long)[] sleeps = [.. Enumerable.Range(1, 20).Select(i => (30L * i * Second, sleepMs * Second / 1_000))];
        sleeps = [.. sleeps.Select((sleep, i) => (sleep.Item1 + (i * sleep.Item2), sleep.Item2))];
        using var machine = new FakeProbeMachine
        {
            Sleeps = sleeps,
            IsAwakeTimeBiased = isAwakeTimeBiased,
            Late = (_, number) => number == 100_000 ? 33_000 : 0,
        };
        machine.Log.IsOn = false;
        (ProbeThread thread, ProbeRun run, ProbeMemory memory, IProbeTimer timer) = Make(machine);
        using ProbeMemory shared = memory;
        thread.Calibrate(timer);
        List<long> latencies = [];
        machine.BeforeWait = (_, _) =>
        {
            latencies.AddRange(Read(memory));
            if (machine.Elapsed > sleeps[^1].Item1 + sleeps[^1].Item2 + (30 * Second))
            {
                run.Stop();
            }
        };
        thread.Measure(timer);
        Assert.Equal(20, memory.Ring(0).Resumes);
        long late = Assert.Single(latencies, latency => latency >= 500_000);
        Assert.InRange(late, 3_299_000, 3_320_000);
        Assert.InRange(latencies.Count, 250_000, int.MaxValue);
    }

    [Fact]
    public void No_event_is_made_where_nobody_listens()
    {
        using var machine = new FakeProbeMachine { Late = (_, number) => number % 10 == 0 ? 7_000 : 0 };
        machine.Log.IsOn = false;
        Assert.NotEmpty(Latencies(machine, 600, out _));
        Assert.Equal(0, machine.Log.Count(ProbeEvent.Wakeup) + machine.Log.Count(ProbeEvent.EpisodeBegin));
    }

    private static long[] Latencies(FakeProbeMachine machine, int wakeups, out ProbeThread thread)
    {
        (thread, ProbeRun run, ProbeMemory memory, IProbeTimer timer) = Make(machine);
        using ProbeMemory shared = memory;
        machine.BeforeWait = StopAt(run, wakeups);
        thread.Calibrate(timer);
        thread.Measure(timer);
        return Read(memory);
    }

    private static (ProbeThread Thread, ProbeRun Run, ProbeMemory Memory, IProbeTimer Timer) Make(FakeProbeMachine machine)
    {
        var run = new ProbeRun(machine.Events);
        var memory = ProbeMemory.Create(1);
        return (new ProbeThread(machine, Settings, run, memory.Ring(0), 3), run, memory, machine.OpenTimer(3, 28));
    }

    private static Action<int, long> StopAt(ProbeRun run, int wakeups) => (_, number) =>
    {
        if (number >= wakeups)
        {
            run.Stop();
        }
    };

    /// <summary>In nanoseconds, for a counter of 10 MHz.</summary>
    private static long[] Read(ProbeMemory memory)
    {
        List<long> latencies = [];
        while (memory.Ring(0).TryRead(out ProbeRecord record))
        {
            latencies.Add((record.Served - record.Tick) * 100);
        }

        return [.. latencies];
    }
}
