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
            waits.AddUnmeasured(120);
        }

        Assert.Equal(areMany ? (120u, (long)unmeasured, (long)unmeasured + measured) : null, waits.Unmeasured);
        Assert.Equal(measured > 0 ? 1 : 0, waits.Threads);
    }
}
