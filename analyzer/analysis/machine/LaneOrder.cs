using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Brings what the lanes hand over of one round into the order of time; at equal times by CPU, and of one CPU as they were added.
/// </summary>
internal sealed class LaneOrder
{
    private Head[] _heap = new Head[16];
    private LaneRecords[] _records = new LaneRecords[16];
    private int _count;

    public void Begin(List<Lane> lanes)
    {
        if (_heap.Length < lanes.Count)
        {
            (_heap, _records) = (new Head[2 * lanes.Count], new LaneRecords[2 * lanes.Count]);
        }

        _count = 0;
        foreach (Lane lane in lanes)
        {
            if (lane.HandedOver is { Count: > 0 } records)
            {
                _records[_count] = records;
                _heap[_count] = new Head { Ticks = records[0].Ticks, Cpu = lane.Past.Cpu, Lane = _count };
                _count++;
            }
        }

        for (int i = (_count / 2) - 1; i >= 0; i--)
        {
            Sink(i);
        }
    }

    /// <param name="records">What its lane hands over.</param>
    /// <returns>The CPU; -1 where there is none left.</returns>
    public int Next(out LaneRecords records, out int number)
    {
        ref Head first = ref _heap[0];
        (records, number) = (_records[first.Lane], first.Next);
        if (_count == 0)
        {
            return -1;
        }

        int cpu = first.Cpu;
        if (++first.Next < records.Count)
        {
            first.Ticks = records[first.Next].Ticks;
        }
        else
        {
            first = _heap[--_count];
        }

        if (IsLater(1) || IsLater(2))
        {
            Sink(0);
        }

        return cpu;
    }

    /// <summary>Whether the first one comes behind another one.</summary>
    private bool IsLater(int other) => other < _count && _heap[other].IsBefore(in _heap[0]);

    private void Sink(int at)
    {
        Head[] heap = _heap;
        int count = _count;
        Head moved = heap[at];
        for (int child = (2 * at) + 1; child < count; child = (2 * at) + 1)
        {
            if (child + 1 < count && heap[child + 1].IsBefore(in heap[child]))
            {
                child++;
            }

            if (!heap[child].IsBefore(in moved))
            {
                break;
            }

            heap[at] = heap[child];
            at = child;
        }

        heap[at] = moved;
    }

    private struct Head
    {
        public long Ticks;
        public int Cpu;
        public int Next;

        /// <summary>Where <see cref="_records"/> has what its lane hands over: no reference is moved with it.</summary>
        public int Lane;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public readonly bool IsBefore(in Head other) => Ticks < other.Ticks || (Ticks == other.Ticks && Cpu < other.Cpu);
    }
}
