using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>A program that computes at the highest priority: real-time threads below it wait.</summary>
internal static class PriorityHog
{
    private const int Priority = 31;

    public static Scenario Scenario { get; } = new()
    {
        Name = "priority-hog",
        Explanation = "A program computes for 4 to 20 ms at a time in a thread of priority 31: real-time threads below it wait.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(12),
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(12, () => machine.Stacks.UserCode(process, "Compute")));
        RandomSequence random = machine.Engine.Random("hog");
        machine.AddThread(process, Priority, Program);
        return new ScenarioTruth(process.Name);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(200_000_000, 900_000_000));
                yield return Step.Run(code, random.Between(4_000_000, 20_000_000));
            }
        }
    }
}
