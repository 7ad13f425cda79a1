namespace Tracer.Analysis.Slicing;

/// <summary>
/// The last records before a part of a trace, by CPU, of what is told only when it changes: which thread runs, whether the CPU idles and
/// how fast it is. Without them the part would not know until the next change.
/// </summary>
internal sealed class LastStates(TraceWindow window)
{
    private const int Switch = 0;
    private const int Speed = 1;
    private const int Idle = 2;
    private const int Kinds = 3;

    private readonly long[][] _last = [.. Enumerable.Range(0, Kinds).Select(_ => NoTimes())];

    /// <summary>Takes a kernel record; others than those of states are ignored.</summary>
    public void Add(ushort hook, in EtlEvent traceEvent)
    {
        if (traceEvent.TimestampTicks < window.Begin && KindOf(hook) is { } kind)
        {
            ref long last = ref _last[kind][traceEvent.Cpu];
            last = Math.Max(last, traceEvent.TimestampTicks);
        }
    }

    /// <summary>Whether a record is the last of its kind before the part; those of one time stamp all are.</summary>
    public bool IsLast(ushort hook, in EtlEvent traceEvent) =>
        KindOf(hook) is { } kind && _last[kind][traceEvent.Cpu] == traceEvent.TimestampTicks;

    private static int? KindOf(ushort hook) => hook switch
    {
        KernelHook.ContextSwitch => Switch,
        KernelHook.PerformanceStateChange => Speed,
        KernelHook.IdleEnter or KernelHook.IdleExit => Idle,
        _ => null,
    };

    private static long[] NoTimes()
    {
        long[] times = new long[EtlBufferHeader.MaximumProcessors];
        Array.Fill(times, long.MinValue);
        return times;
    }
}
