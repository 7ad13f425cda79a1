namespace Tracer.Analysis.Machine;

/// <summary>
/// When the threads that recently ran on each CPU were made ready, in ticks; the thread pass tells it for each run of
/// <see cref="CpuHistory.Runs"/> in turn.
/// </summary>
/// <param name="cpus">Upper limit of the number of CPUs.</param>
internal sealed class ReadyTimes(int cpus)
{
    private readonly Ring<long>?[] _times = new Ring<long>?[cpus];

    /// <summary>
    /// When the thread of a run was made ready, in ticks; <see cref="long.MinValue"/> where it was ready before, or where that is unknown.
    /// </summary>
    /// <param name="run">The run's number in the CPU's history.</param>
    public long Of(int cpu, long run) =>
        _times[cpu] is { } times && run >= times.First && run < times.Next ? times[run] : long.MinValue;

    public void Add(int cpu, long readyTicks)
    {
        if (_times[cpu] is not { } times)
        {
            _times[cpu] = times = new Ring<long>(Rings.LimitOf(cpus));
            times.Add(long.MinValue); // The run before the first switch.
        }

        times.Add(in readyTicks);
    }
}
