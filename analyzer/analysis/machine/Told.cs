using System.Runtime.InteropServices;

namespace Tracer.Analysis.Machine;

/// <summary>What the early or the thread pass tells a lane while that builds the next round: the lane takes it in a later one.</summary>
internal sealed class Told<T>
{
    private readonly List<T> _told = [];
    private readonly List<T> _toTake = [];

    /// <summary>What the lane is to take.</summary>
    public ReadOnlySpan<T> ToTake => CollectionsMarshal.AsSpan(_toTake);

    /// <summary>Tells something, on the thread of that pass.</summary>
    public void Add(T item) => _told.Add(item);

    /// <summary>The passes are done with a round, and no lane is built: what it told may be taken.</summary>
    public void EndPass()
    {
        _toTake.AddRange(_told);
        _told.Clear();
    }

    /// <summary>The lane has taken it all.</summary>
    public void Clear() => _toTake.Clear();
}
