using System.Buffers.Binary;

namespace Tracer.Analysis.Contents;

/// <summary>Reads Windows' own records that something was late (<see cref="GlitchKind"/>), one by one.</summary>
public sealed class GlitchReading(TraceClock clock)
{
    /// <summary>Fields of a record, at most.</summary>
    public const int MostFields = 16;

    /// <summary>A deadline farther from its record than this is none, in ns.</summary>
    private const long FarNanoseconds = 10_000_000_000;

    /// <summary>No buffer of sound is larger, in bytes or frames.</summary>
    private const long LargestBuffer = 1 << 28;

    /// <summary>No request to a driver takes longer, in units of 100 ns: an hour.</summary>
    private const long LongestRequest = TimeSpan.TicksPerHour;

    /// <param name="fields">Of <see cref="MostFields"/>.</param>
    /// <returns>Whether it has them all, and they make sense.</returns>
    public static bool TryRead(GlitchKind kind, in EtlEvent traceEvent, Span<long> fields)
    {
        ArgumentNullException.ThrowIfNull(kind);
        ReadOnlySpan<byte> payload = traceEvent.Payload;
        int at = 0;
        for (int i = 0; i < kind.Layout.Length; i++)
        {
            int bytes = GlitchKind.BytesOf(kind.Layout[i], traceEvent.PointerBytes);
            if (payload.Length - at < bytes)
            {
                return false;
            }

            fields[i] = bytes == sizeof(ulong)
                ? BinaryPrimitives.ReadInt64LittleEndian(payload[at..])
                : BinaryPrimitives.ReadUInt32LittleEndian(payload[at..]);
            at += bytes;
        }

        return MakesSense(kind, fields);
    }

    public GlitchRecord RecordOf(GlitchKind kind, in EtlEvent traceEvent, ReadOnlySpan<long> fields)
    {
        ArgumentNullException.ThrowIfNull(kind);
        long ticks = traceEvent.TimestampTicks;
        long? missed = kind.IsMissedDeadline ? DeadlineOf(fields[1], ticks) : null;
        bool isNonsense = kind.IsMissedDeadline && missed is null;
        missed = missed <= ticks ? missed : null;
        string words = Words(kind, fields, missed is { } since ? new Duration(clock.NanosecondsOf(ticks - since)) : null, ref isNonsense);
        return new GlitchRecord(kind, ticks, traceEvent.ProcessId, traceEvent.ThreadId, missed, words) { IsWithoutNumbers = isNonsense };
    }

    /// <summary>
    /// A deadline in units of 100 ns, in ticks. No source tells from when it counts: from its own record, from the zero of the performance
    /// counter, or from that of file times. Only one of them gives a time near the record; null where none does.
    /// </summary>
    public long? DeadlineOf(long units, long ticks)
    {
        if (units <= 0)
        {
            return null;
        }

        Int128 far = clock.TicksOf(FarNanoseconds);
        Int128 nanoseconds = (Int128)units * 100;
        if (nanoseconds <= FarNanoseconds)
        {
            return ticks + clock.TicksOf((long)nanoseconds);
        }

        Int128 sinceZero = TickRate.TicksOf100Nanoseconds(units, clock.TicksPerSecond);
        Int128 byFileTime = clock.StartFileTime <= 0
            ? sinceZero
            : clock.HeaderTicks + (Int128)TickRate.TicksOf100Nanoseconds(units - clock.StartFileTime, clock.TicksPerSecond);
        return Int128.Abs(sinceZero - ticks) <= far ? (long)sinceZero
            : Int128.Abs(byFileTime - ticks) <= far ? (long)byFileTime
            : null;
    }

    /// <summary>
    /// Whether the fields can be what their names say: a newer Windows may have given an id another meaning. Each object is somewhere in
    /// memory, and what a buffer holds fits into it.
    /// </summary>
    private static bool MakesSense(GlitchKind kind, ReadOnlySpan<long> fields) =>
        (kind.Layout[0] != 'p' || (ulong)fields[0] > ushort.MaxValue)
        && (kind.Provider != GlitchKind.Audio || kind.Id != GlitchKind.ClientStarvation
            || (fields[3] is > 0 and <= LargestBuffer && fields[4] <= fields[3]));

    /// <param name="late">How long ago the deadline was; null where that is not known.</param>
    /// <param name="isNonsense">Set where a number is left out because it makes no sense.</param>
    private static string Words(GlitchKind kind, ReadOnlySpan<long> fields, Duration? late, ref bool isNonsense)
    {
        string words = kind.Tells.Replace(
            "{late}", late is { } by ? $" by {ReadableDuration.Of(by)}" : string.Empty, StringComparison.Ordinal);
        bool makesSense = true;
        for (int i = 0; i < kind.Layout.Length && words.Contains('{', StringComparison.Ordinal); i++)
        {
            (string number, string time) = (
                $"{{{i.ToString(CultureInfo.InvariantCulture)}}}", $"{{{i.ToString(CultureInfo.InvariantCulture)}:time}}");
            makesSense &= !(words.Contains(number, StringComparison.Ordinal) && (ulong)fields[i] > LargestBuffer)
                && !(words.Contains(time, StringComparison.Ordinal) && (ulong)fields[i] > LongestRequest);
            words = words.Replace(number, ((ulong)fields[i]).ToString("N0", CultureInfo.InvariantCulture), StringComparison.Ordinal);
            words = words.Replace(
                time,
                ReadableDuration.Of(new Duration((long)Math.Min((ulong)fields[i], LongestRequest) * 100)),
                StringComparison.Ordinal);
        }

        isNonsense |= !makesSense;
        int open = words.IndexOf('[', StringComparison.Ordinal);
        int close = words.IndexOf(']', StringComparison.Ordinal);
        if (open < 0)
        {
            return words;
        }

        string[] either = words[(open + 1)..close].Split('|');
        return words[..open] + (makesSense ? either[0] : either.Length > 1 ? either[1] : string.Empty) + words[(close + 1)..];
    }
}

/// <summary>One record. Times in ticks.</summary>
/// <param name="DeadlineTicks">The deadline that was missed; null where it tells of none, or of none that makes sense.</param>
public sealed record GlitchRecord(GlitchKind Kind, long Ticks, uint Process, uint Thread, long? DeadlineTicks, string Words)
{
    /// <summary>Since when something may have been late; null where the record does not tell.</summary>
    public long? SinceTicks { get; init; }

    /// <summary>Whether a number or a time of it makes no sense: it is told without.</summary>
    public bool IsWithoutNumbers { get; init; }
}

/// <summary>A moment at which something was late: all that Windows recorded of it.</summary>
/// <param name="Ticks">When the first record was written.</param>
/// <param name="IsSound">Whether it was heard; else it was seen.</param>
public sealed record RecordedGlitch(long Ticks, bool IsSound)
{
    /// <summary>Whether Windows recorded that it is over.</summary>
    public bool HasEnded => Records.Exists(static one => one.Kind.Use == GlitchUse.End);

    /// <summary>Whether it is no record of Windows', but a mark that a person set.</summary>
    public bool IsMark => Records is [{ Kind.Side: GlitchSide.Unknown }];

    /// <summary>From 1, as it is asked for; 0 where it has none yet.</summary>
    public int Number { get; init; }

    /// <summary>In order of time.</summary>
    public required List<GlitchRecord> Records { get; init; }
}
