using Tracer.AnalyzerCommand.Commands.Blame.Cases;
using Tracer.AnalyzerCommand.Common.Cases;

namespace Tracer.Commands.Tests.Blame.Cases;

/// <summary>How long the rest of many traces will take.</summary>
public sealed class CaseProgressTests
{
    [Fact]
    public void Nothing_is_said_until_as_many_as_run_at_once_have_ended_and_some_more()
    {
        // Eight small traces, two at once: the first two take five minutes of a loaded machine, the others 10 s each.
        var estimate = new CaseEstimate([.. Enumerable.Repeat(Trace(1000), 8)], 2);
        TimeSpan elapsed = TimeSpan.FromMinutes(5);
        for (int done = 1; done <= 4; done++)
        {
            estimate.Done(Trace(1000), elapsed);
            Assert.Null(estimate.Left(elapsed));
            elapsed += TimeSpan.FromSeconds(done == 1 ? 0 : 5);
        }

        estimate.Done(Trace(1000), elapsed);
        Assert.Equal(TimeSpan.FromSeconds(15), estimate.Left(elapsed));
    }

    [Fact]
    public void Sizes_count_where_all_are_known_and_numbers_where_not()
    {
        CaseInput[] some = [.. Enumerable.Repeat(Trace(1000), 6), Trace(30_000)];
        Assert.Equal(TimeSpan.FromSeconds(31), Left(some));
        Assert.Equal(TimeSpan.FromSeconds(2), Left([.. some.Select(input => input with { Bytes = 0 })]));
        Assert.Equal(TimeSpan.FromSeconds(2), Left([.. some[..6], Trace(0)]));

        // One after the other, a second each, the last two not yet.
        static TimeSpan? Left(CaseInput[] inputs)
        {
            var estimate = new CaseEstimate(inputs, 1);
            for (int i = 0; i < 5; i++)
            {
                estimate.Done(inputs[i], TimeSpan.FromSeconds(i + 1));
            }

            return estimate.Left(TimeSpan.FromSeconds(5));
        }
    }

    [Fact]
    public void A_part_of_a_hundredth_is_too_little_to_tell()
    {
        var estimate = new CaseEstimate([.. Enumerable.Repeat(Trace(10), 100), Trace(1_000_000)], 1);
        for (int i = 1; i <= 100; i++)
        {
            estimate.Done(Trace(10), TimeSpan.FromSeconds(i));
            Assert.Null(estimate.Left(TimeSpan.FromSeconds(i)));
        }
    }

    [Fact]
    public void A_line_tells_what_is_left_only_where_it_is_known()
    {
        Assert.Equal("1 of 8 traces done", CaseProgress.Line(1, 8, 0, null));
        Assert.Equal("6 of 8 traces done, 1 of them not judged; 20 s left", CaseProgress.Line(6, 8, 1, TimeSpan.FromSeconds(20)));
        Assert.Equal("6 of 900 traces done; 3.0 h left", CaseProgress.Line(6, 900, 0, TimeSpan.FromHours(3)));
    }

    private static CaseInput Trace(long bytes) => new("trace.etl", bytes, "");
}
