using System.Globalization;
using Tracer.Contract;

namespace Tracer.Forecast;

/// <summary>Says in one sentence, for who plays on it, how often an application drops out.</summary>
internal static class DropoutSentence
{
    /// <summary>Of fewer waits nothing is told: what they bound is no number that helps anybody.</summary>
    private const int LeastWaits = 1_000;

    /// <summary>The sentence, without a full stop: <c>64 samples at 48 kHz: 3.1 dropouts an hour (2.4 to 4.0)</c>.</summary>
    /// <param name="name">What the application is called.</param>
    /// <param name="dropouts">Its dropouts.</param>
    /// <param name="levels">Levels of extreme-value theory, which may say more where none was late.</param>
    public static string Of(string name, Dropouts dropouts, ReturnLevels levels)
    {
        if (dropouts.Waits < LeastWaits)
        {
            return $"{name}: not told by {Counted.Of(dropouts.Waits, "wait")}; it takes {Counted.Of(LeastWaits, "wait")}, so record longer";
        }

        if (dropouts.Late > 0)
        {
            return $"{name}: {Rate(dropouts.PerHour)} {(Rate(dropouts.PerHour) == "1" ? "dropout" : "dropouts")} an hour "
                + $"({Rate(dropouts.LowPerHour)} to {Rate(dropouts.HighPerHour)})";
        }

        string none = $"{name}: none in the {Times.Text(dropouts.ObservedNs)} measured (at most {Rate(dropouts.HighPerHour)} an hour)";
        ReturnLevel? longest = levels.Refusal is not null ? null : levels.Levels
            .Where(level => level.HighNs < dropouts.Buffering.SlackNs).MaxBy(level => level.HorizonNs);
        return longest is null ? none : $"{none}; by the tail of the latencies, less than one in {Times.Text(longest.HorizonNs)} of this "
            + "use";
    }

    /// <summary>A rate with two digits, or whole from 10 on.</summary>
    private static string Rate(double rate) => rate switch
    {
        0 => "0",
        >= 9.95 => rate.ToString("N0", CultureInfo.InvariantCulture),
        >= 0.095 => rate.ToString("0.0", CultureInfo.InvariantCulture),
        _ => rate.ToString("G2", CultureInfo.InvariantCulture),
    };
}
