using System.Runtime.InteropServices;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Brings what the lanes hand over of one slice into the order of time; at equal times by CPU, and of one CPU as they were added.
/// </summary>
internal sealed class LaneOrder
{
    private readonly List<Head> _heap = [];

    /// <summary>Begins with a slice.</summary>
    public void Begin(IEnumerable<Lane> lanes)
    {
        _heap.Clear();
        foreach (Lane lane in lanes)
        {
            if (lane.Records.Count > 0)
            {
                _heap.Add(new Head(lane.Records[0].Ticks, lane, 0));
            }
        }

        for (int i = (_heap.Count / 2) - 1; i >= 0; i--)
        {
            Sink(i);
        }
    }

    /// <summary>The next record: the lane, and the record's number in it.</summary>
    /// <returns>False where there is none left.</returns>
    public bool TryNext(out Lane lane, out int number)
    {
        if (_heap.Count == 0)
        {
            (lane, number) = (null!, 0);
            return false;
        }

        (lane, number) = (_heap[0].Lane, _heap[0].Next);
        int next = number + 1;
        if (next < lane.Records.Count)
        {
            _heap[0] = new Head(lane.Records[next].Ticks, lane, next);
        }
        else
        {
            _heap[0] = _heap[^1];
            _heap.RemoveAt(_heap.Count - 1);
        }

        if (_heap.Count > 1)
        {
            Sink(0);
        }

        return true;
    }

    private void Sink(int at)
    {
        Span<Head> heap = CollectionsMarshal.AsSpan(_heap);
        Head moved = heap[at];
        while (true)
        {
            int child = (2 * at) + 1;
            if (child + 1 < heap.Length && heap[child + 1].IsBefore(in heap[child]))
            {
                child++;
            }

            if (child >= heap.Length || !heap[child].IsBefore(in moved))
            {
                break;
            }

            heap[at] = heap[child];
            at = child;
        }

        heap[at] = moved;
    }

    /// <summary>The next record of a lane.</summary>
    private readonly record struct Head(long Ticks, Lane Lane, int Next)
    {
        public bool IsBefore(in Head other) => Ticks < other.Ticks || (Ticks == other.Ticks && Lane.Past.Cpu < other.Lane.Past.Cpu);
    }
}
