using Tracer.Contract;

namespace Tracer.Analysis.Tests;

/// <summary>Measured wake-ups are episodes from the threshold on.</summary>
public class MeasuredDelaysTests
{
    [Fact]
    public void A_measured_wake_up_is_one_at_the_threshold()
    {
        MeasuredWakeup[] wakeups = [Woken(1_000, 1_499, 120), Woken(3_000, 3_600, 120), Woken(2_000, 2_500, 121), Woken(2_000, 2_700, 120)];
        Assert.Equal([(121u, 500L), (120u, 700L), (120u, 600L)], Delays());

        IEnumerable<(uint Thread, long Length)> Delays() => MeasuredDelays.Of(wakeups, 500).Select(delay =>
        {
            Assert.Equal(ProbeKind.Wakeup, delay.Probe);
            return (delay.ThreadId!.Value, delay.LatencyTicks);
        });
    }

    private static MeasuredWakeup Woken(long due, long served, uint thread) => new()
    {
        ExpectedTicks = due,
        LoggedTicks = served,
        InterruptedIp = 0,
        ThreadId = thread,
        Cpu = 0,
        Priority = 24,
        Mode = 1,
        Isr = due,
        Dpc = MeasuredWakeup.NotMeasured,
        Thread = served,
    };
}
