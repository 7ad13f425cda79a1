using System.Runtime.CompilerServices;

namespace Tracer.Etl;

/// <summary>
/// Which buffers of a trace hold events from a time on. Found by a reading of all events, in any order, so it is right where the times that
/// headers tell are not; a later <see cref="EtlReader.Read{TSink}(BufferSelection, ref TSink)"/> then opens no other buffer.
/// </summary>
/// <remarks>One for each thread that reads; 16 bytes for each chosen buffer. Not safe for use by several threads at once.</remarks>
public sealed class BufferSelection
{
    /// <summary>As many as the reader gives the events of alternately.</summary>
    private const int RecentSlots = 4;

    private readonly long _fromTicks;
    private readonly HashSet<long> _offsets = [];
    private Recent _recent;
    private int _oldest;

    /// <summary>Makes one without buffers.</summary>
    /// <param name="fromTicks">The first time stamp that counts, in ticks of the trace's clock.</param>
    public BufferSelection(long fromTicks)
    {
        _fromTicks = fromTicks;
        ((Span<long>)_recent).Fill(-1);
    }

    /// <summary>How many buffers are chosen.</summary>
    public int Count => _offsets.Count;

    /// <summary>Chooses the buffer of an event that is of the time or behind it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Look(in EtlEvent traceEvent)
    {
        if (traceEvent.TimestampTicks >= _fromTicks)
        {
            Add(traceEvent.BufferOffset);
        }
    }

    /// <summary>Adds the buffers of another, which another thread found in the same trace.</summary>
    public void Add(BufferSelection other)
    {
        ArgumentNullException.ThrowIfNull(other);
        _offsets.UnionWith(other._offsets);
    }

    /// <summary>Chooses the buffer at a place of the file.</summary>
    internal void Choose(long offset) => _offsets.Add(offset);

    /// <summary>Whether the buffer at a place of the file is chosen.</summary>
    internal bool Contains(long offset) => _offsets.Contains(offset);

    private void Add(long offset)
    {
        if (offset == _recent[0] || offset == _recent[1] || offset == _recent[2] || offset == _recent[3])
        {
            return;
        }

        _recent[_oldest] = offset;
        _oldest = (_oldest + 1) % RecentSlots;
        _offsets.Add(offset);
    }

    [InlineArray(RecentSlots)]
    private struct Recent
    {
        private long _first;
    }
}
