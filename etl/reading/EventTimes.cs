using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// The times of the events of one buffer as written, and which of them its other events support. Blocks are recycled from buffer to buffer.
/// </summary>
internal sealed class EventTimes
{
    private readonly List<Stamp> _stamps = [];

    /// <summary>Last stamps of the longest ascending series found so far, by its length; places in <see cref="_stamps"/>.</summary>
    private readonly List<int> _ends = [];

    public ReadOnlySpan<Stamp> All => CollectionsMarshal.AsSpan(_stamps);

    /// <summary>Collects the times of a buffer; every one of them is supported at first.</summary>
    /// <param name="data">The decompressed buffer, header included, up to the end of its data.</param>
    public void Take(ReadOnlySpan<byte> data)
    {
        _stamps.Clear();
        int at = EtlBufferHeader.HeaderBytes;
        while (at < data.Length)
        {
            if (EventWalk.TryMeasure(data, at, out ReadOnlySpan<byte> record, out _, out long ticks))
            {
                _stamps.Add(new Stamp { Place = at, Ticks = ticks, IsSupported = true });
                at = BufferHeaderLayout.Aligned(at + record.Length);
                continue;
            }

            int next = EventWalk.Measure(data, ref at, 0, null, ref ticks);
            if (next == EventWalk.Stopped)
            {
                return;
            }

            if (EventHeaderLayout.TimeOffset(data[at..]) >= 0)
            {
                _stamps.Add(new Stamp { Place = at, Ticks = ticks, IsSupported = true });
            }

            at = next;
        }
    }

    /// <summary>
    /// Judges the times: those within limits that ascend, in the longest such series there is, support each other and what lies near its
    /// place among them.
    /// </summary>
    /// <param name="from">No earlier time is supported.</param>
    /// <param name="to">No later time is supported.</param>
    /// <param name="disorder">How far events may be out of order, in ticks.</param>
    public void Judge(long from, long to, long disorder)
    {
        Span<Stamp> stamps = CollectionsMarshal.AsSpan(_stamps);
        _ends.Clear();
        for (int i = 0; i < stamps.Length; i++)
        {
            ref Stamp stamp = ref stamps[i];
            stamp.IsSupported = false;
            if (stamp.Ticks < from || stamp.Ticks > to)
            {
                continue;
            }

            // Mostly it is the latest so far.
            int length = _ends.Count == 0 || stamps[_ends[^1]].Ticks <= stamp.Ticks
                ? _ends.Count
                : SortedSearch.FirstNot(
                    0, _ends.Count, (this, stamp.Ticks), static (at, end) => at.Item1._stamps[at.Item1._ends[end]].Ticks <= at.Ticks);
            stamp.Before = length > 0 ? _ends[length - 1] : -1;
            if (length == _ends.Count)
            {
                _ends.Add(i);
            }
            else
            {
                _ends[length] = i;
            }
        }

        long next = to;
        int member = _ends.Count > 0 ? _ends[^1] : -1;
        for (int i = stamps.Length - 1; i >= 0; i--)
        {
            ref Stamp stamp = ref stamps[i];
            if (i == member)
            {
                stamp.IsSupported = true;
                next = stamp.Ticks;
                member = stamp.Before;
                continue;
            }

            long before = member >= 0 ? stamps[member].Ticks : from;
            stamp.IsSupported = stamp.Ticks >= from && stamp.Ticks <= to
                && stamp.Ticks >= before - disorder && stamp.Ticks <= next + disorder;
        }
    }

    internal record struct Stamp
    {
        /// <summary>Where its event starts in the buffer.</summary>
        public int Place { get; init; }

        public long Ticks { get; init; }

        public bool IsSupported { get; set; }

        /// <summary>The one before it in the longest ascending series that ends with it; -1 for none.</summary>
        public int Before { get; set; }
    }
}
