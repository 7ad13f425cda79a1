namespace Tracer.Analysis.Latencies;

/// <summary>Says which kinds of latency traces do not tell, and what to record for them.</summary>
internal static class MissingLatencies
{
    /// <summary>The kinds that were asked for and that nothing was measured of.</summary>
    public static IEnumerable<MissingLatency> Of(
        LatencyRequest request, IReadOnlySet<LatencyKind> measured, IReadOnlyList<TraceSummary> traces) =>
        from kind in Enum.GetValues<LatencyKind>()
        where request.Asks(kind) && !measured.Contains(kind)
        select new MissingLatency(kind, WhyNot(kind, traces));

    /// <summary>The records are there, but none of them makes a latency.</summary>
    private const string NoneLeft = "Its records are there, but none of them gives a latency that counts; record for longer.";

    /// <summary>Why a kind is missing, and what to record for it; one sentence.</summary>
    private static string WhyNot(LatencyKind kind, IReadOnlyList<TraceSummary> traces) => kind switch
    {
        LatencyKind.Interrupt =>
            "No record of Windows tells when an interrupt was asserted; the laboratory driver measures it: "
            + "'tracer driver start --mode apic --all-wakeups --record FILE'.",
        LatencyKind.Dpc when traces.Any(trace => trace.Has.DpcQueue) => NoneLeft,
        LatencyKind.Dpc =>
            "Nothing tells when DPCs were queued; record with 'tracer capture', or with the kernel keyword DPC_QUEUE.",
        LatencyKind.DpcInterrupt =>
            "No record of Windows tells when an interrupt was asserted; our driver measures from the timer's tick: "
            + "'tracer driver start --all-wakeups --record FILE'.",
        LatencyKind.Thread when traces.Any(trace => trace.Has is { ContextSwitches: true, ReadyThread: true }) => NoneLeft,
        LatencyKind.Thread when traces.Any(trace => trace.Has.ContextSwitches) =>
            "Nothing tells when threads were made ready; record with 'tracer capture', or with the kernel keyword DISPATCHER, too.",
        LatencyKind.Thread =>
            "Nothing tells when threads were made ready and ran; record with 'tracer capture', or with the kernel keywords CSWITCH and "
            + "DISPATCHER.",
        LatencyKind.Response or LatencyKind.Lost when traces.Any(trace => trace.Has is { ContextSwitches: true, ReadyThread: true }) =>
            kind == LatencyKind.Lost && !traces.Any(trace => trace.Has.IsrDpc)
                ? "Nothing tells what ISRs and DPCs took of a thread's time; record with the kernel keywords DPC and INTERRUPT, too."
                : NoneLeft,
        LatencyKind.Response or LatencyKind.Lost =>
            "Nothing tells when threads were made ready and what they did; record with 'tracer capture', or with the kernel keywords "
            + "CSWITCH and DISPATCHER.",
        _ =>
            "Nothing tells when the timer was due that a thread waited for; the probe process measures it: "
            + "'tracer capture --trigger wakeup'.",
    };
}
