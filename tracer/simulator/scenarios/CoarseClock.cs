namespace Tracer.Simulator.Scenarios;

/// <summary>Recordings whose clock is the system time: in steps too long for the threshold nothing can be told of them.</summary>
internal static class CoarseClock
{
    private const long CoarseStepNs = 1_000_000;
    private const long FineStepNs = 10_000;

    /// <summary>Steps of a millisecond.</summary>
    public static Scenario Coarse { get; } = NdisMiniport.Scenario with
    {
        Name = "coarse-clock",
        Explanation = "The recording's clock is the system time in steps of 1 ms: nobody can tell what a network miniport does.",
        Verdict = Verdict.Unknown,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        Duration = Duration.FromSeconds(6),
        ChangeRecording = options => options with { SystemTimeStepNs = CoarseStepNs },
        Build = machine => NdisMiniport.Scenario.Build(machine) with { Culprit = null },
    };

    /// <summary>Steps that are short beside the threshold.</summary>
    public static Scenario Fine { get; } = NdisMiniport.Scenario with
    {
        Name = "system-time",
        Explanation = "The recording's clock is the system time in steps of 10 us: a network miniport runs for 2 to 5 ms behind ndis.sys.",
        Duration = Duration.FromSeconds(6),
        ChangeRecording = options => options with { SystemTimeStepNs = FineStepNs },
    };
}
