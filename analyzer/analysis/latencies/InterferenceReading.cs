namespace Tracer.Analysis.Latencies;

/// <summary>Gives a recording of interference the records of one trace, as far as they are whole.</summary>
/// <param name="losses">Until when records were missing.</param>
internal sealed class InterferenceReading(InterferenceRecording recording, LatencyRecorder recorder, LossFront losses, int cpus)
{
    private readonly long[] _switched = new long[cpus];
    private readonly uint[] _running = new uint[cpus];

    public void Switched(int cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change))
        {
            return;
        }

        long before = _switched[cpu];
        if (before != 0 && (_running[cpu] != change.OldThreadId || !recorder.IsJudged(before, cpu) || losses.HasSince(cpu, before)))
        {
            recording.Break(cpu);
        }

        (_switched[cpu], _running[cpu]) = (ticks, change.NewThreadId);
        if (recorder.IsJudged(ticks, cpu))
        {
            recording.Switched(cpu, change.NewThreadId, change.NewThreadPriority, ticks);
        }
        else
        {
            recording.Break(cpu);
        }
    }

    public void Returned(int cpu, ulong routine, bool isIsr, long fromTicks, long toTicks) =>
        recording.Returned(cpu, routine, isIsr, fromTicks, toTicks);

    public void Waited(int cpu, int readyCpu, int priority, long fromTicks, long toTicks)
    {
        if (recorder.IsWhole(fromTicks, toTicks, cpu, readyCpu))
        {
            recording.Waited(cpu, priority, fromTicks, toTicks);
        }
    }
}
