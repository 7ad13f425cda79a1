namespace Tracer.Simulator.Engine;

internal enum ActivityKind
{
    /// <summary>Dispatching, clock and profile interrupts: nobody's fault.</summary>
    Overhead,
    Isr,
    Dpc,
    Thread,
    RaisedThread,
    Masked,
    Stall,
    Idle,

    /// <summary>Idle, and threads are not given to it.</summary>
    Parked,
    IdleExit,

    /// <summary>Spins for another CPU, whose code is the owner.</summary>
    Spin,
}

/// <summary>What a CPU did from one time to another.</summary>
internal readonly record struct Activity(
    ActivityKind Kind, CodeOwner? Owner, string? Routine, Mechanism? Mechanism, SimulatedThread? Thread, int Priority)
{
    /// <summary>How much of the time went by because the CPU ran below its speed, in percent.</summary>
    public int LostPercent { get; init; }
}

/// <summary>What a CPU did and when, as far back as somebody may still ask.</summary>
internal sealed class ActivityHistory
{
    private readonly List<Entry> _entries = [];

    public int Count => _entries.Count;

    public void Add(long startNs, long endNs, in Activity activity)
    {
        if (_entries.Count > 0 && _entries[^1].EndNs == startNs && _entries[^1].Activity == activity)
        {
            _entries[^1] = _entries[^1] with { EndNs = endNs };
            return;
        }

        _entries.Add(new Entry(startNs, endNs, activity));
    }

    /// <summary>Gives each stretch inside a span of time, cut to it, to a visitor.</summary>
    public void Visit(long fromNs, long toNs, Action<long, Activity> visitor)
    {
        for (int i = FirstEndingAfter(fromNs); i < _entries.Count && _entries[i].StartNs < toNs; i++)
        {
            long ns = Math.Min(toNs, _entries[i].EndNs) - Math.Max(fromNs, _entries[i].StartNs);
            visitor(ns, _entries[i].Activity);
        }
    }

    /// <summary>Gives each stretch inside a span of time, cut to it, to a visitor with its beginning and end.</summary>
    public void VisitSpans(long fromNs, long toNs, Action<long, long, Activity> visitor)
    {
        for (int i = FirstEndingAfter(fromNs); i < _entries.Count && _entries[i].StartNs < toNs; i++)
        {
            visitor(Math.Max(fromNs, _entries[i].StartNs), Math.Min(toNs, _entries[i].EndNs), _entries[i].Activity);
        }
    }

    /// <summary>Forgets what ended before a time.</summary>
    public void Forget(long beforeNs) => _entries.RemoveRange(0, FirstEndingAfter(beforeNs));

    private int FirstEndingAfter(long timeNs)
    {
        int low = 0;
        int high = _entries.Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (_entries[middle].EndNs > timeNs)
            {
                high = middle;
            }
            else
            {
                low = middle + 1;
            }
        }

        return low;
    }

    private readonly record struct Entry(long StartNs, long EndNs, Activity Activity);
}
