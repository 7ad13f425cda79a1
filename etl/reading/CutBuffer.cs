namespace Tracer.Etl.Reading;

/// <summary>The last buffer of a file that was cut: its last event is cut too, which is no damage of its own.</summary>
internal static class CutBuffer
{
    private const int RecordStartBytes = 8;

    /// <summary>Where the whole events of a cut buffer end.</summary>
    /// <param name="data">Header and events, up to the cut.</param>
    /// <returns>The end of the last whole event; the length of the data where what stops there is not the cut.</returns>
    public static int EndOfWholeEvents(ReadOnlySpan<byte> data)
    {
        var unheard = new TraceHealth();
        int at = EtlBufferHeader.HeaderBytes;
        long ticks = 0;
        while (at < data.Length)
        {
            int start = at;
            int next = EventWalk.Measure(data, ref at, 0, unheard, ref ticks);
            if (next == EventWalk.Stopped)
            {
                return IsCut(data[start..]) ? start : data.Length;
            }

            at = next;
        }

        return data.Length;
    }

    /// <summary>Whether the record that starts here says that it goes on behind the cut.</summary>
    private static bool IsCut(ReadOnlySpan<byte> rest) =>
        rest.Length < RecordStartBytes
        || (!EventHeaderLayout.TryMeasure(rest, out EtlHeaderKind kind, out int recordBytes)
            && kind != EtlHeaderKind.None
            && recordBytes > rest.Length);
}
