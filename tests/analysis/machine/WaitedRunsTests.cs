using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>Runs during which a measured thread waited for the CPU.</summary>
public class WaitedRunsTests
{
    [Fact]
    public void A_run_counts_once_however_many_waited()
    {
        var runs = new WaitedRuns(0);
        var facts = new RunFacts();
        runs.Ran(100, 200, 100, facts);
        runs.Ran(300, 350, 50, facts);
        runs.Waited(150, 260);
        runs.Waited(120, 280);
        Assert.Equal((1, 160), (facts.Waited, facts.LongestWaitTicks));
        Assert.False(runs.IsCut);
    }

    [Fact]
    public void Who_becomes_ready_when_the_run_is_over_did_not_wait_for_it()
    {
        var runs = new WaitedRuns(0);
        var facts = new RunFacts();
        runs.Ran(100, 200, 100, facts);
        runs.Ran(900, 950, 50, facts);
        runs.Waited(200, 900);
        Assert.Equal((0, 0), (facts.Waited, facts.LongestWaitTicks));
        Assert.Equal((100, 100, 0), (facts.LongestTicks, facts.LongestAtTicks, facts.LongestCpu));
    }

    [Fact]
    public void A_wait_longer_than_what_is_kept_is_told()
    {
        var runs = new WaitedRuns(0);
        var facts = new RunFacts();
        for (int i = 1; i <= 3_000; i++)
        {
            runs.Ran(i * 10, (i * 10) + 5, 5, facts);
        }

        runs.Waited(1, 40_000);
        Assert.True(runs.IsCut);
        Assert.InRange(facts.Waited, 1, 3_000);
    }

    /// <summary>A lane is ahead of the threads: what ran after the wait is not what was waited for.</summary>
    [Fact]
    public void Runs_that_came_later_do_not_matter()
    {
        var runs = new WaitedRuns(0);
        var facts = new RunFacts();
        runs.Ran(100, 200, 100, facts);
        for (int i = 1; i <= 3_000; i++)
        {
            runs.Ran(300 + (i * 10), 305 + (i * 10), 5, facts);
        }

        runs.Waited(150, 250);
        Assert.Equal((1, 100, false), (facts.Waited, facts.LongestWaitTicks, runs.IsCut));
        runs.BeginRound();
        runs.BeginRound();
        runs.Waited(150, 250);
        Assert.Equal(1, facts.Waited);
    }

    /// <summary>The threads are followed beside the next round: what they waited for is told one round later.</summary>
    [Fact]
    public void The_runs_of_the_round_before_are_kept()
    {
        var runs = new WaitedRuns(0);
        var facts = new RunFacts();
        runs.BeginRound();
        for (int i = 0; i < 3_000; i++)
        {
            runs.Ran(i * 10, (i * 10) + 5, 5, facts);
        }

        runs.BeginRound();
        runs.Ran(40_000, 40_005, 5, facts);
        runs.Waited(2, 8);
        Assert.Equal(1, facts.Waited);
    }
}
