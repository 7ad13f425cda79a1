using Tracer.Analysis.Clocks;
using Tracer.Simulator.Scenarios;

namespace Tracer.Analysis.Tests.Clocks;

/// <summary>
/// Clocks that disagree show where a thread runs on two CPUs at once, and where a CPU's records begin and end at other times.
/// </summary>
public class ClockOverlapsTests
{
    private static readonly TraceClock Clock = new(TraceClockKind.Qpc, 10_000_000, 0, 133_000_000_000_000_000);

    /// <summary>Those of most pairs are told first, and no more than 64 however many CPUs a file names.</summary>
    [Fact]
    public void So_many_CPUs_are_told()
    {
        Assert.Equal([2, 5], ClockOverlaps.Involved([(1, 2), (2, 3), (2, 4), (5, 6), (5, 7)], least: 1));
        Assert.Equal([2], ClockOverlaps.Involved([(1, 2), (2, 3), (2, 4), (5, 6), (5, 7)], least: 3));
        Assert.Equal(64, ClockOverlaps.Involved(Enumerable.Range(0, 500).Select(cpu => (2 * cpu, (2 * cpu) + 1)), least: 4).Count);
    }

    /// <summary>A thread goes from CPU to CPU, 0.1 ms on each; the clock of CPU 2 is ahead, or behind, by some ticks of 0.1 us.</summary>
    [Theory]
    [InlineData(0, 0)]
    [InlineData(150, 0)] // As much as clocks of healthy machines differ: 0.015 ms.
    [InlineData(300, 9)]
    [InlineData(-300, 10)]
    public void A_thread_runs_on_one_CPU_at_a_time(long ahead, int expected)
    {
        (int count, IReadOnlyList<int> cpus) = ClockOverlaps.Of(Stays(30, ahead), new ClockRules(Clock, 0), new Dictionary<int, long>());
        Assert.Equal(expected, count);
        Assert.Equal(expected == 0 ? [] : [2], cpus);
    }

    [Theory]
    [InlineData(12, 3, false)]
    [InlineData(15, 4, true)]
    public void It_takes_four_of_them_to_name_a_CPU(int stays, int expected, bool isNamed)
    {
        (int count, IReadOnlyList<int> cpus) = ClockOverlaps.Of(Stays(stays, 300), new ClockRules(Clock, 0), new Dictionary<int, long>());
        Assert.Equal((expected, isNamed), (count, cpus.Count > 0));
    }

    [Fact]
    public void Moved_clocks_show_none() => Assert.Equal(0, ClockOverlaps.Of(
        Stays(30, 300), new ClockRules(Clock, 0), new Dictionary<int, long> { [2] = 300 }).Count);

    /// <summary>CPU 1 is off by 100 ms at both ends; at one end alone its records are missing.</summary>
    [Theory]
    [InlineData(1_000_000, 1_000_000, true)]
    [InlineData(-1_000_000, -1_000_000, true)]
    [InlineData(50_000_000, 50_000_000, true)]
    [InlineData(1_000_000, 0, false)]
    [InlineData(0, 1_000_000, false)]
    [InlineData(1_000_000, 1_200_000, false)]
    [InlineData(200_000, 200_000, true)] // 20 ms.
    [InlineData(199_999, 199_999, false)]
    [InlineData(1_000_000, 1_099_000, true)] // A tenth.
    [InlineData(1_000_000, 1_101_000, false)]
    public void A_CPU_begins_and_ends_with_the_others(long first, long last, bool isApart)
    {
        var ranges = new Dictionary<int, ClockRange>
        {
            [0] = new(100_000_000, 130_000_000, 9_000),
            [1] = new(100_000_000 + first, 130_000_000 + last, 9_000),
            [2] = new(100_001_000, 129_999_000, 9_000),
        };
        (int Cpu, long Ticks)? found = ClockOverlaps.Apart(ranges, Clock);
        Assert.Equal(isApart, found is not null);
        if (found is { } apart)
        {
            Assert.Equal(1, apart.Cpu);
            Assert.InRange(apart.Ticks, first - 2_000, first + 2_000);
        }
    }

    /// <summary>CPU 1 is off by 100 ms, of which it would have twenty events each 100 ms, or fewer.</summary>
    [Theory]
    [InlineData(600, true)]
    [InlineData(599, false)]
    public void Few_events_do_not_tell_when_a_CPU_began(long events, bool isTold)
    {
        var ranges = new Dictionary<int, ClockRange>
        {
            [0] = new(100_000_000, 130_000_000, 9_000),
            [1] = new(101_000_000, 131_000_000, events),
            [2] = new(100_000_000, 130_000_000, 9_000),
        };
        Assert.Equal(isTold, ClockOverlaps.Apart(ranges, Clock) is not null);
    }

    /// <summary>In a whole trace, whose first buffer has what describes it, a clock that is off by beats shows at the ends.</summary>
    [Theory]
    [InlineData(0, false)]
    [InlineData(100, true)]
    [InlineData(-5_000, true)]
    public void A_CPU_of_a_trace_is_apart(int milliseconds, bool isApart)
    {
        using var trace = new MemoryStream();
        _ = new ScenarioRun(ScenarioCatalog.Find("clean")! with { Cpus = 4 }, 3) { Duration = Duration.FromSeconds(1) }.WriteTo(trace);
        trace.Position = 0;
        using EtlReader reader = EtlReader.Open(trace, "clean");
        reader.Settle();
        reader.MoveClock(1, reader.Header.Clock.TicksOf(milliseconds * 1_000_000L));
        Assert.Equal(
            isApart ? 1 : null, ClockOverlaps.Apart(ClockEvents.Read(reader).Ranges, reader.Header.Clock)?.Cpu);
    }

    private static ClockStay[] Stays(int count, long ahead) =>
    [
        .. Enumerable.Range(0, count).Select(i => new ClockStay(
            (i * 1_050) + (i % 3 == 2 ? ahead : 0), (i * 1_050) + 1_000 + (i % 3 == 2 ? ahead : 0), 7, i % 3)),
    ];
}
