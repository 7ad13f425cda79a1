using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Delays;

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

    /// <summary>A process that was asked for answers for its own wake-ups only, also where our driver measured those of another.</summary>
    [Theory]
    [InlineData("probe.exe", null, 1, "Wakeup", Verdict.Driver)]
    [InlineData("PROBE.EXE", null, 1, "Wakeup", Verdict.Driver)]
    [InlineData("100", null, 1, "Wakeup", Verdict.Driver)]
    [InlineData("other.exe", null, 0, "", Verdict.Unknown)]
    [InlineData(null, 120L, 1, "Wakeup", Verdict.Driver)]
    [InlineData(null, 121L, 0, "", Verdict.Unknown)]
    public void Wake_ups_of_others_do_not_answer_for_whom_was_asked(
        string? process, long? thread, int probes, string measured, Verdict verdict)
    {
        BlameReport report = BlamedText.Of(
            """
            cpus 1
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image nic.sys 0xFFFFF800_30000000 0x100000
            process 100 probe.exe
            thread 120 of 100 priority 24
            process 200 other.exe
            thread 121 of 200 priority 8
            9ms cpu0 switch 120(24) -> 0(0)
            10.88ms cpu0 dpc nic.sys+0x100 from 10.31ms
            11.5ms cpu0 switch 0(0) -> 120(24)
            11.51ms cpu0 wakeup expected 10ms isr 10.3ms dpc 10.9ms thread 120 at 11.5ms priority 24
            12ms cpu0 switch 120(24) -> 0(0)
            """,
            request => request with { Process = process, Thread = thread });
        Assert.Equal(
            (verdict, (long)probes, measured),
            (report.Summary.Verdict, report.Summary.Probes, string.Join(',', report.Episodes.Select(episode => episode.Probe))));
    }

    /// <summary>
    /// A timer of all CPUs that came late is one delay, of the CPU that ran its callback, however many wake-ups tell of it. Where the tick
    /// is not known, or there is no such timer, there is none; and each wake-up counts from when its own DPC was queued.
    /// </summary>
    [Fact]
    public void A_late_timer_of_all_CPUs_is_one_delay()
    {
        MeasuredWakeup[] wakeups =
        [
            Queued(tick: 1_000, callback: 1_500, timerCpu: 2),
            Queued(tick: 1_000, callback: 1_500, timerCpu: 2) with { Cpu = 3 },
            Queued(tick: 4_000, callback: 4_499, timerCpu: 2),
            Queued(tick: 6_000, callback: 6_700, timerCpu: 1),
            Queued(tick: MeasuredWakeup.NotMeasured, callback: 9_000, timerCpu: 2),
            Queued(tick: 11_000, callback: 10_900, timerCpu: 2),
            Woken(12_000, 13_000, 120),
        ];
        Assert.Equal(
            [(2, 1_000L, 1_500L), (1, 6_000, 6_700)],
            MeasuredDelays.OfTimer(wakeups, 500).Select(delay =>
            {
                Assert.Equal((ProbeKind.Wakeup, null, true), (delay.Probe, delay.ThreadId, delay.IsOfTimer));
                return (delay.Cpu, delay.FromTicks, delay.ToTicks);
            }));
        Assert.Equal([1_000L], MeasuredDelays.Of(wakeups, 30).Select(delay => delay.LatencyTicks));
    }

    private static MeasuredWakeup Queued(long tick, long callback, int timerCpu) => Woken(callback - 400, callback + 25, 120) with
    {
        Tick = tick,
        TimerCpu = timerCpu,
        Callback = callback,
        Queued = callback + 5,
        Isr = MeasuredWakeup.NotMeasured,
    };

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
