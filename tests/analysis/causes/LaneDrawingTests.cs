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

    [Fact]
    public void Lanes_are_kept_of_the_worst_and_of_the_worst_of_each_cause()
    {
        var keeping = new LaneKeeping(new LaneDrawing(null!, 1000).Draw);
        var cpus = new CpuHistory?[1];
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
        const int Spans = 1000;
        int drawn = 0;
        var keeping = new LaneKeeping((_, candidate) =>
        {
            drawn++;
            return new RawLanes(0, candidate.LatencyTicks, [new RawLane(0, new RawStripSpan[Spans], 0, [], 1)]);
        });
        List<EpisodeCandidate> all = [.. Enumerable.Range(0, 3000).Select(number => Candidate(10_000 - number, Mechanism.Dpc))];
        all.ForEach(one => keeping.Offer([], one));
        const int Most = LaneKeeping.MostSpans / Spans;
        Assert.Equal(all.Take(Most), all.Where(one => one.Lanes is not null));
        Assert.Equal(Most + 1, drawn);
        EpisodeCandidate longest = Candidate(20_000, Mechanism.Dpc);
        keeping.Offer([], longest);
        Assert.NotNull(longest.Lanes);
        Assert.Equal(Most, all.Append(longest).Count(one => one.Lanes is not null));
    }

    private static long Length(RawStripSpan span) => span.ToTicks - span.FromTicks;

    private static EpisodeCandidate Candidate(long ticks, Mechanism mechanism) => new(
        new Delay { Probe = ProbeKind.Thread, FromTicks = 0, ToTicks = ticks, Cpu = 0 })
    {
        Causes = [new CauseShare { Detail = MadeMachine.DetailOf(mechanism), Ticks = ticks, AtTicks = 0 }],
    };
}
