using Tracer.Analysis.Delays;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>Wake-ups without a record of who made the thread ready are many from twenty on, where they are a quarter of all.</summary>
public class VictimWaitsTests
{
    [Theory]
    [InlineData(20, 60, true)]
    [InlineData(20, 61, false)]
    [InlineData(19, 0, false)]
    [InlineData(20, 0, true)]
    public void Many_are_a_quarter_of_all(int unmeasured, int measured, bool areMany)
    {
        var waits = new VictimWaits();
        for (int i = 0; i < measured; i++)
        {
            waits.Add(120, 0, 0, i, i + 1);
        }

        for (int i = 0; i < unmeasured; i++)
        {
            waits.AddUnmeasured(120, 0, i);
        }

        Assert.Equal(areMany ? (120u, (long)unmeasured, (long)unmeasured + measured) : null, waits.Unmeasured);
        Assert.Equal(measured > 0 ? 1 : 0, waits.Threads);
    }

    /// <summary>
    /// Threads on CPU 0 and 1 wake in turn, and of those on CPU 1 no record tells for a while: where that is said depends on neither.
    /// </summary>
    [Theory]
    [InlineData(20, true)]
    [InlineData(19, false)]
    public void A_row_is_one_of_a_CPU(int lacking, bool isTold)
    {
        var waits = new VictimWaits();
        for (int i = 0; i < 200; i++)
        {
            waits.Add(120, 0, 0, 10 * i, (10 * i) + 1);
            uint thread = 121 + (uint)(i % 4);
            if (i >= 100 && i < 100 + lacking)
            {
                waits.AddUnmeasured(thread, 1, (10 * i) + 5);
            }
            else
            {
                waits.Add(thread, 1, 1, (10 * i) + 4, (10 * i) + 5);
            }
        }

        Assert.Equal(isTold ? new UnmeasuredStretch(20, 1005, 1195) : null, waits.UnmeasuredInRow);
    }

    /// <summary>From the start on, before the first measured one; and of a thread of which none is known otherwise.</summary>
    [Theory]
    [InlineData(20, 20, true)]
    [InlineData(19, 20, false)]
    [InlineData(20, 19, false)]
    public void A_row_is_one_of_a_thread(int lacking, int measured, bool isTold)
    {
        var waits = new VictimWaits();
        for (int i = 0; i < lacking; i++)
        {
            waits.AddUnmeasured(120, i % 2, i);
        }

        for (int i = 0; i < measured; i++)
        {
            waits.Add(120, 0, 0, 100 + i, 101 + i);
        }

        Assert.Equal(isTold, waits.UnmeasuredInRow is not null);
    }

    /// <summary>One in so many has no record, all the time: more than a quarter is too much, that is what any trace may lack.</summary>
    [Theory]
    [InlineData(3, true)]
    [InlineData(4, false)]
    public void More_than_a_quarter_without_records_is_a_row(int oneIn, bool isTold)
    {
        var waits = new VictimWaits();
        for (int i = 0; i < 1_000; i++)
        {
            if (i >= 100 && i % oneIn == 0)
            {
                waits.AddUnmeasured(120, 0, i);
            }
            else
            {
                waits.Add(120, 0, 0, i, i + 1);
            }
        }

        Assert.Equal(isTold, waits.UnmeasuredInRow is not null);
    }
}
