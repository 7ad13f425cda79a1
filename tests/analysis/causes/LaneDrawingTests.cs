using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>What is kept of the lanes is bounded, and what is joined still covers the same time.</summary>
public class LaneDrawingTests
{
    [Fact]
    public void Joined_spans_are_few_and_cover_the_same_time()
    {
        var random = new Random(1);
        for (int round = 0; round < 40; round++)
        {
            List<RawStripSpan> spans = [];
            long at = 0;
            int count = random.Next(1, 3000);
            for (int i = 0; i < count; i++)
            {
                at += random.Next(20) == 0 ? random.Next(1, 50) : 0;
                long length = random.Next(30) == 0 ? random.Next(1, 5000) : random.Next(1, 20);
                spans.Add(new RawStripSpan(at, at + length, (StripKind)random.Next(5), (ulong)i, null, 0));
                at += length;
            }

            IReadOnlyList<RawStripSpan> joined = LaneDrawing.Joined(spans, at, 400, out long below);
            Assert.InRange(joined.Count, 1, 404);
            Assert.Equal(count > 400, below > 0);
            Assert.All(joined.Skip(1).Zip(joined), pair => Assert.True(pair.First.FromTicks >= pair.Second.ToTicks));
            // A long one is there as it was.
            Assert.All(spans.Where(span => below > 0 && span.ToTicks - span.FromTicks >= below), span => Assert.Contains(span, joined));
            Assert.InRange(joined.Sum(Length), spans.Sum(Length), at);
            Assert.All(spans, span => Assert.Contains(joined, one => one.FromTicks <= span.FromTicks && span.ToTicks <= one.ToTicks));
        }
    }

    [Fact]
    public void A_joined_span_shows_what_took_most_of_it()
    {
        RawStripSpan[] spans =
        [
            new(0, 2, StripKind.Isr, 1, null, 0), new(2, 7, StripKind.Dpc, 2, null, 0), new(7, 9, StripKind.Thread, 0, null, 3),
            new(9, 1000, StripKind.Idle, 0, null, 0),
        ];
        IReadOnlyList<RawStripSpan> joined = LaneDrawing.Joined(spans, 1000, 3, out long below);
        Assert.Equal(1334, below);
        Assert.Single(joined);
        joined = LaneDrawing.Joined(spans, 30, 3, out below);
        Assert.Equal(41, below);
        Assert.Equal([new RawStripSpan(0, 9, StripKind.Dpc, 2, null, 0), spans[3]], joined);
    }

    /// <summary>With three spans at most of 30 us, those below 41 us are joined, and over holes below 41 us.</summary>
    [Theory]
    [InlineData("0-2 2-4 44-46 46-48", "0-46 46-48")]
    [InlineData("0-2 2-4 45-47 47-49", "0-4 45-49")]
    [InlineData("0-20 20-40 40-42 42-44", "0-42 42-44")]
    [InlineData("0-20 20-41 41-43 43-45", "0-41 41-45")]
    [InlineData("0-40 40-42 42-44 44-46", "0-42 42-46")]
    [InlineData("0-41 41-43 43-45 45-47", "0-41 41-47")]
    public void Short_ones_are_joined_until_they_are_long(string spans, string expected)
    {
        RawStripSpan[] all = [.. spans.Split(' ').Select(text => text.Split('-').Select(long.Parse).ToArray())
            .Select(ends => new RawStripSpan(ends[0], ends[1], StripKind.Dpc, 1, null, 0))];
        IReadOnlyList<RawStripSpan> joined = LaneDrawing.Joined(all, 30, 3, out long below);
        Assert.Equal((41, expected), (below, string.Join(' ', joined.Select(span => $"{span.FromTicks}-{span.ToTicks}"))));
    }

    /// <summary>A quarter of the wait is drawn before and behind it, but not what may not have been read.</summary>
    [Theory]
    [InlineData(10_000, 749, 2_251)]
    [InlineData(400, 800, 2_200)]
    public void A_little_is_drawn_before_and_behind_the_wait(long lag, long from, long to)
    {
        var machine = new MadeMachine(1);
        machine.Switch(0, 500, 5, 77);
        RawLanes lanes = Draw(machine, lag: lag);
        RawLane lane = Assert.Single(lanes.Cpus);
        Assert.Equal((from, to, from, to), (lanes.FromTicks, lanes.ToTicks, lane.Spans[0].FromTicks, lane.Spans[^1].ToTicks));
    }

    [Fact]
    public void The_victims_CPU_comes_first_and_others_where_anything_is_known_of_them()
    {
        var machine = new MadeMachine(5);
        machine.Switch(0, 500, 5, 77);
        machine.Sample(2, 1_500, MadeMachine.User, 77);
        machine.State.Cpus[4] = null;
        Assert.Equal([(3, 0, 0), (0, 1, 0), (2, 0, 1)], Draw(machine, cpu: 3).Cpus.Select(Sizes));
        Assert.Equal([0, 2], Draw(machine, cpu: 4).Cpus.Select(lane => lane.Cpu));
    }

    [Fact]
    public void Of_many_CPUs_sixteen_are_drawn()
    {
        var machine = new MadeMachine(20);
        for (int cpu = 0; cpu < 20; cpu++)
        {
            machine.Switch(cpu, 500, 5, 77);
        }

        Assert.Equal([18, .. Enumerable.Range(0, 15)], Draw(machine, cpu: 18).Cpus.Select(lane => lane.Cpu));
    }

    /// <summary>So many times a DPC runs, the thread that it interrupted, and another thread.</summary>
    [Theory]
    [InlineData(0, 200, true)]
    [InlineData(0, 201, false)]
    [InlineData(1, 50, true)]
    [InlineData(1, 51, false)]
    public void The_victims_CPU_has_600_spans_and_another_150(int cpu, int times, bool isAllThere)
    {
        var machine = new MadeMachine();
        for (int i = 0; i < times; i++)
        {
            machine.Ran(cpu, 750 + (6 * i), 752 + (6 * i), MadeMachine.Alpha);
            machine.Switch(cpu, 754 + (6 * i), 77 + (uint)(i % 2), 78 - (uint)(i % 2));
        }

        RawLane lane = Assert.Single(Draw(machine, lag: 500).Cpus, lane => lane.Cpu == cpu);
        Assert.Equal(isAllThere, lane.JoinedBelowTicks == 0);
        Assert.Equal(isAllThere, lane.Spans.Count == 3 * times);
    }

    [Theory]
    [InlineData(0, 256, 256, 1)]
    [InlineData(0, 257, 129, 2)]
    [InlineData(1, 64, 64, 1)]
    [InlineData(1, 65, 33, 2)]
    [InlineData(1, 129, 43, 3)]
    public void Of_more_samples_than_it_may_have_each_second_or_third_is_there(int cpu, int samples, int kept, int each)
    {
        var machine = new MadeMachine();
        machine.Sample(cpu, 748, MadeMachine.User, 77);
        for (int i = 0; i < samples; i++)
        {
            machine.Sample(cpu, i + 1 == samples ? 2_251 : 749 + i, MadeMachine.User, 77);
        }

        machine.Sample(cpu, 2_252, MadeMachine.User, 77);
        RawLane lane = Assert.Single(Draw(machine).Cpus, lane => lane.Cpu == cpu);
        Assert.Equal((kept, each, 749), (lane.Samples.Count, lane.SamplesEach, lane.Samples[0].Ticks));
    }

    [Theory]
    [InlineData(0, 32)]
    [InlineData(1, 4)]
    public void Of_a_stack_the_innermost_callers_are_kept(int cpu, int callers)
    {
        var machine = new MadeMachine();
        ulong[] stack = [.. Enumerable.Range(0, callers + 1).Select(i => MadeMachine.Kernel + (ulong)i)];
        machine.Sample(cpu, 1_500, MadeMachine.Alpha, 77, stack);
        machine.Sample(cpu, 1_600, MadeMachine.Alpha, 77, stack[..2]);
        machine.Sample(cpu, 1_700, MadeMachine.Beta, 77);
        IReadOnlyList<RawLaneSample> samples = Assert.Single(Draw(machine).Cpus, lane => lane.Cpu == cpu).Samples;
        Assert.Equal([MadeMachine.Alpha + 0x120, .. stack[..callers].Select(caller => caller + 0x140)], samples[0].Code);
        Assert.Equal([MadeMachine.Alpha + 0x120, stack[0] + 0x140, stack[1] + 0x140], samples[1].Code);
        Assert.Equal([MadeMachine.Beta + 0x120], samples[2].Code);
    }

    [Fact]
    public void Lanes_are_kept_of_the_worst_and_of_the_worst_of_each_cause()
    {
        var keeping = new LaneKeeping(new LaneDrawing(null!, 1000).Draw);
        var cpus = new CpuHistories(new CpuHistory?[1]);
        List<EpisodeCandidate> all = [.. Enumerable.Range(0, 5000).Select(number => Candidate(
            500 + ((number * 7919L) % 5000), number % 1000 == 7 ? Mechanism.Isr : Mechanism.Dpc))];
        // Those of the rare cause are the shortest.
        all = [.. all.Select(one => one.Causes[0].Mechanism == Mechanism.Isr ? Candidate(100, Mechanism.Isr) : one)];
        all.ForEach(one => keeping.Offer(cpus, one));
        EpisodeCandidate[] kept = [.. all.Where(one => one.Lanes is not null)];
        Assert.Equal(5, kept.Count(one => one.Causes[0].Mechanism == Mechanism.Isr));
        Assert.InRange(kept.Length, LaneKeeping.MostOfAll, LaneKeeping.MostOfAll + (2 * LaneKeeping.MostOfCause));
        long[] longest = [.. all.Select(one => one.LatencyTicks).OrderDescending().Take(LaneKeeping.MostOfAll)];
        Assert.Equal(longest, kept.Select(one => one.LatencyTicks).OrderDescending().Take(LaneKeeping.MostOfAll));
    }

    /// <summary>Their number is no bound of their size; and nothing is drawn for one that has no place any more.</summary>
    [Fact]
    public void Of_the_worst_only_as_many_are_kept_as_their_spans_allow()
    {
        const int Spans = 600;
        const int Samples = 400;
        int drawn = 0;
        var keeping = new LaneKeeping((_, candidate) =>
        {
            drawn++;
            return new RawLanes(0, candidate.LatencyTicks, [new RawLane(0, new RawStripSpan[Spans], 0, new RawLaneSample[Samples], 1)]);
        });
        List<EpisodeCandidate> all = [.. Enumerable.Range(0, 3000).Select(number => Candidate(10_000 - number, Mechanism.Dpc))];
        all.ForEach(one => keeping.Offer([], one));
        const int Most = LaneKeeping.MostSpans / (Spans + Samples);
        Assert.Equal(all.Take(Most), all.Where(one => one.Lanes is not null));
        Assert.Equal(Most + 1, drawn);
        EpisodeCandidate longest = Candidate(20_000, Mechanism.Dpc);
        keeping.Offer([], longest);
        Assert.NotNull(longest.Lanes);
        Assert.Equal(Most, all.Append(longest).Count(one => one.Lanes is not null));
    }

    [Fact]
    public void Eight_of_each_cause_are_kept()
    {
        var keeping = new LaneKeeping((_, candidate) => new RawLanes(0, candidate.LatencyTicks, []));
        for (int i = 0; i < LaneKeeping.MostOfAll; i++)
        {
            keeping.Offer([], Candidate(1_000, Mechanism.Dpc));
        }

        EpisodeCandidate[] rare = [.. Enumerable.Range(1, LaneKeeping.MostOfCause + 1).Select(ticks => Candidate(ticks, Mechanism.Isr))];
        Array.ForEach(rare, one => keeping.Offer([], one));
        Assert.Equal(rare[1..], rare.Where(one => one.Lanes is not null));
    }

    /// <summary>Threads are causes of their own; those that come when 24 causes are known have none.</summary>
    [Fact]
    public void Only_so_many_causes_are_told_apart()
    {
        var keeping = new LaneKeeping((_, candidate) => new RawLanes(0, candidate.LatencyTicks, []));
        for (int i = 0; i < LaneKeeping.MostOfAll; i++)
        {
            keeping.Offer([], Candidate(1_000, Mechanism.Dpc));
        }

        EpisodeCandidate[] threads = [.. Enumerable.Range(1, LaneKeeping.MostCauses).Select(thread => Candidate(
            100, new ThreadRan((uint)thread, 8)))];
        Array.ForEach(threads, one => keeping.Offer([], one));
        Assert.Equal(threads[..^1], threads.Where(one => one.Lanes is not null));
    }

    private static long Length(RawStripSpan span) => span.ToTicks - span.FromTicks;

    private static (int Cpu, int Spans, int Samples) Sizes(RawLane lane) => (lane.Cpu, lane.Spans.Count, lane.Samples.Count);

    /// <summary>Draws a wait from 1000 to 2000.</summary>
    private static RawLanes Draw(MadeMachine machine, int cpu = 0, long lag = 10_000) =>
        new LaneDrawing(new StripDrawing(machine.Blackouts, machine.Owners.Search, machine.Budget), lag).Draw(
            machine.State.Cpus,
            new EpisodeCandidate(new Delay { Probe = ProbeKind.Thread, FromTicks = 1_000, ToTicks = 2_000, Cpu = cpu }));

    private static EpisodeCandidate Candidate(long ticks, Mechanism mechanism) => Candidate(ticks, MadeMachine.DetailOf(mechanism));

    private static EpisodeCandidate Candidate(long ticks, CauseDetail detail) => new(
        new Delay { Probe = ProbeKind.Thread, FromTicks = 0, ToTicks = ticks, Cpu = 0 })
    {
        Causes = [new CauseShare { Detail = detail, Ticks = ticks, AtTicks = 0 }],
    };
}
