namespace Tracer.CommandLine;

/// <summary>When a trace was recorded.</summary>
public static class StartWords
{
    private const string Form = "yyyy-MM-dd HH:mm:ss";

    /// <summary>
    /// When it began, in UTC and by the clock of the machine where that differs: <c>2026-11-21 09:30:00 UTC (2026-11-21 10:30:00
    /// UTC+01:00)</c>; null where it is not known.
    /// </summary>
    public static string? Of(TraceSummary trace)
    {
        ArgumentNullException.ThrowIfNull(trace);
        if (trace.StartUtc is not { } start)
        {
            return null;
        }

        string local = trace.UtcOffsetMinutes is { } minutes and not 0 && UtcOffset.LocalOf(start, minutes) is { } there
            ? $" ({there.ToString(Form, CultureInfo.InvariantCulture)} {UtcOffset.NameOf(minutes)})"
            : "";
        return $"{start.ToString(Form, CultureInfo.InvariantCulture)} UTC{local}";
    }
}
