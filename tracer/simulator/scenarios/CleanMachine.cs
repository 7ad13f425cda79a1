namespace Tracer.Simulator.Scenarios;

/// <summary>A healthy machine.</summary>
internal static class CleanMachine
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "clean",
        Explanation = "A healthy machine under a background load: nothing to blame.",
        Verdict = Verdict.None,
        Duration = Duration.FromSeconds(10),
        MostInnocentNs = 180_000,
        Build = _ => new ScenarioTruth(null),
    };
}
