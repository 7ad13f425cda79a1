using System.Runtime.InteropServices;

namespace Tracer.Etl.Reading;

/// <summary>
/// Where the buffers of each CPU are, by time. Made from headers and first time stamps in one pass; 24 bytes for a buffer, so 40 MB for
/// 100 GB in buffers of 64 KiB.
/// </summary>
/// <remarks>
/// A CPU's buffers are put in the order of their first events. That is file order in a sequential file, and the order of the ring in a
/// circular one, whatever the mode bits claim: no two buffers of one CPU overlapped in time in any real file that was looked at.
/// </remarks>
internal sealed class BufferIndex
{
    /// <summary>Enough of a buffer's start to see its first event's time, whatever its header.</summary>
    private const int FirstEventBytes = 80;

    /// <summary>Buffers are compared by so many bytes at once.</summary>
    private const int ComparedBytes = 16 * 1024;

    /// <summary>So many buffers out of order are noted: no sound file has more than two for each CPU.</summary>
    private const int MostOdd = 1 << 13;

    private readonly SortedDictionary<int, List<Place>> _places = [];
    private readonly HashSet<long> _odd = [];
    private readonly byte[] _first = new byte[FirstEventBytes + XpressDecoder.Slack];
    private List<Place>[] _byCpu = [];

    private BufferIndex()
    {
    }

    /// <summary>The CPUs that have buffers, ascending.</summary>
    public IReadOnlyList<int> Cpus { get; private set; } = [];

    public TraceHealth Health { get; } = new();

    /// <summary>How many buffers the input holds.</summary>
    public long Buffers { get; private set; }

    /// <summary>Goes through the headers of an input that can go back.</summary>
    public static BufferIndex Of(TraceInput input, EtlFileHeader? header, long start)
    {
        var index = new BufferIndex();
        var window = new InputWindow(input, blockBytes: 512);
        var walk = new BufferWalk(window, header, index.Health, start);
        while (walk.MoveNext())
        {
            index.Add(walk, window);
        }

        index.Buffers = walk.Buffers;
        index.Cpus = index._places.Keys.ToArray();
        index._byCpu = [.. index._places.Values];
        index.FindOdd();
        index.Sort();
        index.DropRepeated(input);
        return index;
    }

    /// <summary>
    /// Whether a buffer's first time stamp does not ascend from that of its CPU's buffer before it in the file, or to the next.
    /// </summary>
    public bool IsOdd(long offset) => _odd.Contains(offset);

    /// <summary>Notes when a buffer begins where its first time stamp is wrong; <see cref="Sort"/> then puts it into its place.</summary>
    /// <param name="which">The place of its CPU in <see cref="Cpus"/>.</param>
    /// <param name="offset">The buffer's place in the file.</param>
    /// <param name="ticks">When it begins.</param>
    /// <returns>Whether that is another time than before.</returns>
    public bool Begin(int which, long offset, long ticks)
    {
        Span<Place> places = CollectionsMarshal.AsSpan(_byCpu[which]);
        for (int i = 0; i < places.Length; i++)
        {
            if (places[i].Offset == offset && places[i].FirstTicks != ticks)
            {
                places[i] = places[i] with { FirstTicks = ticks };
                return true;
            }
        }

        return false;
    }

    /// <summary>When the CPU's buffer behind one in the file begins, within limits; the upper of them where none does.</summary>
    public long BeginBehind(int which, long offset, long from, long to)
    {
        Place? behind = null;
        foreach (ref readonly Place place in Of(which))
        {
            if (place.Offset > offset && !(place.Offset > behind?.Offset) && place.FirstTicks >= from && place.FirstTicks <= to)
            {
                behind = place;
            }
        }

        return behind?.FirstTicks ?? to;
    }

    /// <summary>Moves the times of a CPU's buffers.</summary>
    /// <param name="which">The place of the CPU in <see cref="Cpus"/>.</param>
    /// <param name="ticks">By so many ticks.</param>
    public void Move(int which, long ticks)
    {
        foreach (ref Place place in CollectionsMarshal.AsSpan(_byCpu[which]))
        {
            place = place with { FirstTicks = place.FirstTicks + ticks };
        }
    }

    /// <summary>Puts the buffers of each CPU in order of time.</summary>
    public void Sort()
    {
        foreach (List<Place> places in _byCpu)
        {
            SortByTime(places);
        }
    }

    /// <summary>The buffers of a CPU, by time.</summary>
    public ReadOnlySpan<Place> Of(int which) => CollectionsMarshal.AsSpan(_byCpu[which]);

    /// <summary>The place of a CPU in <see cref="Cpus"/>; -1 where it has no buffers.</summary>
    public int WhichIs(int cpu) => Array.BinarySearch((int[])Cpus, cpu) is >= 0 and int which ? which : -1;

    /// <summary>Places in <see cref="Cpus"/>, the CPU with the most buffers first: so that threads end at about the same time.</summary>
    public IEnumerable<int> ByLength() => Enumerable.Range(0, Cpus.Count).OrderByDescending(which => _byCpu[which].Count);

    public Place[] InFileOrder() => [.. _byCpu.SelectMany(places => places).OrderBy(place => place.Offset)];

    /// <summary>
    /// The first and the last two buffers of each CPU: the very first of a file may hold nothing but what describes it, and the very last
    /// what the session wrote when it ended.
    /// </summary>
    public BufferSelection Ends()
    {
        var ends = new BufferSelection(long.MinValue);
        foreach (Place place in _byCpu.SelectMany(places => places.Take(2).Concat(places.TakeLast(2))))
        {
            ends.Choose(place.Offset);
        }

        return ends;
    }

    /// <summary>The same with some of the buffers only, in the same order.</summary>
    public BufferIndex Only(BufferSelection selection)
    {
        var some = new BufferIndex { Buffers = Buffers };
        List<int> cpus = [];
        List<List<Place>> byCpu = [];
        for (int which = 0; which < _byCpu.Length; which++)
        {
            List<Place> places = _byCpu[which].FindAll(place => selection.Contains(place.Offset));
            if (places.Count > 0)
            {
                cpus.Add(Cpus[which]);
                byCpu.Add(places);
            }
        }

        some.Cpus = cpus.ToArray();
        some._byCpu = [.. byCpu];
        return some;
    }

    /// <summary>Whether a buffer is still what was indexed: a trace that is being written changes, and may become shorter.</summary>
    public static bool IsStill(ReadOnlySpan<byte> stored, in Place place, out EtlBufferHeader header)
    {
        header = stored.Length < EtlBufferHeader.HeaderBytes ? default : EtlBufferHeader.Read(stored);
        return stored.Length >= EtlBufferHeader.HeaderBytes
            && BufferRules.Implausible(header) is null
            && header.IsCompressed == place.IsCompressed
            && (!header.IsCompressed || header.FilledBytes <= place.MadeBytes);
    }

    private static void SortByTime(List<Place> places)
    {
        for (int i = 1; i < places.Count; i++)
        {
            if (places[i].FirstTicks < places[i - 1].FirstTicks)
            {
                places.Sort(); // Ties keep file order: see CompareTo.
                return;
            }
        }
    }

    /// <summary>
    /// Leaves out what is in the file twice, as a copy that was interrupted and gone on with leaves it. Two buffers of one session differ
    /// in their headers at least, which number them.
    /// </summary>
    private void DropRepeated(TraceInput input)
    {
        byte[]? blocks = null;
        foreach (List<Place> places in _byCpu)
        {
            int kept = 0;
            for (int i = 1; i < places.Count; i++)
            {
                Place last = places[kept];
                Place next = places[i];
                if (next.FirstTicks != last.FirstTicks || next.StoredBytes != last.StoredBytes || next.MadeBytes != last.MadeBytes
                    || !IsSame(input, last, next, blocks ??= new byte[2 * ComparedBytes]))
                {
                    places[++kept] = next;
                }
            }

            Health.Add(HealthCounter.RepeatedBuffers, places.Count - 1 - kept);
            places.RemoveRange(kept + 1, places.Count - 1 - kept);
        }
    }

    /// <summary>Whether two buffers of a length hold the same; mostly their headers differ.</summary>
    private bool IsSame(TraceInput input, Place one, Place other, Span<byte> blocks)
    {
        for (int at = 0; at < one.StoredBytes; at += ComparedBytes)
        {
            int bytes = Math.Min(ComparedBytes, one.StoredBytes - at);
            int read = input.ReadFully(blocks[..bytes], one.Offset + at);
            Span<byte> others = blocks.Slice(ComparedBytes, read);
            Health.AddWork(2 * read);
            if (input.ReadFully(others, other.Offset + at) != read || !blocks[..read].SequenceEqual(others))
            {
                return false;
            }

            if (read < bytes)
            {
                break; // The file became shorter.
            }
        }

        return true;
    }

    private void FindOdd()
    {
        foreach (List<Place> places in _byCpu)
        {
            for (int i = 1; i < places.Count; i++)
            {
                if (places[i].FirstTicks < places[i - 1].FirstTicks && _odd.Count < MostOdd)
                {
                    _odd.Add(places[i - 1].Offset);
                    _odd.Add(places[i].Offset);
                }
            }
        }
    }

    private void Add(BufferWalk walk, InputWindow window)
    {
        if (!_places.TryGetValue(walk.Header.Cpu, out List<Place>? places))
        {
            _places.Add(walk.Header.Cpu, places = []);
        }

        // A buffer whose first event tells no time stands where the file has it.
        long before = places.Count > 0 ? places[^1].FirstTicks : long.MinValue;
        int madeBytes = walk.Header.IsCompressed ? walk.FilledBytes : 0;
        places.Add(new Place(walk.Offset, FirstTicks(walk, window) ?? before, walk.StoredBytes, madeBytes));
    }

    private long? FirstTicks(BufferWalk walk, InputWindow window)
    {
        int look = EtlBufferHeader.HeaderBytes + (2 * FirstEventBytes);
        ReadOnlySpan<byte> start = window.Peek(walk.Offset, Math.Min(look, walk.StoredBytes));
        if (start.Length < EtlBufferHeader.HeaderBytes)
        {
            return null; // The file became shorter.
        }

        start = start[EtlBufferHeader.HeaderBytes..];
        if (walk.Header.IsCompressed)
        {
            int wanted = Math.Min(FirstEventBytes, walk.FilledBytes - EtlBufferHeader.HeaderBytes);
            XpressDecoder.Decode(start, _first, wanted, out _, out int made);
            start = _first.AsSpan(0, made);
        }
        else
        {
            start = start[..Math.Min(start.Length, walk.FilledBytes - EtlBufferHeader.HeaderBytes)];
        }

        return EventHeaderLayout.TimeOf(start);
    }

    /// <param name="Offset">Its place in the file, in bytes.</param>
    /// <param name="FirstTicks">When its first event was logged.</param>
    /// <param name="StoredBytes">How many bytes of it the file holds, header included.</param>
    /// <param name="MadeBytes">How many bytes decompression makes of it, header included; 0 where it is not compressed.</param>
    [StructLayout(LayoutKind.Sequential, Pack = 4)]
    internal readonly record struct Place(long Offset, long FirstTicks, int StoredBytes, int MadeBytes) : IComparable<Place>
    {
        public bool IsCompressed => MadeBytes > 0;

        /// <summary>How many bytes of memory it takes, what decompression spills included.</summary>
        public int HeldBytes => IsCompressed ? MadeBytes + XpressDecoder.Slack : StoredBytes;

        /// <summary>By time; at equal times as the file has them.</summary>
        public int CompareTo(Place other)
        {
            int byTime = FirstTicks.CompareTo(other.FirstTicks);
            return byTime != 0 ? byTime : Offset.CompareTo(other.Offset);
        }
    }
}
