namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

/// <summary>
/// Between which moments a case can have been recorded: a machine whose clock is wrong says it was in the year 9999, and what is new would
/// be counted from there. Such a case counts like any other, but not for when.
/// </summary>
/// <param name="FirstMs">The first moment, in milliseconds since 1970 UTC.</param>
internal sealed record FleetTimes(long FirstMs, long LastMs)
{
    /// <summary>Windows 2000 was the first with ETW.</summary>
    private static readonly DateTimeOffset First = new(2000, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>A clock may be so far ahead of ours: it is wrong about its time zone.</summary>
    private static readonly TimeSpan MostAhead = TimeSpan.FromDays(1);

    /// <summary>What can be known at a moment.</summary>
    public static FleetTimes At(DateTimeOffset now) =>
        new(First.ToUnixTimeMilliseconds(), Math.Max(First.ToUnixTimeMilliseconds(), (now + MostAhead).ToUnixTimeMilliseconds()));

    /// <summary>Whether a case can be from then.</summary>
    public bool Has(long ms) => ms >= FirstMs && ms <= LastMs;

    public FormattableString Known => $"recorded_ms >= {FirstMs} AND recorded_ms <= {LastMs}";
}
