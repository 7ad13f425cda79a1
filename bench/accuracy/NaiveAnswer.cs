using Tracer.Analysis.Facts;

namespace Tracer.Bench.Accuracy;

/// <summary>
/// What tools say that only add up ISRs and DPCs by the module of their routine: the module of the longest one, and the module with the
/// largest total. They always name somebody who has one.
/// </summary>
/// <param name="Longest">Module of the longest ISR or DPC; null where there are none.</param>
/// <param name="Largest">Module with the largest total time; null where there are none.</param>
/// <param name="CompleteFrom">From when on all CPUs have records, counted from the start of the trace.</param>
internal sealed record NaiveAnswer(string? Longest, string? Largest, Duration CompleteFrom)
{
    /// <summary>Adds up a trace.</summary>
    public static NaiveAnswer Of(Stream trace)
    {
        using var reader = EtlReader.Open(trace);
        var images = new ImageTable(reader.Header.PointerBytes);
        var sink = new Sink(images, [], []);
        reader.Read(EtlOrder.Cpu, ref sink);
        images.Complete();
        Dictionary<string, long> totals = [];
        (string? longest, long most) = (null, -1);
        foreach ((ulong routine, long ticks, long at) in sink.Routines)
        {
            string name = images.Find(routine, at)?.Name ?? "?";
            totals[name] = totals.GetValueOrDefault(name) + ticks;
            if (ticks > most)
            {
                (longest, most) = (name, ticks);
            }
        }

        long from = sink.First.Count == 0 ? 0 : reader.Header.Clock.NanosecondsFromHeader(sink.First.Values.Max());
        return new NaiveAnswer(longest, totals.Count == 0 ? null : totals.MaxBy(total => total.Value).Key, new Duration(from));
    }

    private readonly struct Sink(
        ImageTable images, List<(ulong Routine, long Ticks, long At)> routines, Dictionary<int, long> first) : IEtlEventSink
    {
        public Dictionary<int, long> First => first;

        public List<(ulong Routine, long Ticks, long At)> Routines => routines;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if ((traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent)) is not { } hookId)
            {
                return true;
            }

            images.Add(hookId, in traceEvent);
            long at = traceEvent.TimestampTicks;
            if (hookId is KernelHook.Dpc or KernelHook.Isr or KernelHook.SampledProfile)
            {
                first.TryAdd(traceEvent.Cpu, at);
            }

            if (hookId is KernelHook.Dpc or KernelHook.TimerDpc && DpcRecord.TryRead(in traceEvent, out DpcRecord dpc)
                && dpc.InitialTime > 0)
            {
                routines.Add((dpc.Routine, at - dpc.InitialTime, at));
            }
            else if (hookId is KernelHook.Isr or KernelHook.IsrMessageSignalled && IsrRecord.TryRead(in traceEvent, out IsrRecord isr)
                && isr.InitialTime > 0)
            {
                routines.Add((isr.Routine, at - isr.InitialTime, at));
            }

            return true;
        }
    }
}
