using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>
/// When delays are examined, in microseconds: at the end of a cell of 500, 1000 behind their end. CPU 0 has no records, so that each
/// delay on it is an episode without causes.
/// </summary>
public class SettleQueueTests
{
    private const long Longest = 2_000;

    [Theory]
    [InlineData(2_000, 2_000, 3_500)]
    [InlineData(1_999, 1_999, 3_000)]
    [InlineData(2_000, 3_499, 3_500)]
    [InlineData(2_000, 3_500, 4_000)]
    [InlineData(long.MaxValue - 1_000, 2_000, long.MaxValue)]
    [InlineData(long.MaxValue, 2_000, long.MaxValue)]
    public void A_delay_is_examined_when_its_records_have_come_and_it_was_noticed(long ends, long noticed, long due)
    {
        (SettleQueue queue, EpisodeAnalysis episodes) = Made();
        queue.Add(Delay(ends - 100, ends), noticed);
        Assert.Equal(due, queue.NextTicks);
        queue.Reach(due - 1);
        Assert.Empty(episodes.Done);
        queue.Reach(due);
        Assert.Equal(due == long.MaxValue ? 0 : 1, episodes.Done.Count);
        queue.Complete();
        Assert.Single(episodes.Done);
    }

    [Fact]
    public void What_is_not_wanted_is_not_waited_for()
    {
        (SettleQueue queue, EpisodeAnalysis episodes) = Made(Delay(1_000, 1_001 + Longest));
        queue.Add(Delay(1_000, 1_001 + Longest), 4_000);
        queue.Complete();
        Assert.Empty(episodes.Done);
    }

    /// <summary>What ended by then is examined with it, though it would not be due by itself yet.</summary>
    [Theory]
    [InlineData(2_500, 2_500, 2)]
    [InlineData(2_501, 2_501, 1)]
    [InlineData(2_500, 3_499, 2)]
    [InlineData(2_500, 3_500, 1)]
    public void All_that_ended_by_then_is_examined_together(long ends, long noticed, int examined)
    {
        (SettleQueue queue, EpisodeAnalysis episodes) = Made();
        queue.Add(Delay(1_900, 2_000), 2_000);
        queue.Add(Delay(2_000, ends), noticed);
        queue.Reach(3_500);
        Assert.Equal(examined, episodes.Done.Count);
        Assert.Equal(examined == 1 ? 4_000 : long.MaxValue, queue.NextTicks);
        queue.Reach(4_000);
        Assert.Equal(2, episodes.Done.Count);
    }

    [Theory]
    [InlineData(2_500, 2)]
    [InlineData(2_501, 1)]
    public void So_are_measured_wake_ups(long ends, int examined)
    {
        (SettleQueue queue, EpisodeAnalysis episodes) = Made(Delay(1_900, 2_000), Delay(2_000, ends), Delay(4_000, 5_000));
        Assert.Equal(3_500, queue.NextTicks);
        queue.Reach(3_500);
        Assert.Equal(examined, episodes.Done.Count);
        Assert.Equal(examined == 1 ? 4_000 : 6_500, queue.NextTicks);
        queue.Reach(6_499);
        Assert.Equal(2, episodes.Done.Count);
        queue.Reach(6_500);
        Assert.Equal(3, episodes.Done.Count);
    }

    [Fact]
    public void Those_that_come_together_are_in_order_of_their_ends_and_numbers()
    {
        Delay[] all =
        [
            Delay(1_300, 1_900, thread: 9), Delay(1_200, 2_000, thread: 8), Delay(1_300, 2_000), Delay(1_300, 2_000, thread: 7),
            Delay(1_300, 2_000, thread: 8), Delay(1_200, 2_000, cpu: 2), Delay(1_100, 2_000, probe: ProbeKind.Gap),
        ];
        foreach (Delay[] added in new[] { all, [.. all.Reverse()], [.. all.OrderBy(delay => delay.ThreadId)] })
        {
            (SettleQueue queue, EpisodeAnalysis episodes) = Made();
            Array.ForEach(added, delay => queue.Add(delay, 2_000));
            queue.Complete();
            Assert.Equal(all, episodes.Done.Select(episode => episode.Delay));
        }
    }

    /// <summary>A gap may become a blackout when what comes behind it is known, or when something is examined that ended later.</summary>
    [Theory]
    [InlineData(2_030, null, 3_500)]
    [InlineData(2_000, 1_999L, 3_000)]
    [InlineData(2_001, 1_999L, 3_500)]
    public void A_gap_is_looked_at_when_its_records_have_come(long ends, long? other, long looked)
    {
        var machine = new MadeMachine(2, interval: 100);
        machine.State.Cpus[1] = null;
        (SettleQueue queue, _) = Made(machine);
        machine.Switch(0, 40, 0, 77);
        for (int i = 1; i <= 30; i++)
        {
            if (i is <= 10 or > 20)
            {
                machine.Sample(0, 100 * i, MadeMachine.User, 77);
            }
            else if (i == 20)
            {
                machine.Sample(0, ends, MadeMachine.User, 77);
            }
        }

        queue.AddGaps(machine[0]);
        if (other is { } to)
        {
            queue.Add(Delay(1_500, to, cpu: 1), to);
        }

        queue.Reach(looked - 1);
        Assert.Empty(machine.Blackouts.Found);
        queue.Reach(looked);
        Assert.Equal(ends, Assert.Single(machine.Blackouts.Found).ToTicks);
        queue.Complete();
        Assert.Equal(long.MaxValue, queue.NextTicks);
        Assert.Single(machine.Blackouts.Found);
    }

    /// <summary>Each of 49 CPUs has a gap; at each time that something is examined only those are asked whose gap has ended.</summary>
    [Fact]
    public void A_CPU_that_nobody_asks_costs_nothing()
    {
        var machine = new MadeMachine(50, interval: 100);
        machine.State.Cpus[0] = null;
        (SettleQueue queue, EpisodeAnalysis episodes) = Made(machine);
        for (int cpu = 1; cpu < 50; cpu++)
        {
            machine[cpu].NoteRecord(10);
            machine[cpu].SampleGaps.Add(new SampleGap { FromTicks = 10, DueTicks = 20, ToTicks = 1_000L * cpu, JitterTicks = 1 });
            queue.AddGaps(machine[cpu]);
        }

        for (long at = 2_000; at < 50_000; at += 1_000)
        {
            queue.Add(Delay(at - 100, at), at);
        }

        queue.Complete();
        Assert.Equal(48, episodes.Done.Count);
        Assert.Equal(49, machine.State.Cpus.Looks);
    }

    private static Delay Delay(long from, long to, int cpu = 0, uint? thread = null, ProbeKind probe = ProbeKind.Thread) =>
        new() { Probe = probe, FromTicks = from, ToTicks = to, Cpu = cpu, ThreadId = thread };

    private static (SettleQueue Queue, EpisodeAnalysis Episodes) Made(params Delay[] measured)
    {
        var machine = new MadeMachine(3);
        machine.State.Cpus.Clear();
        return Made(machine, measured);
    }

    private static (SettleQueue Queue, EpisodeAnalysis Episodes) Made(MadeMachine machine, params Delay[] measured)
    {
        EpisodeAnalysisSettings settings = MadeMachine.Settings(new CaptureEvents()) with
        {
            Cells = new TimeCells(0, 500),
            ToTicks = long.MaxValue,
            LongestTicks = Longest,
            Cpus = null,
            WantsGaps = false,
        };
        var episodes = new EpisodeAnalysis(
            settings, machine.State, machine.Blackouts, null!, null!, null!, null!, null, machine.Budget);
        var search = new BlackoutSearch(machine.State, machine.Owners, AllKinds.Has, null, machine.Blackouts, machine.Budget);
        return (new SettleQueue(settings, machine.State, machine.Blackouts, search, episodes, measured), episodes);
    }
}
