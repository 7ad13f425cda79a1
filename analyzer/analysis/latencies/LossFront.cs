using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// Until when records were missing, as a reading in order of time sees it: answers for every switch of a trace whether one is missing
/// between a time and now, at the same cost however many losses there are.
/// </summary>
internal sealed class LossFront
{
    private readonly IReadOnlyList<(int Cpu, long FromTicks, long ToTicks)> _known;
    private readonly long[] _endOfCpu;
    private long _endOfAll = long.MinValue;
    private int _next;

    /// <summary>Creates it at the start of the trace.</summary>
    public LossFront(LossMap losses, int cpus)
    {
        _known = losses.InOrder();
        _endOfCpu = new long[cpus];
        Array.Fill(_endOfCpu, long.MinValue);
    }

    /// <summary>Time has advanced to a point: what began to be missing before it counts from now on.</summary>
    public void Reach(long ticks)
    {
        while (_next < _known.Count && _known[_next].FromTicks < ticks)
        {
            (int cpu, _, long to) = _known[_next++];
            Add(cpu, to);
        }
    }

    /// <summary>Adds a loss that the reading found, up to now at most.</summary>
    /// <param name="cpu">The CPU; -1 for all.</param>
    public void Add(int cpu, long toTicks)
    {
        if (cpu < 0)
        {
            _endOfAll = Math.Max(_endOfAll, toTicks);
        }
        else if (cpu < _endOfCpu.Length)
        {
            _endOfCpu[cpu] = Math.Max(_endOfCpu[cpu], toTicks);
        }
    }

    /// <summary>Whether records of a CPU are missing between a time and now.</summary>
    public bool HasSince(int cpu, long fromTicks) => _endOfAll > fromTicks || _endOfCpu[cpu] > fromTicks;
}
