namespace Tracer.Etl;

/// <summary>
/// Writes one .etl file: buffers per CPU, the header event first, its counts filled in at the end.
/// Not safe for use by several threads at once.
/// </summary>
public interface IEtlWriter : IDisposable
{
    /// <summary>Writes one event.</summary>
    /// <param name="cpu">
    /// Logical processor whose stream it joins, 0 to <see cref="EtlFileHeader.ProcessorCount"/> - 1. Times within a stream do not
    /// decrease in a sound file; events are written in the order given, and a reader counts where that is not the order of time.
    /// </param>
    /// <param name="header">Its header.</param>
    /// <param name="payload">Its data, behind the counters that the header announces.</param>
    /// <param name="items">Extended data items; EVENT_HEADER kinds only.</param>
    /// <exception cref="ArgumentException">
    /// The event has no place in the format: too long for a buffer, no such CPU, items on another kind. Nothing was written.
    /// </exception>
    /// <exception cref="IOException">The storage failed.</exception>
    void Write(int cpu, in EtlEventHeader header, ReadOnlySpan<byte> payload, ReadOnlySpan<EtlExtendedItem> items = default);

    /// <summary>Writes one event as it was read: <see cref="EtlEvent.Record"/>, byte for byte.</summary>
    /// <param name="cpu">Logical processor whose stream it joins, as for <see cref="Write"/>.</param>
    /// <param name="record">The whole record, without padding.</param>
    /// <exception cref="ArgumentException">The record has no place in the format: too long for a buffer, no such CPU.</exception>
    /// <exception cref="IOException">The storage failed.</exception>
    void WriteRecord(int cpu, ReadOnlySpan<byte> record);

    /// <summary>
    /// Records that events of this CPU were lost at this place: header counter, and flag of the buffer that is being filled or comes next.
    /// </summary>
    /// <param name="cpu">Logical processor.</param>
    /// <param name="events">How many; at least 1.</param>
    void AddLostEvents(int cpu, uint events);

    /// <summary>
    /// Records that buffers of this CPU were lost at this place: the current buffer ends, the sequence numbers have a gap, the CPU's next
    /// buffer has the flag, and the header counts them.
    /// </summary>
    /// <param name="cpu">Logical processor.</param>
    /// <param name="buffers">How many; at least 1.</param>
    void AddLostBuffers(int cpu, uint buffers);

    /// <summary>Ends the CPU's current buffer, so that its next event starts another.</summary>
    /// <param name="cpu">Logical processor.</param>
    void EndBuffer(int cpu);

    /// <summary>Writes all unfinished buffers and the final header; nothing can be written afterwards.</summary>
    /// <param name="endFileTime">When the session ended: FILETIME, 100 ns since 1601, UTC.</param>
    /// <exception cref="IOException">The storage failed; the file is as after a crash.</exception>
    void Complete(long endFileTime);
}
