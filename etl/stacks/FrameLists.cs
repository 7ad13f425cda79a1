using System.Runtime.InteropServices;

namespace Tracer.Etl.Stacks;

/// <summary>Lists of frames, each kept once however often it is added, in large arrays.</summary>
internal sealed class FrameLists
{
    /// <summary>More frames than any record holds, so that no list is split over two arrays.</summary>
    private const int ChunkFrames = 64 * 1024;

    private const int ChunkBytes = ChunkFrames * sizeof(ulong);

    /// <summary>What a list takes beside its frames: its place, and two slots of the table.</summary>
    private const int ListBytes = 2 * ((4 * sizeof(int)) + (2 * sizeof(int)));

    private const int Unused = -1;

    private readonly List<ulong[]> _chunks = [];
    private readonly List<Place> _places = [];
    private int _usedOfLast = ChunkFrames;
    private int[] _slots = [Unused, Unused];

    /// <summary>How many different lists there are.</summary>
    public int Count => _places.Count;

    /// <summary>The memory it takes, or a little less than it would by growing once more.</summary>
    public long Bytes => ((long)_chunks.Count * ChunkBytes) + ((long)_places.Count * ListBytes);

    public ReadOnlySpan<ulong> this[int list]
    {
        get
        {
            Place place = _places[list];
            return _chunks[place.Chunk].AsSpan(place.Offset, place.Count);
        }
    }

    /// <summary>Adds a list, or finds it where it was added before.</summary>
    /// <param name="frames">The frames, at most 65,536.</param>
    /// <param name="maximumBytes">What <see cref="Bytes"/> must not exceed.</param>
    /// <param name="list">Its number.</param>
    /// <returns>False when it would take too much memory.</returns>
    public bool TryAdd(ReadOnlySpan<ulong> frames, long maximumBytes, out int list)
    {
        // The hash is seeded anew by every process, so that no file can aim at one slot; numbers do not depend on it.
        var hasher = default(HashCode);
        hasher.AddBytes(MemoryMarshal.AsBytes(frames));
        int hash = hasher.ToHashCode();
        int slot = SlotOf(hash, frames);
        list = _slots[slot];
        if (list != Unused)
        {
            return true;
        }

        bool isNewChunk = _chunks.Count == 0 || _usedOfLast + frames.Length > ChunkFrames;
        if (Bytes + ListBytes + (isNewChunk ? ChunkBytes : 0) > maximumBytes)
        {
            return false;
        }

        if (isNewChunk)
        {
            _chunks.Add(new ulong[ChunkFrames]);
            _usedOfLast = 0;
        }

        list = _places.Count;
        frames.CopyTo(_chunks[^1].AsSpan(_usedOfLast));
        _places.Add(new Place(_chunks.Count - 1, _usedOfLast, frames.Length, hash));
        _usedOfLast += frames.Length;
        _slots[slot] = list;
        if (2 * _places.Count > _slots.Length)
        {
            Grow();
        }

        return true;
    }

    /// <summary>The slot that holds such a list, or the unused one where it would go.</summary>
    private int SlotOf(int hash, ReadOnlySpan<ulong> frames)
    {
        int slot = hash & (_slots.Length - 1);
        while (_slots[slot] is not Unused and int list && !(_places[list].Hash == hash && this[list].SequenceEqual(frames)))
        {
            slot = (slot + 1) & (_slots.Length - 1);
        }

        return slot;
    }

    private void Grow()
    {
        _slots = new int[2 * _slots.Length];
        Array.Fill(_slots, Unused);
        for (int list = 0; list < _places.Count; list++)
        {
            int slot = _places[list].Hash & (_slots.Length - 1);
            while (_slots[slot] != Unused)
            {
                slot = (slot + 1) & (_slots.Length - 1);
            }

            _slots[slot] = list;
        }
    }

    private readonly record struct Place(int Chunk, int Offset, int Count, int Hash);
}
