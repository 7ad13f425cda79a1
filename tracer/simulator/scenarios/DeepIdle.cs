using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A machine whose deep idle state takes up to a millisecond to leave: who is woken on a CPU that slept deeply waits for the hardware.
/// </summary>
internal static class DeepIdle
{
    private const long ClockNs = 15_625_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "cstate-exit",
        Explanation = "CPUs need 0.5 to 1 ms to leave their deepest idle state: threads woken on them wait for the hardware.",
        Verdict = Verdict.Power,
        Kind = CulpritKind.Power,
        CulpritName = Contract.CulpritName.PowerManagement,
        Mechanism = Mechanism.IdleExit,
        Duration = Duration.FromSeconds(6),
        LeastCpus = 2,
        NeedsIdleCpus = true,
        ChangeEngine = options => options with
        {
            ClockIntervalNs = ClockNs,
            IdleStates =
            [
                new IdleState(1, 1_000, 0),
                new IdleState(2, 60_000, 600_000),
                new IdleState(3, 700_000, 4_000_000) { ExitLatency = Spread.LogNormal(700_000, 0.2, 1_000_000) },
            ],
        },
        SampleIntervalNs = 10_000_000,
        ProbePeriodNs = 40_000_000,
        MoreKinds = RecordKinds.IdleStates,
        SometimesKinds = RecordKinds.ExitLatencies,
        Build = _ => new ScenarioTruth(CodeOwner.Power.Name),
    };
}
