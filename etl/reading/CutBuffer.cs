namespace Tracer.Etl.Reading;

/// <summary>
/// Where the events of a buffer end whose header does not tell: of the last one of a file that was cut, whose last event is cut too, and of
/// one that its writer had still in use. Neither is damage.
/// </summary>
internal static class CutBuffer
{
    private const int RecordStartBytes = 8;

    /// <param name="data">Header and events, up to the cut.</param>
    /// <returns>The end of the last whole event; the length of the data where what stops there is not the cut.</returns>
    public static int EndOfWholeEvents(ReadOnlySpan<byte> data)
    {
        int end = EndOfEvents(data, out bool isAll);
        return isAll || IsCut(data[end..]) ? end : data.Length;
    }

    /// <summary>Where the first place of a buffer is at which no event starts.</summary>
    /// <param name="data">Header and events.</param>
    /// <param name="isAll">Whether events reach up to the end of the data.</param>
    /// <returns>That place, or the length of the data.</returns>
    public static int EndOfEvents(ReadOnlySpan<byte> data, out bool isAll)
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
                isAll = unheard[HealthCounter.UnknownRecords] == 0;
                return isAll ? data.Length : start;
            }

            at = next;
        }

        isAll = true;
        return data.Length;
    }

    /// <summary>Whether the record that starts here says that it goes on behind the cut.</summary>
    private static bool IsCut(ReadOnlySpan<byte> rest) =>
        rest.Length < RecordStartBytes
        || (!EventHeaderLayout.TryMeasure(rest, out EtlHeaderKind kind, out int recordBytes)
            && kind != EtlHeaderKind.None
            && recordBytes > rest.Length);
}
