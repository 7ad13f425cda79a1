using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Facts;

/// <summary>
/// The distinct kernel stacks of a trace with their counts, as far as they fit into a limit: they show who calls whom. Stacks of one or two
/// frames show no caller of a driver and are ignored.
/// </summary>
internal sealed class CallStacks
{
    private const int FewestFrames = 3;
    private const int MostFrames = 64;
    private const int MostStacks = 1 << 16;

    /// <summary>Frames are kept in blocks, so that nothing is copied when there are more; a stack lies in one of them.</summary>
    private const int FramesOfBlock = 1 << 15;
    private const int MostBlocks = 32;

    private const int FirstPlaces = 1 << 10;

    /// <summary>
    /// The stacks by hash, each in the first place that was free from where its hash points to; a power of two, at most half of them taken.
    /// </summary>
    private Place[] _places = new Place[FirstPlaces];
    private List<Entry> _stacks = [];
    private List<ulong[]> _frames = [];
    private int _used = FramesOfBlock;
    private readonly ulong[] _buffer = new ulong[MostFrames];
    private readonly ulong _firstKernelAddress;

    /// <summary>Creates an empty collection.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public CallStacks(int pointerBytes) => _firstKernelAddress = ImageLifetimeRecord.FirstKernelAddress(pointerBytes);

    /// <summary>The stacks: frames (innermost first), count, and time of the first occurrence in ticks.</summary>
    public IEnumerable<(ReadOnlyMemory<ulong> Frames, int Count, long Ticks)> All
    {
        get
        {
            int[] counts = new int[_stacks.Count];
            foreach (Place place in _places)
            {
                if (place.Count > 0)
                {
                    counts[place.Number] = place.Count;
                }
            }

            return _stacks.Select((stack, number) =>
                ((ReadOnlyMemory<ulong>)_frames[stack.Block].AsMemory(stack.First, stack.Length), counts[number], stack.Ticks));
        }
    }

    public void Clear()
    {
        _places = new Place[FirstPlaces];
        _stacks = [];
        _frames = [];
        _used = FramesOfBlock;
    }

    /// <param name="traceEvent">The event; one too short for a stack record is ignored.</param>
    public void Add(in EtlEvent traceEvent)
    {
        if (StackRecord.TryRead(in traceEvent, out StackRecord record) && record.FrameCount >= FewestFrames)
        {
            Add(record.Frames(_buffer), record.EventTimeStamp);
        }
    }

    /// <summary>Adds a stack; its user-mode frames are ignored.</summary>
    /// <param name="frames">Return addresses, innermost first.</param>
    public void Add(ReadOnlySpan<ulong> frames, long ticks)
    {
        frames = frames[..KernelPart(frames[..Math.Min(frames.Length, MostFrames)], out ulong hash)];
        if (frames.Length < FewestFrames)
        {
            return;
        }

        ref Place place = ref PlaceOf(hash);
        if (place.Count > 0)
        {
            place.Count++;
        }
        else if (_stacks.Count < MostStacks && HasRoom(frames.Length))
        {
            place = new Place { Hash = hash, Number = _stacks.Count, Count = 1 };
            _stacks.Add(new Entry { Block = _frames.Count - 1, First = _used, Length = frames.Length, Ticks = ticks });
            frames.CopyTo(_frames[^1].AsSpan(_used));
            _used += frames.Length;
            if (2 * _stacks.Count == _places.Length)
            {
                Grow();
            }
        }
    }

    private ref Place PlaceOf(ulong hash)
    {
        Place[] places = _places;
        int at = (int)hash & (places.Length - 1);
        while (places[at] is { Count: > 0 } taken && taken.Hash != hash)
        {
            at = (at + 1) & (places.Length - 1);
        }

        return ref places[at];
    }

    private void Grow()
    {
        Place[] known = _places;
        _places = new Place[2 * known.Length];
        foreach (Place place in known)
        {
            if (place.Count > 0)
            {
                PlaceOf(place.Hash) = place;
            }
        }
    }

    private bool HasRoom(int frames)
    {
        if (_used + frames > FramesOfBlock)
        {
            if (_frames.Count == MostBlocks)
            {
                return false;
            }

            _frames.Add(new ulong[FramesOfBlock]);
            _used = 0;
        }

        return true;
    }

    /// <param name="hash">
    /// Tells the kernel's parts of stacks apart, but for coincidence. Four frames at a time, which do not wait for each other's product.
    /// </param>
    private int KernelPart(ReadOnlySpan<ulong> frames, out ulong hash)
    {
        const ulong Factor = 1099511628211;
        ulong first = _firstKernelAddress;
        (ulong a, ulong b, ulong c, ulong d) = (14695981039346656037, 1, 2, 3);
        int count = 0;
        for (ReadOnlySpan<ulong> rest = frames; rest.Length >= 4; rest = rest[4..])
        {
            if (rest[0] < first || rest[1] < first || rest[2] < first || rest[3] < first)
            {
                break;
            }

            a = Mixed(a, rest[0]);
            b = Mixed(b, rest[1]);
            c = Mixed(c, rest[2]);
            d = Mixed(d, rest[3]);
            count += 4;
        }

        for (; count < frames.Length && frames[count] >= first; count++)
        {
            a = Mixed(a, frames[count]);
        }

        hash = Mixed(Mixed(Mixed(Mixed(a, b), c), d), (ulong)count);
        return count;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        static ulong Mixed(ulong hash, ulong frame)
        {
            hash = (hash ^ frame) * Factor;
            return hash ^ (hash >> 29);
        }
    }

    /// <summary>A stack among those by hash; none where its count is 0.</summary>
    private struct Place
    {
        public ulong Hash;
        public int Number;
        public int Count;
    }

    private struct Entry
    {
        public int Block;
        public int First;
        public int Length;
        public long Ticks;
    }
}
