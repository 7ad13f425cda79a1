namespace Tracer.Analysis.Machine;

/// <summary>Number, total and longest time of the runs of a routine on each CPU that it ran on. Memory follows the CPUs seen.</summary>
internal sealed class PerCpuRuns
{
    private CpuRun[] _cpus = [];
    private int _used;
    private int _last;

    /// <summary>The CPUs, the lowest number first.</summary>
    public ReadOnlySpan<CpuRun> All => _cpus.AsSpan(0, _used);

    public void Add(int cpu, long ticks) => Add(new CpuRun(cpu, 1, ticks, ticks));

    public void Add(in CpuRun runs)
    {
        if (_last >= _used || _cpus[_last].Cpu != runs.Cpu)
        {
            // Where all lower CPUs ran it, too, its place is its number.
            _last = (uint)runs.Cpu < (uint)_used && _cpus[runs.Cpu].Cpu == runs.Cpu ? runs.Cpu : PlaceOf(runs.Cpu);
        }

        ref CpuRun known = ref _cpus[_last];
        known = new CpuRun(runs.Cpu, known.Count + runs.Count, known.Ticks + runs.Ticks, Math.Max(known.MaxTicks, runs.MaxTicks));
    }

    private int PlaceOf(int cpu)
    {
        int low = SortedSearch.FirstNot(0, _used, (_cpus, cpu), static (at, i) => at._cpus[i].Cpu < at.cpu);
        if (low < _used && _cpus[low].Cpu == cpu)
        {
            return low;
        }

        if (_used == _cpus.Length)
        {
            Array.Resize(ref _cpus, Math.Max(2, 2 * _used));
        }

        Array.Copy(_cpus, low, _cpus, low + 1, _used - low);
        _cpus[low] = new CpuRun(cpu, 0, 0, 0);
        _used++;
        return low;
    }
}

/// <summary>The runs of a routine on one CPU. Times in ticks.</summary>
internal readonly record struct CpuRun(int Cpu, long Count, long Ticks, long MaxTicks);
