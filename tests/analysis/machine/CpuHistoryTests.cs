using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>What was at a time is found without a walk over all ISRs and DPCs, and is what such a walk would find.</summary>
public class CpuHistoryTests
{
    private const long Skew = 20;

    [Fact]
    public void What_a_time_lies_in_and_what_touches_a_stretch_is_what_a_slow_search_finds() => Hold(random =>
    {
        CpuHistory cpu = Made(Nested(random, 0, 4_000, depth: 0));
        List<(long Number, LevelSpan Span)> all = [.. Numbers(cpu).Select(number => (number, cpu.Spans[number]))];
        for (int i = 0; i < 200; i++)
        {
            long at = random.Next(-10, 4_100);
            Assert.Equal(Innermost(all.Where(span => span.Span.StartTicks < at && at <= span.Span.EndTicks && !span.Span.IsProfile)),
                cpu.SpanAt(at));
            Assert.Equal(
                all.Where(span => span.Span.EndTicks >= at).Select(span => span.Number).DefaultIfEmpty(-1).First(),
                cpu.FirstEndingFrom(at));

            long to = at + random.Next(0, 600);
            List<long> touching = [];
            cpu.AddTouching(at, to, touching);
            Assert.Equal(
                all.Where(span => span.Span.EndTicks > at && span.Span.StartTicks < to).Select(span => span.Number), touching.Order());
            Assert.Equal(
                all.Exists(span => Lies(span.Span.StartTicks) || Lies(span.Span.EndTicks)), cpu.HasRecordBetween(at, to));
            bool Lies(long ticks) => ticks > at && ticks < to;
        }
    });

    [Fact]
    public void What_one_interrupted_is_the_next_around_it() => Hold(random =>
    {
        CpuHistory cpu = Made(Nested(random, 0, 4_000, depth: 0));
        foreach (long number in Numbers(cpu))
        {
            LevelSpan inner = cpu.Spans[number];
            Assert.Equal(
                Innermost(Numbers(cpu).Where(other => other > number && cpu.Spans[other].StartTicks <= inner.StartTicks)
                    .Select(other => (other, cpu.Spans[other]))),
                cpu.OuterOf(number));
        }
    });

    /// <summary>What is read later of a CPU is seen with the next round; what others told of it stays, wherever its blocks are.</summary>
    [Fact]
    public void What_is_shown_ends_with_the_round()
    {
        var read = new CpuHistory(3, Rings.SmallestOfRounds, new SampleClock(0, 100));
        var shown = new CpuHistory(read, Rings.SmallestOfRounds, new SampleClock(0, 100));
        read.AddSwitch(500, 4, 8, 0, 0);
        read.AddSample(new CpuSample { Ticks = 1_000, ThreadId = 4 });
        Assert.True(read.TryAddSpan(Span(1_100, 1_200), Skew));
        shown.Follow(read);
        var line = new QueueLine(1, 7, 0x5000, 0x99);
        shown.TellLine(0, line);
        read.AddStack(0, [0xF1, 0xF2]);
        Assert.False(read.AddSwitch(1_300, 9, 8, 6, 8));
        for (int i = 0; i < 200; i++)
        {
            Assert.True(read.TryAddSpan(Span(2_000 + (i * 10), 2_005 + (i * 10)), Skew));
        }

        Assert.Equal((2, true, 1, 1_200), (shown.Runs.Next, shown.Runs.Newest.IsKnown, shown.Spans.Next, shown.LatestTicks));
        Assert.Equal((true, false), (read.HasFrames(in read.Samples.Newest), shown.HasFrames(in shown.Samples.Newest)));
        Assert.Equal(line, shown.LineOf(in shown.Spans[0]));
        shown.Follow(read);
        Assert.Equal((3, false, 201, read.LatestTicks), (shown.Runs.Next, shown.Runs[1].IsKnown, shown.Spans.Next, shown.LatestTicks));
        Assert.Equal([0xF1, 0xF2], shown.FramesOf(in shown.Samples.Newest, new ulong[4]).ToArray());
        Assert.Equal((line, line), (shown.LineOf(in shown.Spans[0]), read.LineOf(in read.Spans[0])));
    }

    [Theory]
    [InlineData(Skew, true)]
    [InlineData(Skew + 1, false)]
    public void What_begins_within_another_and_ends_behind_it_is_refused_beyond_the_skew(long overlap, bool isTaken)
    {
        CpuHistory cpu = Made([Span(1_000, 1_500)]);
        Assert.Equal(isTaken, cpu.TryAddSpan(Span(1_500 - overlap, 2_000), Skew));
        Assert.Equal(isTaken ? 2 : 1, cpu.Spans.Next);
        // What comes next is taken either way, and is in none of them.
        Assert.True(cpu.TryAddSpan(Span(2_100, 2_200), Skew));
        Assert.Equal(-1, cpu.OuterOf(cpu.Spans.Next - 1));
        Assert.Equal(2_200, cpu.LatestTicks);
    }

    [Fact]
    public void One_around_all_that_came_before_is_taken()
    {
        CpuHistory cpu = Made([Span(1_000, 1_100), Span(1_200, 1_300), Span(900, 2_000)]);
        Assert.Equal([2L, 2L, -1L], Numbers(cpu).Select(cpu.OuterOf));
        Assert.Equal(2, cpu.SpanAt(1_150));
        Assert.Equal(1, cpu.SpanAt(1_300));
        Assert.Equal(2, cpu.SpanAt(1_301));
        Assert.Equal(2, cpu.SpanAt(901));
        // At its very entry a routine has not begun.
        Assert.Equal(-1, cpu.SpanAt(900));
    }

    [Fact]
    public void The_profile_interrupts_own_run_is_not_what_a_time_lies_in()
    {
        CpuHistory cpu = Made(
            [Span(1_100, 1_120) with { IsProfile = true }, Span(1_000, 1_200), Span(1_300, 1_320) with { IsProfile = true }]);
        Assert.Equal(1, cpu.SpanAt(1_110));
        Assert.Equal(-1, cpu.SpanAt(1_310));
    }

    [Fact]
    public void Of_a_storm_the_newest_are_remembered()
    {
        var cpu = new CpuHistory(0, 1_024, new SampleClock(0, 500));
        for (long i = 0; i < 10_000; i++)
        {
            Assert.True(cpu.TryAddSpan(Span(i * 10, (i * 10) + 5), Skew));
        }

        // One around more of them than are remembered.
        Assert.True(cpu.TryAddSpan(Span(-5, 100_000), Skew));
        Assert.Equal(10_000, cpu.OuterOf(9_999));
        Assert.Equal(9_999, cpu.SpanAt(99_992));
        Assert.Equal(10_000, cpu.SpanAt(99_997));
        List<long> touching = [];
        cpu.AddTouching(99_900, 99_950, touching);
        Assert.Equal([9_990, 9_991, 9_992, 9_993, 9_994, 10_000], touching.Order());
    }

    private static void Hold(Action<Random> property) => Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<int>>(), seed =>
    {
        property(new Random(seed.Item));
        return true;
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(60));

    private static long Innermost(IEnumerable<(long Number, LevelSpan Span)> spans) =>
        spans.OrderBy(span => span.Number).Select(span => span.Number).DefaultIfEmpty(-1).First();

    private static IEnumerable<long> Numbers(CpuHistory cpu) => Enumerable.Range(0, (int)cpu.Spans.Next).Select(number => (long)number);

    private static LevelSpan Span(long start, long end) => new() { StartTicks = start, EndTicks = end, Routine = 0x1000 };

    private static CpuHistory Made(IEnumerable<LevelSpan> spans)
    {
        var cpu = new CpuHistory(0, 4_096, new SampleClock(0, 500));
        foreach (LevelSpan span in spans)
        {
            Assert.True(cpu.TryAddSpan(in span, Skew));
        }

        return cpu;
    }

    /// <summary>Routines one after the other, each with what interrupted it, in the order in which they return.</summary>
    private static IEnumerable<LevelSpan> Nested(Random random, long from, long to, int depth)
    {
        long at = from + random.Next(20);
        while (at < to - 4)
        {
            long end = Math.Min(to - 1, at + 2 + random.Next(depth == 0 ? 400 : 60));
            if (depth < 3 && random.Next(2) == 0)
            {
                foreach (LevelSpan inner in Nested(random, at + 1, end - 1, depth + 1))
                {
                    yield return inner;
                }
            }

            yield return Span(at, end) with { IsProfile = depth > 0 && random.Next(4) == 0 };
            at = end + 1 + random.Next(80);
        }
    }
}
