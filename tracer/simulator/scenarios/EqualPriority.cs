using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>A program that computes at the very priority of its victims: they wait until it pauses or its quantum ends.</summary>
internal static class EqualPriority
{
    private const int Priority = 24;

    public static Scenario Scenario { get; } = new()
    {
        Name = "equal-priority",
        Explanation = "A program computes for 5 to 60 ms at priority 24, as its victims have: they wait until its quantum ends.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(12),
        ProbePriority = Priority,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(12, () => machine.Stacks.UserCode(process, "Compute")));
        RandomSequence random = machine.Engine.Random("equal");
        machine.AddThread(process, Priority, Program);
        return new ScenarioTruth(process.Name);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(200_000_000, 900_000_000));
                yield return Step.Run(code, random.Between(5_000_000, 60_000_000));
            }
        }
    }
}
