namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// The edge of a fleet: what a case of anywhere must be before it goes into a store. Behind it nobody checks ids, numbers or lengths again.
/// </summary>
internal static class CaseCheck
{
    private const int IdDigits = 32;

    /// <summary>Kinds of latencies, each from a few sources: more are none of ours.</summary>
    private const int MostLatencies = 64;

    /// <summary>What is wrong with a case, as the rest of a sentence; null where nothing is.</summary>
    public static string? Problem(CaseReport one) =>
        one.Id.Length != IdDigits || !one.Id.All(char.IsAsciiHexDigitLower) ? $"its id does not have {IdDigits} hexadecimal digits"
        : TooMany(one.Culprits, CaseReport.MostCulprits, "culprits")
            ?? TooMany(one.Chains, CaseReport.MostChains, "chains")
            ?? TooMany(one.Drivers, CaseReport.MostDrivers, "drivers")
            ?? TooMany(one.Latencies, MostLatencies, "latencies")
            ?? Negative(one);

    private static string? Negative(CaseReport one) =>
        one.Probes < 0 || one.Episodes < 0 || one.DeadlinesMissed < 0 || one.Glitches < 0 || one.OverThreshold < Duration.Zero
            || one.Worst < Duration.Zero || one.Duration < Duration.Zero || one.Threshold <= Duration.Zero
            ? "one of its numbers is below zero"
        : one.Chains.Any(chain => chain.Episodes < 0 || chain.Latency < Duration.Zero || chain.Worst < Duration.Zero)
            ? "a number of its chains is below zero"
        : null;

    private static string? TooMany<T>(IReadOnlyList<T> list, int most, string what)
        where T : class => list is null || list.Any(static item => item is null) ? $"its {what} are not all there"
        : list.Count > most ? $"it has {list.Count} {what}, and none has more than {most}"
        : null;
}
