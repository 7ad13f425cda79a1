namespace Tracer.Analysis.Machine;

/// <summary>
/// From when to when each CPU logged what it ran (switches, wake-ups, ISRs, DPCs, samples), and for how long it was silent in between: a
/// CPU that logs each millisecond and then nothing more has not idled, its records are missing. Times in ticks.
/// </summary>
internal sealed class RecordedTimes(int cpus)
{
    private readonly Recorded?[] _cpus = new Recorded?[cpus];

    /// <summary>The first of these records of any CPU; null where there is none.</summary>
    public long? FirstTicks => _cpus.Min(cpu => cpu?.First);

    /// <summary>The last of these records of any CPU; null where there is none.</summary>
    public long? LastTicks => _cpus.Max(cpu => cpu?.Last);

    /// <summary>The longest time between two such records of one CPU, among all CPUs.</summary>
    public long LongestGap => _cpus.Max(cpu => cpu?.Longest) ?? 0;

    /// <summary>Notes that a CPU logged something; different CPUs may at once.</summary>
    public void Note(int cpu, long ticks)
    {
        // Each by itself: beside each other in one block they would move from one processor's cache to another's with each event.
        Recorded? recorded = _cpus[cpu];
        if (recorded is null)
        {
            _cpus[cpu] = recorded = new Recorded { First = ticks };
        }
        else if (ticks - recorded.Last > recorded.Longest)
        {
            (recorded.Longest, recorded.Second) = (ticks - recorded.Last, recorded.Longest);
            recorded.LongestFrom = recorded.Last;
        }
        else if (ticks - recorded.Last > recorded.Second)
        {
            recorded.Second = ticks - recorded.Last;
        }

        recorded.Count++;
        recorded.Last = ticks;
    }

    /// <summary>The times of one CPU; all 0 where it logged nothing.</summary>
    public Recorded Of(int cpu) => (uint)cpu < (uint)_cpus.Length && _cpus[cpu] is { } recorded ? recorded : new Recorded();

    /// <summary>When one CPU logged something.</summary>
    internal sealed class Recorded
    {
        public long Count;

        public long First;

        public long Last;

        /// <summary>The longest time between two records.</summary>
        public long Longest;

        /// <summary>When it began.</summary>
        public long LongestFrom;

        /// <summary>The longest time between two records but for that one.</summary>
        public long Second;
    }
}
