namespace Tracer.Analysis.Contents;

/// <summary>Tells which of Windows' records are of one glitch. Takes them in order of time.</summary>
internal sealed class GlitchJoin(TraceClock clock)
{
    /// <summary>Records of one moment: an engine that was late says so by several, and its next pass comes later, in ns.</summary>
    private const long TogetherNanoseconds = 5_000_000;

    /// <summary>Most records of a glitch that are kept; what else is said in its moment says nothing new.</summary>
    private const int MostTogether = 64;

    private readonly long _togetherTicks = clock.TicksOf(TogetherNanoseconds);
    private readonly Dictionary<Guid, RecordedGlitch> _open = [];

    /// <summary>Adds a record to the glitch that it belongs to.</summary>
    /// <returns>The glitch that it begins; null where it belongs to one that had begun.</returns>
    public RecordedGlitch? Begun(GlitchRecord record)
    {
        RecordedGlitch? last = _open.GetValueOrDefault(record.Kind.Provider);
        bool isSame = last is not null && record.Ticks - last.Ticks <= _togetherTicks
            && !last.Records.Exists(one => one.Kind == record.Kind && one.Thread == record.Thread && one.Words == record.Words
                && one.Ticks != record.Ticks);
        bool isEnd = record.Kind.Use == GlitchUse.End && last is { HasEnded: false };
        if (isSame || (isEnd && record.Ticks - last!.Ticks <= clock.TicksPerSecond))
        {
            if (last!.Records.Count < MostTogether)
            {
                last.Records.Add(record);
            }

            return null;
        }

        return _open[record.Kind.Provider] =
            new RecordedGlitch(record.Ticks, record.Kind.Provider == GlitchKind.Audio) { Records = [record] };
    }
}
