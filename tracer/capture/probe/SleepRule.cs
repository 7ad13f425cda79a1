namespace Tracer.Capture.Probe;

/// <summary>
/// Tells a machine that slept from one that was late. The performance counter runs on while the machine sleeps; the unbiased interrupt time
/// does not (Learn, QueryUnbiasedInterruptTimePrecise: "does not include time the system spends in sleep or hibernation").
/// </summary>
internal static class SleepRule
{
    /// <summary>Nothing sleeps for less: shorter waits are not looked into.</summary>
    private const int LeastLateMs = 50;

    /// <summary>Both clocks are read one after the other, and one of them may be a tick of the clock old.</summary>
    private const int LeastSleepMs = 20;

    /// <summary>
    /// What takes longer is a resume whatever the clocks say: in modern standby the counters may all run on while nothing else does, and
    /// nothing keeps a thread of real-time priority for so long without a watchdog of the system.
    /// </summary>
    private const int MostSeconds = 20;

    private const int MsPerSecond = 1_000;
    private const long NanosecondsPerMs = 1_000_000;
    private const int Unit100NsPerMs = 10_000;

    /// <summary>How late a wake-up is at least that may be a resume, in ticks of the performance counter.</summary>
    public static long LeastLateTicks(long qpcHz) => TickRate.TicksOf(LeastLateMs * NanosecondsPerMs, qpcHz);

    /// <summary>Whether the machine slept during a stretch by its clocks alone.</summary>
    /// <param name="awake100ns">How long the machine was awake in it, in units of 100 ns.</param>
    public static bool HasSlept(long elapsedTicks, long awake100ns, long qpcHz) =>
        (elapsedTicks * (double)MsPerSecond / qpcHz) - (awake100ns / (double)Unit100NsPerMs) >= LeastSleepMs;

    /// <summary>Whether a wait is no latency, because the machine slept meanwhile, or must have.</summary>
    /// <param name="awake100ns">How long the machine was awake in it, in units of 100 ns.</param>
    public static bool IsResume(long elapsedTicks, long awake100ns, long qpcHz) =>
        HasSlept(elapsedTicks, awake100ns, qpcHz) || elapsedTicks >= TickRate.TicksOfSeconds(MostSeconds, qpcHz);
}
