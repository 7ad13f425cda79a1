using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The system is a guest: its hypervisor runs something else in place of one of its processors, or of all, for milliseconds.
/// </summary>
internal static class DescheduledProcessor
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "vm-descheduled",
        Explanation = "The hypervisor below the system takes one virtual processor or all of them away for 1 to 6 ms at any time.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.Hypervisor,
        Mechanism = Mechanism.Hypervisor,
        Duration = Duration.FromSeconds(8),
        NeedsBusyCpus = true,
        HasHypervisor = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        machine.Engine.DescheduleAgain(
            "hypervisor",
            Arrivals.Random(Spread.Uniform(150_000_000, 550_000_000)),
            Spread.Uniform(1_000_000, 6_000_000),
            allProbability: 0.3);
        return new ScenarioTruth(CodeOwner.Hypervisor.Name);
    }
}
