using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Tests.Modules;

namespace Tracer.Analysis.Tests.Mechanisms;

/// <summary>
/// ISRs of others that take longer by one factor near a DPC of own.sys tell that its CPU was slow: the kernel's and that of a driver, or
/// those of three drivers. Usually they take 20 ticks.
/// </summary>
public class SlowTimesTests
{
    private readonly MadeModules _made = new("ntoskrnl.exe", "own.sys", "a.sys", "b.sys", "c.sys");
    private readonly List<LaneRoutines> _lanes = [];
    private readonly RoutineCounts _counts = new();
    private readonly List<NearRuns> _near = [];
    private long _at;

    public SlowTimesTests()
    {
        for (int cpu = 0; cpu < 2; cpu++)
        {
            _lanes.Add(new LaneRoutines(cpu, 2, _counts, new LaneRecords(), TracePart.Whole));
        }
    }

    [Theory]
    [InlineData("ntoskrnl.exe a.sys", true)]
    [InlineData("ntoskrnl.exe", false)]
    [InlineData("a.sys b.sys", false)]
    [InlineData("a.sys b.sys c.sys", true)]
    [InlineData("ntoskrnl.exe own.sys", false)] // Its own length is what is asked about.
    public void The_kernel_and_a_driver_or_three_drivers_tell(string names, bool isSlow)
    {
        foreach (string name in names.Split(' '))
        {
            Usual(name);
            Near(name, 10, 80);
        }

        Assert.Equal(isSlow ? 4.0 : null, Slow()?.Times);
    }

    [Theory]
    [InlineData(29, false)]
    [InlineData(30, true)]
    public void Of_thirty_runs_the_usual_length_is_known(int runs, bool isSlow)
    {
        Usual("ntoskrnl.exe");
        Ran("a.sys", 0, runs - 2, 20);
        Ran("a.sys", 0, 2, 80);
        Near("ntoskrnl.exe", 10, 80);
        Near("a.sys", 10, 80);
        Assert.Equal(isSlow, Slow() is not null);
    }

    [Theory]
    [InlineData(100, true)]
    [InlineData(101, false)]
    public void An_isr_that_has_now_much_now_little_to_do_tells_nothing(long usual, bool isSlow)
    {
        Usual("ntoskrnl.exe");
        Ran("a.sys", 0, 15, 40);
        foreach (long ticks in (long[])[50, 60, 70, 80, 90])
        {
            Ran("a.sys", 0, 6, ticks);
        }

        Ran("a.sys", 0, 55, usual);
        Ran("a.sys", 0, 5, 400);
        Near("ntoskrnl.exe", 10, 80);
        Near("a.sys", 10, 400);
        Assert.Equal(isSlow, Slow() is not null);
    }

    /// <summary>A core whose ISRs always take 64 ticks, where those of the other take 20, is no throttled one.</summary>
    [Theory]
    [InlineData(79, false)]
    [InlineData(80, true)]
    public void A_core_that_is_never_faster_is_not_throttled(long near, bool isSlow)
    {
        foreach (string name in (string[])["ntoskrnl.exe", "a.sys"])
        {
            Ran(name, 1, 900, 20);
            Ran(name, 0, 100, 64);
            Near(name, 10, near);
        }

        Assert.Equal(isSlow, Slow() is not null);
    }

    [Theory]
    [InlineData(320, true)]
    [InlineData(321, false)]
    public void They_are_slower_by_one_factor(long third, bool isSlow)
    {
        foreach ((string name, long near) in new[] { ("a.sys", 80L), ("b.sys", 80), ("c.sys", third) })
        {
            Usual(name);
            Near(name, 10, near);
        }

        Assert.Equal(isSlow, Slow() is not null);
    }

    [Theory]
    [InlineData(10, true)]
    [InlineData(11, false)]
    public void Three_of_four_runs_near_by_are_slow(int fast, bool isSlow)
    {
        foreach (string name in (string[])["ntoskrnl.exe", "a.sys", "b.sys"])
        {
            Usual(name);
        }

        Near("ntoskrnl.exe", 10, 80);
        Near("a.sys", 20, 80);
        Near("b.sys", fast, 20);
        Assert.Equal(isSlow, Slow() is not null);
    }

    /// <summary>One run of each near by, where 25 of 1,000 and about 40 of 1,000 are long anyway.</summary>
    [Theory]
    [InlineData(39, true)]
    [InlineData(41, false)]
    public void Chance_does_not_explain_it(int others, bool isSlow)
    {
        Ran("ntoskrnl.exe", 0, 975, 20);
        Ran("ntoskrnl.exe", 0, 25, 80);
        Ran("a.sys", 0, 1000 - others, 20);
        Ran("a.sys", 0, others, 80);
        Near("ntoskrnl.exe", 1, 80);
        Near("a.sys", 1, 80);
        Assert.Equal(isSlow, Slow() is not null);
    }

    private Slowdown? Slow()
    {
        _counts.Complete(_lanes);
        return new SlowTimes(_counts, _made.Map).Of(new RoutineRan(_made.At("own.sys"), 1, 0, 500, 0, null) { Near = _near }, _at);
    }

    /// <summary>A routine of which one run in a hundred is slow.</summary>
    private void Usual(string name)
    {
        Ran(name, 0, 990, 20);
        Ran(name, 0, 10, 80);
    }

    private void Near(string name, int runs, long medianTicks) => _near.Add(new NearRuns(_made.At(name), 0, runs, medianTicks));

    private void Ran(string name, int cpu, int runs, long ticks)
    {
        for (int i = 0; i < runs; i++)
        {
            var span = new LevelSpan { StartTicks = _at, EndTicks = _at + ticks, Routine = _made.At(name), Kind = LevelKind.Isr };
            _lanes[cpu].Add(in span, RunClient.NotSeen);
            _at += ticks + 1;
        }
    }
}
