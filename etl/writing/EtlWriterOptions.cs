namespace Tracer.Etl;

/// <summary>How an <see cref="EtlWriter"/> stores what it is given.</summary>
public sealed record EtlWriterOptions
{
    /// <summary>
    /// Whether each data buffer is compressed; one that would not get smaller is stored as it is. Sets the mode and the layout of the
    /// header accordingly.
    /// </summary>
    public bool Compress { get; init; }

    /// <summary>
    /// Number of data buffers behind the header buffer after which the oldest is overwritten, as in a circular file; 0 keeps all. Sets
    /// <see cref="EtlLogFileMode.Circular"/>. Buffers of a ring have one size, so they are not compressed.
    /// </summary>
    public int RingBuffers { get; init; }

    /// <summary>
    /// Whether buffers are laid out as Windows 7's merger does: the first holds the header event alone and is filled to its last byte, so
    /// that its end need not be a multiple of 8; the CPU is one byte wide and no flag says so; times of buffers are FILETIMEs. Not with
    /// <see cref="Compress"/>, and for at most 256 CPUs.
    /// </summary>
    public bool IsWindows7 { get; init; }

    /// <summary>Slot of the session, in every buffer header; 0 in relogged files.</summary>
    public ushort LoggerId { get; init; }

    /// <summary>Process of the header event: the one that started the session.</summary>
    public uint ProcessId { get; init; }

    /// <summary>Thread of the header event.</summary>
    public uint ThreadId { get; init; }
}
