using Tracer.Analysis.Clocks;

namespace Tracer.Analysis.Tests.Clocks;

/// <summary>
/// Clocks of CPUs that disagree are found by threads that run before they are made ready, and healthy machines, whatever is missing of
/// their records, are left alone.
/// </summary>
public class ClockOffsetsTests
{
    private const int Cpus = 4;
    private static readonly TraceClock Clock = new(TraceClockKind.Qpc, 10_000_000, 0, 133_000_000_000_000_000);

    /// <summary>By how many ticks of 0.1 us CPUs are ahead.</summary>
    public static TheoryData<long[]> Offsets() =>
    [
        new long[] { 0, 7_000, 0, 0 },
        new long[] { 0, -50_000, 0, 0 },
        new long[] { 30_000, 0, 0, 0 },
        new long[] { 0, 0, 10_000, -20_000 },
        new long[] { 0, 0, 0, 1_000 },
        new long[] { 0, 300_000, 0, 0 },
    ];

    [Theory]
    [MemberData(nameof(Offsets))]
    public void A_constant_offset_is_found(long[] ahead)
    {
        ClockDisagreement? found = ClockOffsets.Find(Machine((cpu, _) => ahead[cpu]), Clock);
        Assert.NotNull(found);
        Assert.True(found.IsConstant);
        for (int cpu = 0; cpu < Cpus; cpu++)
        {
            Assert.InRange(found.AheadTicks.GetValueOrDefault(cpu), ahead[cpu] - 150, ahead[cpu] + 150);
        }
    }

    [Fact]
    public void Half_of_the_CPUs_may_be_off()
    {
        ClockDisagreement? found = ClockOffsets.Find(Machine((cpu, _) => cpu >= 2 ? 40_000 : 0), Clock);
        Assert.NotNull(found);
        Assert.True(found.IsConstant);
        long between = found.AheadTicks.GetValueOrDefault(2) - found.AheadTicks.GetValueOrDefault(0);
        Assert.InRange(between, 39_900, 40_100);
        Assert.InRange(found.AheadTicks.GetValueOrDefault(3) - found.AheadTicks.GetValueOrDefault(1), 39_900, 40_100);
    }

    /// <summary>Off by 1 ms more each second, by 2 ms less; or set by 2 ms in the middle.</summary>
    [Theory]
    [InlineData(0.001, 0)]
    [InlineData(-0.002, 0)]
    [InlineData(0, 20_000)]
    public void A_drift_is_found_and_is_no_constant(double slope, long step)
    {
        ClockDisagreement? found = ClockOffsets.Find(
            Machine((cpu, ticks) => cpu != 1 ? 0 : (long)(slope * ticks) + (ticks > 9_000_000 ? step : 0)), Clock);
        Assert.NotNull(found);
        Assert.False(found.IsConstant);
        Assert.Contains(1, found.AheadTicks.Keys);
    }

    /// <summary>CPU 1 is set by 2 ms near the end: in a tenth of the trace, or where no eight threads show it any more.</summary>
    [Theory]
    [InlineData(18_000_000, 20_000, true)]
    [InlineData(18_000_000, -20_000, true)]
    [InlineData(19_950_000, 20_000, false)]
    [InlineData(20_000_001, 20_000, false)]
    public void A_clock_that_is_set_is_found_in_a_part(long at, long step, bool isFound)
    {
        ClockDisagreement? found = ClockOffsets.Find(Machine((cpu, ticks) => cpu == 1 && ticks > at ? step : 0), Clock);
        Assert.Equal(isFound, found is { IsConstant: false });
        if (isFound)
        {
            Assert.InRange(Assert.Single(found!.AheadTicks).Value, step - 150, step + 150);
        }
    }

    /// <summary>
    /// Threads that wake each 2 ms, a little more or less, on two CPUs, made ready by the other one: a clock that is off by about that beat
    /// pairs each wake-up with its neighbour, so that no contradictions have a length in common.
    /// </summary>
    [Theory]
    [InlineData(20_000)]
    [InlineData(-20_000)]
    [InlineData(40_000)]
    [InlineData(-19_500)]
    public void An_offset_of_about_the_beat_is_found(long ahead)
    {
        ClockDisagreement? found = ClockOffsets.Find(OnABeat((cpu, _) => cpu == 1 ? ahead : 0), Clock);
        Assert.NotNull(found);
        Assert.True(found.IsConstant);
        long between = found.AheadTicks.GetValueOrDefault(1) - found.AheadTicks.GetValueOrDefault(0);
        Assert.InRange(between, ahead - 200, ahead + 200);
    }

    [Theory]
    [InlineData(20_000)]
    [InlineData(-20_000)]
    public void A_clock_that_is_set_by_about_the_beat_is_found(long step)
    {
        ClockDisagreement? found = ClockOffsets.Find(OnABeat((cpu, ticks) => cpu == 1 && ticks > 20_000_000 ? step : 0), Clock);
        Assert.NotNull(found);
        Assert.False(found.IsConstant);
    }

    /// <summary>As they are, with records missing, and on a beat so exact that nothing tells a wake-up from its neighbour.</summary>
    [Fact]
    public void A_beat_alone_is_no_disagreement()
    {
        Assert.Null(ClockOffsets.Find(OnABeat((_, _) => 0), Clock));
        Assert.Null(ClockOffsets.Find(OnABeat((cpu, _) => cpu == 1 ? 20_000 : 0, jitter: 0), Clock));
        var random = new Random(7);
        Assert.Null(ClockOffsets.Find([.. OnABeat((_, _) => 0).ToArray().Where(_ => random.NextDouble() >= 0.3)], Clock));
        Assert.Null(ClockOffsets.Find(
            [.. OnABeat((_, _) => 0).ToArray().Where(one => one.Kind != ClockEventKind.Ready || random.NextDouble() >= 0.3)], Clock));
    }

    /// <summary>What is looked for in sixteenths: a clock set for the last of them, and for no more than half of it.</summary>
    [Theory]
    [InlineData(18_760_000, true)]
    [InlineData(19_370_000, false)]
    public void A_clock_that_is_set_shows_in_a_sixteenth(long at, bool isFound) => Assert.Equal(
        isFound, ClockOffsets.Find(Machine((cpu, ticks) => cpu == 1 && ticks > at ? 20_000 : 0), Clock) is { IsConstant: false });

    /// <summary>Of the first eighth of a part it is not known what was before.</summary>
    [Fact]
    public void A_part_begins_with_what_is_not_known()
    {
        ClockEvent[] part = ClockOffsets.Part([.. Wakeup(1, 2, 1, 5_000, 50, 500), new ClockEvent(85_000, 9, 0, ClockEventKind.Ready)]);
        long first = part[1].Ticks;
        Assert.Equal((ClockEventKind.Cut, first, (85_000 - first) / 8), (part[0].Kind, part[0].Ticks, part[0].FreeTicks));
        Assert.Empty(ClockOffsets.Part([]));
    }

    /// <summary>CPU 1 is ahead by 0.1 ms more each time; beside that it makes threads ready that run as they should.</summary>
    [Theory]
    [InlineData(15, 0, false)]
    [InlineData(16, 0, true)]
    [InlineData(16, 48, true)]
    [InlineData(16, 49, false)]
    public void A_drift_takes_sixteen_threads_and_a_quarter_of_all(int reversed, int others, bool isFound)
    {
        // The first time that a thread runs proves nothing: it has not been seen to wait before.
        List<ClockEvent> events = [];
        for (int i = 0; i < 20; i++)
        {
            long ahead = 2_000 + (i * 1_000);
            ClockEvent[] pair = [.. i <= reversed ? Wakeup(1, 2, 1, i * 2_000_000L, 50, 30_000) : [],
                .. Wakeup(2, 1, 2, (i * 2_000_000L) + 1_000_000, 50, 500)];
            events.AddRange(pair.Select(one => one.Cpu == 1 ? one with { Ticks = one.Ticks + ahead } : one));
        }

        for (int i = 0; others > 0 && i <= others; i++)
        {
            events.AddRange(Wakeup(3, 2, 1, 50_000_000 + (i * 1_000_000L), 50, 500));
        }

        Assert.Equal(isFound, ClockOffsets.Find([.. events], Clock) is { IsConstant: false });
    }

    [Fact]
    public void Clocks_that_agree_within_microseconds_agree()
    {
        var random = new Random(5);
        Assert.Null(ClockOffsets.Find(Machine((_, _) => 0), Clock));
        Assert.Null(ClockOffsets.Find(Machine((cpu, _) => cpu == 1 ? 30 : 0), Clock));
        Assert.Null(ClockOffsets.Find(Machine((_, _) => random.Next(-50, 51)), Clock));
    }

    /// <summary>Threads run without having been made ready, and are made ready for nothing, where records are missing.</summary>
    [Theory]
    [InlineData(nameof(ClockEventKind.Ready), 0.1)]
    [InlineData(nameof(ClockEventKind.Ready), 0.6)]
    [InlineData(nameof(ClockEventKind.Run), 0.3)]
    [InlineData(nameof(ClockEventKind.Wait), 0.3)]
    public void Missing_records_are_no_disagreement(string name, double missing)
    {
        ClockEventKind kind = Enum.Parse<ClockEventKind>(name);
        var random = new Random(11);
        ClockEvent[] left = [.. Machine((_, _) => 0).ToArray().Where(one => one.Kind != kind || random.NextDouble() >= missing)];
        Assert.Null(ClockOffsets.Find(left, Clock));
        left = [.. Machine((_, _) => 0).ToArray().Where(one => one.Cpu != 2 || random.NextDouble() >= missing)];
        Assert.Null(ClockOffsets.Find(left, Clock));
    }

    /// <summary>What ran too early proves nothing where more ran and nobody ever made them ready: records are missing.</summary>
    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public void Threads_that_nobody_made_ready_outweigh_those_that_ran_too_early(int more, bool isFound)
    {
        List<ClockEvent> events = [.. Machine((cpu, _) => cpu == 1 ? 20_000 : 0).ToArray()];
        var rules = new ClockRules(Clock, 0);
        ClockPairs pairs = rules.Pairs([.. events], new Dictionary<int, long>());
        long runs = pairs.Reversed - pairs.Unanswered + more + 2; // The first is no contradiction, and the second has no third behind it.
        for (int i = 0; i < runs; i++)
        {
            events.Add(new ClockEvent(1_000 * i, 99_999, 0, ClockEventKind.Run));
            events.Add(new ClockEvent((1_000 * i) + 500, 99_999, 0, ClockEventKind.Wait));
        }

        Assert.Equal(more, rules.Pairs([.. events], new Dictionary<int, long>()).Unanswered - pairs.Reversed);
        Assert.Equal(isFound, ClockOffsets.Find([.. events], Clock) is not null);
    }

    [Fact]
    public void Slow_CPUs_are_no_disagreement()
    {
        // What CPU 1 is to run waits 3 ms for it.
        Assert.Null(ClockOffsets.Find(Machine((_, _) => 0, cpu => cpu == 1 ? 30_000 : 0), Clock));
    }

    [Fact]
    public void Threads_on_a_beat_do_not_hide_an_offset()
    {
        ClockEvent[] beat = [.. Enumerable.Range(0, 2000).SelectMany(i => Wakeup(99, 3, 2, i * 10_000L, 30, 2_000))];
        ClockEvent[] all = [.. beat, .. Machine((_, _) => 0).ToArray()];
        all = [.. all.Select(one => one.Cpu == 3 ? one with { Ticks = one.Ticks + 30_000 } : one)];
        ClockDisagreement? found = ClockOffsets.Find(all, Clock);
        Assert.NotNull(found);
        Assert.InRange(Assert.Single(found.AheadTicks).Value, 29_900, 30_100);
    }

    [Fact]
    public void Little_proves_nothing()
    {
        Assert.Null(ClockOffsets.Find([], Clock));
        Assert.Null(ClockOffsets.Find(Machine((cpu, _) => cpu == 1 ? 30_000 : 0)[..20], Clock));
    }

    /// <summary>
    /// Each second of 40 clocks is off by another offset, and of the contradictions one in five has no length in common: move after move
    /// makes a few vanish, in the whole and in each part, and never nearly all. Moves are tried on each event no more than so often.
    /// </summary>
    [Fact]
    public void What_is_tried_is_bounded_whoever_made_the_trace()
    {
        const int Many = 40;
        var random = new Random(8);
        List<ClockEvent> events = [];
        for (int i = 0; i < 3_000; i++)
        {
            int from = random.Next(Many);
            int to = random.Next(Many);
            long noise = random.Next(5) == 0 ? random.Next(400_000) : 0;
            events.AddRange(Wakeup((uint)(i % 400), to, from, i * 5_000L, 30, 1_000)
                .Select(one => one with { Ticks = one.Ticks + Ahead(one.Cpu) + (one.Kind == ClockEventKind.Ready ? noise : 0) }));
            // In between nothing contradicts, so that each contradiction is seen.
            events.AddRange(Wakeup((uint)(i % 400), to, to, (i * 5_000L) + 1_000_000, 30, 1_000)
                .Select(one => one with { Ticks = one.Ticks + Ahead(one.Cpu) }));
        }

        ClockEvent[] all = [.. events];
        var rules = new ClockRules(Clock, all.Length);
        ClockOffsets.Find(all, rules);
        Assert.InRange(rules.Tried, 300L * all.Length, 2_000_000 + (400L * all.Length));

        static long Ahead(int cpu) => cpu % 2 * cpu * 7_001L;
    }

    /// <summary>Two seconds of twelve threads that wake each other at random on four CPUs.</summary>
    private static ReadOnlySpan<ClockEvent> Machine(Func<int, long, long> ahead, Func<int, long>? slow = null)
    {
        var random = new Random(3);
        List<ClockEvent> events = [];
        for (uint thread = 1; thread <= 12; thread++)
        {
            long ticks = random.Next(100_000);
            while (ticks < 20_000_000)
            {
                int from = random.Next(Cpus);
                int to = random.Next(Cpus);
                long waits = 20 + random.Next(100) + (random.Next(10) == 0 ? random.Next(5_000) : 0) + (slow?.Invoke(to) ?? 0);
                long runs = 500 + random.Next(3_000);
                events.AddRange(Wakeup(thread, to, from, ticks, waits, runs));
                ticks += waits + runs + 2_000 + (long)(-Math.Log(1 - random.NextDouble()) * 100_000);
            }
        }

        return events.Select(one => one with { Ticks = one.Ticks + ahead(one.Cpu, one.Ticks) }).ToArray();
    }

    /// <summary>Four seconds of two threads that come each 2 ms, each made ready by the other's CPU.</summary>
    private static ReadOnlySpan<ClockEvent> OnABeat(Func<int, long, long> ahead, int jitter = 800)
    {
        var random = new Random(4);
        List<ClockEvent> events = [];
        for (int cpu = 0; cpu < 2; cpu++)
        {
            long ticks = 5_000 + (cpu * 9_000);
            for (int i = 0; i < 2000; i++, ticks += 20_000 + random.Next(-jitter, jitter + 1))
            {
                events.AddRange(Wakeup((uint)(7 + cpu), cpu, 1 - cpu, ticks, 15, 200));
            }
        }

        return events.Select(one => one with { Ticks = one.Ticks + ahead(one.Cpu, one.Ticks) }).ToArray();
    }

    private static ClockEvent[] Wakeup(uint thread, int cpu, int by, long ticks, long waits, long runs) =>
    [
        new(ticks, thread, (ushort)by, ClockEventKind.Ready),
        new(ticks + waits, thread, (ushort)cpu, ClockEventKind.Run),
        new(ticks + waits + runs, thread, (ushort)cpu, ClockEventKind.Wait),
    ];
}
