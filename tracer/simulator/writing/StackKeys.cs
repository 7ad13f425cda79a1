using System.Diagnostics.CodeAnalysis;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>
/// The kernel's table of stacks that are stored once and named by a key. It has a fixed number of places. Before they run out, the stack
/// that has had its place longest gives it up: its key gets its definition then, and is used again some new stacks later.
/// </summary>
/// <param name="machine">The machine; keys look like pool addresses of it.</param>
internal sealed class StackKeys(MachineInventory machine)
{
    private const int Places = 2048;
    private const int SparePlaces = 64;
    private const ulong PlaceBytes = 0x640;

    private readonly ulong _base = machine.Build.PointerBytes == 8
        ? 0xFFFFC000_00000000 + (0x1000 * (ulong)new RandomSequence(machine.Seed, "stack keys").NextBelow(0x1000_0000))
        : 0xD000_0000;

    private readonly Dictionary<ulong[], int> _placeOf = new(FrameComparer.Instance);
    private readonly ulong[]?[] _frames = new ulong[Places][];
    private readonly Queue<int> _inUse = new();
    private readonly Queue<(int Place, long FreedTicks)> _free = new(
        Enumerable.Range(0, Places).Select(place => (place, long.MinValue)));

    /// <summary>Finds the key of a stack, or gives it one.</summary>
    /// <param name="givenUp">The stack that gave its place up now, with the key that it had; null where none did.</param>
    /// <returns>False where no key is free: one given up at this very tick could be mistaken.</returns>
    public bool TryKeyOf(ReadOnlySpan<ulong> frames, long ticks, out ulong key, out (ulong Key, ulong[] Frames)? givenUp)
    {
        givenUp = null;
        key = 0;
        if (_placeOf.GetAlternateLookup<ReadOnlySpan<ulong>>().TryGetValue(frames, out int place))
        {
            key = KeyAt(place);
            return true;
        }

        (place, long freedTicks) = _free.Peek();
        if (freedTicks >= ticks)
        {
            return false;
        }

        _free.Dequeue();
        ulong[] kept = frames.ToArray();
        _frames[place] = kept;
        _placeOf.Add(kept, place);
        _inUse.Enqueue(place);
        key = KeyAt(place);
        if (_free.Count < SparePlaces)
        {
            givenUp = GiveUp(ticks);
        }

        return true;
    }

    public IEnumerable<(ulong Key, ulong[] Frames)> InUse() => _inUse.Select(place => (KeyAt(place), _frames[place]!));

    private (ulong Key, ulong[] Frames) GiveUp(long ticks)
    {
        int place = _inUse.Dequeue();
        ulong[] frames = _frames[place]!;
        _placeOf.Remove(frames);
        _free.Enqueue((place, ticks));
        return (KeyAt(place), frames);
    }

    private ulong KeyAt(int place) => _base + (PlaceBytes * (ulong)place);

    private sealed class FrameComparer : IEqualityComparer<ulong[]>, IAlternateEqualityComparer<ReadOnlySpan<ulong>, ulong[]>
    {
        public static FrameComparer Instance { get; } = new();

        public bool Equals(ulong[]? x, ulong[]? y) => x.AsSpan().SequenceEqual(y);

        public int GetHashCode([DisallowNull] ulong[] obj) => GetHashCode((ReadOnlySpan<ulong>)obj);

        public ulong[] Create(ReadOnlySpan<ulong> alternate) => alternate.ToArray();

        public bool Equals(ReadOnlySpan<ulong> alternate, ulong[] other) => alternate.SequenceEqual(other);

        public int GetHashCode(ReadOnlySpan<ulong> alternate)
        {
            ulong hash = 0;
            foreach (ulong frame in alternate)
            {
                hash = (hash ^ frame) * 0x9E3779B97F4A7C15;
                hash ^= hash >> 32;
            }

            return (int)hash;
        }
    }
}
