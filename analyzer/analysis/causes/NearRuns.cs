using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// The runs of one ISR, on some CPUs, shortly before, during and after a stretch of time; only those that nothing interrupted. An ISR does
/// much the same at each interrupt, where a DPC does what there is to do: so its length tells how fast they were.
/// </summary>
/// <param name="Cpu">The CPU; null for several.</param>
/// <param name="MedianTicks">Length of the middle one, in ticks.</param>
internal readonly record struct NearRuns(ulong Routine, int? Cpu, int Runs, long MedianTicks)
{
    /// <summary>How far before and behind the stretch a run counts as near, in ns: one default tick of the clock, rounded up.</summary>
    public const long WithinNanoseconds = 16_000_000;

    /// <summary>Most ISRs and DPCs that are looked at, of all CPUs together; it bounds the work for one stretch.</summary>
    private const int MostRuns = 256;

    /// <summary>Most CPUs that are asked: more would tell the same.</summary>
    public const int MostCpus = 16;

    /// <summary>Most routines that are kept, those with the most runs; it bounds memory.</summary>
    private const int MostRoutines = 8;

    /// <param name="cpus">The CPUs that they ran on, at most <see cref="MostCpus"/>.</param>
    /// <param name="fromTicks">Runs that end later count.</param>
    /// <param name="toTicks">The latest end of a run.</param>
    /// <returns>The routines, the one with the most runs first.</returns>
    public static IReadOnlyList<NearRuns> Of(IReadOnlyCollection<CpuHistory> cpus, long fromTicks, long toTicks)
    {
        List<(ulong Routine, long Ticks)> runs = [];
        foreach (Ring<LevelSpan> spans in cpus.Select(cpu => cpu.Spans))
        {
            long next = spans.FirstAfter(toTicks);
            long first = Math.Max(spans.First, next - (MostRuns / Math.Max(1, cpus.Count)));
            for (long number = next - 1; number >= first && spans[number].EndTicks > fromTicks; number--)
            {
                LevelSpan span = spans[number];
                if (span is { IsIsr: true, Inner: 0 })
                {
                    runs.Add((span.Routine, span.EndTicks - span.StartTicks));
                }
            }
        }

        int? only = cpus.Count == 1 ? cpus.First().Cpu : null;
        runs.Sort();
        List<NearRuns> near = [];
        for (int first = 0; first < runs.Count;)
        {
            int end = first + 1;
            while (end < runs.Count && runs[end].Routine == runs[first].Routine)
            {
                end++;
            }

            near.Add(new NearRuns(runs[first].Routine, only, end - first, runs[(first + end - 1) / 2].Ticks));
            first = end;
        }

        return [.. near.OrderByDescending(one => one.Runs).Take(MostRoutines)];
    }
}
