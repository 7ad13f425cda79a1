using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>A ring keeps the newest values, by their numbers.</summary>
public class RingTests
{
    /// <summary>What is searched from the newest on is what looking at each from the oldest on finds.</summary>
    [Fact]
    public void The_first_value_after_a_time_is_found()
    {
        Gen<int[]> gaps = Gen.Elements(0, 0, 1, 1, 2, 5).ArrayOf();
        Check.One(Config.QuickThrowOnFailure, Prop.ForAll(gaps.ToArbitrary(), steps =>
        {
            var ring = new Ring<TimedValue>(64);
            long ticks = 10;
            foreach (int step in steps)
            {
                ticks += step;
                ring.Add(new TimedValue(ticks));
            }

            for (long asked = 8; asked <= ticks + 2; asked++)
            {
                long expected = ring.First;
                while (expected < ring.Next && ring[expected].OrderTicks <= asked)
                {
                    expected++;
                }

                Assert.Equal(expected, ring.FirstAfter(asked));
            }
        }));
    }

    [Fact]
    public void One_by_one_or_many_at_once_the_newest_are_kept()
    {
        Gen<int[]> runs = Gen.Choose(0, 256).ArrayOf();
        Check.One(Config.QuickThrowOnFailure, Prop.ForAll(runs.ToArbitrary(), lengths =>
        {
            var single = new Ring<int>(1024);
            var many = new Ring<int>(1024);
            int next = 0;
            foreach (int length in lengths)
            {
                int[] items = [.. Enumerable.Range(next, length)];
                next += length;
                many.AddAll(items);
                foreach (int item in items)
                {
                    single.Add(in item);
                }
            }

            Assert.Equal(single.Next, many.Next);
            Assert.True(single.Next - many.First >= Math.Min(single.Count, 1024 - 256), "no more is forgotten than room was made for");
            for (long number = Math.Max(single.First, many.First); number < single.Next; number++)
            {
                Assert.Equal(single[number], many[number]);
            }
        }));
    }

    /// <summary>What was added behind a time is hidden, and the oldest of what was before it; until all is shown again.</summary>
    [Fact]
    public void A_ring_can_be_seen_as_it_was()
    {
        var ring = new Ring<TimedValue>(4_096);
        for (long ticks = 1; ticks <= 10_000; ticks++)
        {
            ring.Add(new TimedValue(ticks));
        }

        (long first, long next) = (ring.First, ring.Next);
        ring.ShowBeforeTime(9_501);
        Assert.Equal((9_500, 9_500 - (4_096 - Rings.EventsAhead)), (ring.Next, ring.First));
        Assert.Equal(9_500, ring.Newest.OrderTicks);
        Assert.Equal(ring.Next, ring.FirstAfter(9_600));
        ring.ShowBeforeTime(1);
        Assert.Equal(0, ring.Count);
        ring.ShowAll();
        Assert.Equal((first, next), (ring.First, ring.Next));
    }

    /// <summary>However much is added meanwhile, one at a time or many at once, what another ring shows stays.</summary>
    [Fact]
    public void What_a_ring_shows_of_another_stays_as_it_was()
    {
        Gen<int[]> runs = Gen.Choose(0, 3_000).ArrayOf();
        Check.One(Config.QuickThrowOnFailure, Prop.ForAll(runs.ToArbitrary(), lengths =>
        {
            var built = new Ring<int>(Rings.SmallestOfRounds);
            var shown = new Ring<int>(Rings.SmallestOfRounds);
            foreach (int length in lengths)
            {
                shown.Follow(built);
                Assert.Equal(built.Next, shown.Next);
                Assert.True(shown.First == built.First || shown.Count == Rings.SmallestOfRounds - Rings.EventsOfRound);
                (long first, long next) = (shown.First, shown.Next);
                for (int i = 0; i < length / 2; i++)
                {
                    built.Add((int)built.Next);
                }

                for (int left = length - (length / 2); left > 0; left -= 100)
                {
                    int many = Math.Min(left, 100);
                    built.AddAll([.. Enumerable.Range((int)built.Next, many)]);
                }

                Assert.Equal((first, next), (shown.First, shown.Next));
                for (long number = first; number < next; number++)
                {
                    Assert.Equal((int)number, shown[number]);
                }
            }
        }));
    }

    [Fact]
    public void A_ring_that_follows_can_be_changed_apart()
    {
        var built = new Ring<int>(Rings.SmallestOfRounds);
        var shown = new Ring<int>(Rings.SmallestOfRounds);
        built.Add(1);
        shown.Follow(built);
        shown.TakeOwn();
        shown.Newest = 2;
        Assert.Equal((1, 2), (built.Newest, shown.Newest));
        shown.Follow(built);
        Assert.Equal(1, shown.Newest);
    }

    private readonly record struct TimedValue(long OrderTicks) : ITimed;
}
