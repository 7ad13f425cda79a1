namespace Tracer.Simulator.Engine;

internal enum HappeningKind
{
    StepEnd,
    Clock,
    Profile,
    StallEnd,
    Arrival,
    Action,
}

/// <summary>Something that is due.</summary>
internal readonly record struct Happening(long TimeNs, long Order, HappeningKind Kind, object Subject, long Version);

/// <summary>What is due, the earliest first; of equal times what was planned first (a binary heap).</summary>
internal sealed class EventQueue
{
    private Happening[] _heap = new Happening[256];
    private int _count;
    private long _order;

    public bool IsEmpty => _count == 0;

    public long NextTimeNs => _heap[0].TimeNs;

    public void Add(long timeNs, HappeningKind kind, object subject, long version = 0)
    {
        if (_count == _heap.Length)
        {
            Array.Resize(ref _heap, _count * 2);
        }

        var added = new Happening(timeNs, _order++, kind, subject, version);
        int hole = _count++;
        while (hole > 0)
        {
            int parent = (hole - 1) / 2;
            if (!IsBefore(added, _heap[parent]))
            {
                break;
            }

            _heap[hole] = _heap[parent];
            hole = parent;
        }

        _heap[hole] = added;
    }

    public Happening Take()
    {
        Happening first = _heap[0];
        Happening moved = _heap[--_count];
        _heap[_count] = default;
        if (_count > 0)
        {
            Sink(moved);
        }

        return first;
    }

    private void Sink(in Happening moved)
    {
        int hole = 0;
        while (true)
        {
            int child = (2 * hole) + 1;
            if (child >= _count)
            {
                break;
            }

            if (child + 1 < _count && IsBefore(_heap[child + 1], _heap[child]))
            {
                child++;
            }

            if (!IsBefore(_heap[child], moved))
            {
                break;
            }

            _heap[hole] = _heap[child];
            hole = child;
        }

        _heap[hole] = moved;
    }

    private static bool IsBefore(in Happening left, in Happening right) =>
        left.TimeNs != right.TimeNs ? left.TimeNs < right.TimeNs : left.Order < right.Order;
}
