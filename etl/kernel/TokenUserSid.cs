namespace Tracer.Etl.Kernel;

/// <summary>
/// The security identifier in a process record: the one place that knows how to step over it (as TraceEvent's KernelTraceEventParser does).
/// </summary>
/// <remarks>
/// A first word of zero means none, four bytes. Otherwise two pointers of a TOKEN_USER stand before it, and it is 8 bytes plus 4 for
/// each sub-authority. Some synthetic traces have zero pointers although a SID follows: it is taken where a SID of revision 1 stands
/// there, fits, and printable text follows it.
/// </remarks>
internal static class TokenUserSid
{
    private const int HeadBytes = 8;
    private const int MaximumSubAuthorities = 15;

    /// <param name="payload">The record.</param>
    /// <param name="offset">Where the field starts.</param>
    /// <param name="next">Where the next field starts: the end of the payload where the SID runs off it.</param>
    /// <returns>The SID's bytes; empty where there is none.</returns>
    public static ReadOnlySpan<byte> Find(RecordPayload payload, int offset, out int next)
    {
        if (payload.Length < offset + 4)
        {
            next = payload.Length;
            return default;
        }

        int start = offset + (2 * payload.PointerBytes);
        bool announced = payload.UInt32(offset) != 0;
        if (payload.Length < start + HeadBytes || !IsComplete(payload, start, out int end))
        {
            next = announced ? payload.Length : offset + 4;
            return default;
        }

        bool looksReal = payload.UInt8(start) == 1 && payload.UInt8(start + 1) <= MaximumSubAuthorities
            && end < payload.Length && payload.UInt8(end) >= ' ';
        if (!announced && !looksReal)
        {
            next = offset + 4;
            return default;
        }

        next = end;
        return payload.Slice(start, end - start);
    }

    private static bool IsComplete(RecordPayload payload, int start, out int end)
    {
        end = start + HeadBytes + (4 * payload.UInt8(start + 1));
        return end <= payload.Length;
    }
}
