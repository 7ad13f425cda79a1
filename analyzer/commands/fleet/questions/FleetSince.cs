namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

/// <summary>Where what is new begins: a moment, or so long before the newest case.</summary>
/// <param name="Time">The moment, UTC; null for a length of time.</param>
/// <param name="Before">How long before the newest case.</param>
internal sealed record FleetSince(DateTime? Time, TimeSpan Before)
{
    private const int MostDays = 36_500;

    /// <summary>Reads it: <c>7d</c>, <c>12h</c>, <c>2025-03-01</c> or a moment with its time; null where it is none.</summary>
    public static FleetSince? Parse(string text)
    {
        if (text.Length > 1 && text[^1] is 'd' or 'h'
            && int.TryParse(text.AsSpan(0, text.Length - 1), NumberStyles.None, CultureInfo.InvariantCulture, out int count)
            && count is > 0 and <= MostDays)
        {
            return new FleetSince(null, text[^1] == 'd' ? TimeSpan.FromDays(count) : TimeSpan.FromHours(count));
        }

        return DateTime.TryParseExact(
            text, ["yyyy-MM-dd", "yyyy-MM-ddTHH:mm", "yyyy-MM-ddTHH:mm:ss", "yyyy-MM-ddTHH:mm:ssZ"], CultureInfo.InvariantCulture,
            DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out DateTime time)
            ? new FleetSince(time, default)
            : null;
    }

    /// <summary>The moment; null where no case tells when it was recorded.</summary>
    public DateTime? At(DateTime? newest) => Time ?? (newest is { } last && last - DateTime.UnixEpoch > Before ? last - Before : null);
}
