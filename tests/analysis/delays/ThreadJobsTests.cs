using Tracer.Analysis.Delays;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>Which jobs are episodes; whole traces with jobs are among tests/scenarios.</summary>
public class ThreadJobsTests
{
    /// <summary>A job of 1,000 ticks that is done 500 after its deadline, with a threshold of 200.</summary>
    [Theory]
    [InlineData(250, 10, true)] // A quarter of its time.
    [InlineData(249, 10, false)] // It would be late by its own work.
    [InlineData(249, 200, true)] // One stretch as long as the threshold.
    [InlineData(249, 199, false)]
    [InlineData(500, 10, true)] // All that it was late by.
    public void A_job_that_is_late_by_its_own_work_is_none(long lost, long longest, bool isEpisode) => Assert.Equal(
        isEpisode, new JobSpan(0, 0, null, 0, 1_000, 500, null).IsEpisode(lost, longest, thresholdTicks: 200));

    /// <summary>What it was late by may be less than the threshold; what it lost then may be, too.</summary>
    [Theory]
    [InlineData(100, true)]
    [InlineData(99, false)]
    public void Little_may_be_lost_where_it_was_late_by_as_little(long lost, bool isEpisode) => Assert.Equal(
        isEpisode, new JobSpan(0, 0, null, 0, 1_000, 900, null).IsEpisode(lost, 50, thresholdTicks: 200));
}
