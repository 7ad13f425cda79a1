namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>What watching cost, in one line.</summary>
internal static class CostText
{
    /// <summary>A clock that differs by less than this part was not changed: Windows tells it in steps.</summary>
    private const double Same = 0.02;

    /// <summary>The line; null where nothing was measured.</summary>
    public static string? Of(CaptureCost? cost)
    {
        if (cost?.OwnCpuPercent is not { } percent)
        {
            return null;
        }

        string text = string.Create(CultureInfo.InvariantCulture, $"watching took {percent:0.0} % of one CPU");
        if (cost.EventsPerSecond is { } events)
        {
            text += string.Create(
                CultureInfo.InvariantCulture,
                $" and recorded {events:#,0} events a second, {cost.StacksPerSecond ?? 0:#,0} of them stacks");
        }

        return text + Clock(cost);
    }

    private static string Clock(CaptureCost cost)
    {
        if (cost is not { ClockPeriodBefore: { } before, ClockPeriod: { } now })
        {
            return "";
        }

        bool isSame = Math.Abs(now.Nanoseconds - before.Nanoseconds) <= Same * before.Nanoseconds;
        return isSame
            ? $"; the clock went on ticking every {ReadableDuration.Of(before)}"
            : $"; the clock ticked every {ReadableDuration.Of(now)} instead of {ReadableDuration.Of(before)}";
    }
}
