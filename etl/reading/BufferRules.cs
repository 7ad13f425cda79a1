namespace Tracer.Etl.Reading;

/// <summary>
/// What the header of a buffer may say. Where a buffer is known to start, little is asked of it, because systems differ in what they
/// write; where it is searched for, or is to confirm another one's size, much is.
/// </summary>
/// <param name="sessionBytes">The session's buffer size; 0 where it is not known.</param>
internal readonly struct BufferRules(int sessionBytes)
{
    private const int HeaderBytes = EtlBufferHeader.HeaderBytes;

    /// <summary>The session's buffer size; 0 where it is not known.</summary>
    public int SessionBytes => sessionBytes;

    /// <summary>Whether the header cannot belong to a buffer; the reason why not, else null.</summary>
    public static string? Implausible(in EtlBufferHeader header)
    {
        if (header.BufferSize is < HeaderBytes or > BufferHeaderLayout.MaximumBufferBytes)
        {
            return string.Create(CultureInfo.InvariantCulture, $"its header gives a size of {header.BufferSize} bytes");
        }

        bool isStale = header is { FilledBytes: 0, WasFlushed: false, IsCompressed: false, CurrentOffset: >= HeaderBytes }
            && header.State <= BufferHeaderLayout.HighestState;
        return (header.FilledBytes < HeaderBytes && !isStale) || header.FilledBytes > BufferHeaderLayout.MaximumBufferBytes
            ? string.Create(CultureInfo.InvariantCulture, $"its header gives {header.FilledBytes} bytes of data")
            : null;
    }

    /// <summary>
    /// Whether the header has only flags and a type that are known. A later system may have more; so without them something else has to
    /// tell that this is a buffer: its size, or the buffer behind it.
    /// </summary>
    public static bool HasKnownMarks(in EtlBufferHeader header) =>
        (header.Flags & ~BufferHeaderLayout.KnownFlags) == 0 && header.BufferType <= BufferHeaderLayout.DebugInfoType;

    /// <summary>
    /// Whether this could follow a buffer whose size is in question. Stricter than what is read where a buffer is known to start: to say no
    /// only costs a closer look.
    /// </summary>
    public bool IsLikely(in EtlBufferHeader header) =>
        Implausible(header) is null
        && FitsSession(header)
        && (header.SavedOffset == header.FilledBytes
            || (HasKnownMarks(header)
                && header.State <= BufferHeaderLayout.HighestState
                && (header.State != BufferHeaderLayout.FlushedState || header.IsHeaderBuffer)));

    /// <summary>Whether this is a header wherever it stands.</summary>
    public bool IsBeyondDoubt(in EtlBufferHeader header) =>
        header.State == BufferHeaderLayout.FlushedState
        && header.ReferenceCount == 0
        && header.BufferType == BufferHeaderLayout.GenericType
        && header.FilledBytes > HeaderBytes
        && header.BufferSize > HeaderBytes
        && header.SavedOffset == header.FilledBytes
        && Implausible(header) is null
        && HasKnownMarks(header)
        && FitsSession(header);

    private bool FitsSession(in EtlBufferHeader header) =>
        sessionBytes == 0 || (header.FilledBytes <= sessionBytes && header.BufferSize <= sessionBytes);
}
