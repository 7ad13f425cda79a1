using System.Security.Cryptography;
using System.Text;

namespace Tracer.AnalyzerCommand.Common.Copies;

/// <summary>
/// What a trace says of itself, where only a report or a case of it is at hand: neither the name of the file nor how it is packed changes
/// it. Where the files are there, <see cref="RecordedContent"/> tells.
/// </summary>
internal static class ToldRecording
{
    private const int IdBytes = 16;

    /// <summary>Follows from what a trace says of itself; 32 hexadecimal digits.</summary>
    /// <param name="computer">The computer's name; null where it is not known.</param>
    public static string Id(TraceSummary trace, string? computer) => Digits(Encoding.UTF8.GetBytes(string.Join('\n',
        computer,
        trace.StartUtc?.Ticks.ToString(CultureInfo.InvariantCulture),
        trace.Duration?.Nanoseconds.ToString(CultureInfo.InvariantCulture),
        trace.Events.ToString(CultureInfo.InvariantCulture),
        trace.EventsLost.ToString(CultureInfo.InvariantCulture),
        trace.BuffersLost.ToString(CultureInfo.InvariantCulture),
        trace.DamagedBuffers.ToString(CultureInfo.InvariantCulture),
        trace.Cpus?.ToString(CultureInfo.InvariantCulture),
        trace.OsBuild?.ToString(CultureInfo.InvariantCulture),
        trace.Slice?.From?.Nanoseconds.ToString(CultureInfo.InvariantCulture),
        trace.Slice?.To?.Nanoseconds.ToString(CultureInfo.InvariantCulture))));

    /// <summary>Whether a trace is a slice of what another holds: both are of one session, and its part lies within the other's.</summary>
    public static bool IsPart(TraceSummary part, TraceSummary whole) => part.Slice is { } slice && part.StartUtc is { } start
        && (start, part.Cpus, part.OsBuild) == (whole.StartUtc ?? default, whole.Cpus, whole.OsBuild)
        && IsWithin(slice, part.Duration, whole.Slice, whole.Duration);

    /// <summary>Whether the part that a slice was made for lies within another trace of its session, and is less than that.</summary>
    /// <param name="other">The part that the other one was made for; null for no slice.</param>
    public static bool IsWithin(SlicePart slice, Duration? length, SlicePart? other, Duration? otherLength)
    {
        (Duration from, Duration to) = (slice.From ?? Duration.Zero, slice.To ?? length ?? Duration.Zero);
        (Duration otherFrom, Duration? otherTo) = (other?.From ?? Duration.Zero, other is null ? otherLength : other.To ?? otherLength);
        return otherTo is { } end && otherFrom <= from && to <= end && (other is null || (otherFrom, end) != (from, to));
    }

    /// <summary>A digest of some bytes as an id has it.</summary>
    public static string Digits(ReadOnlySpan<byte> text) => Convert.ToHexStringLower(SHA256.HashData(text).AsSpan(0, IdBytes));
}
