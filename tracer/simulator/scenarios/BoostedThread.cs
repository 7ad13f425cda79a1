using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A program that asks the multimedia scheduler (MMCSS) for a lift from the normal to the real-time priorities for half of the time: then
/// it keeps real-time threads below it waiting. Others starve meanwhile and are lifted to 15, which delays nobody of these.
/// </summary>
internal static class BoostedThread
{
    private const long Millisecond = 1_000_000;
    private const int VictimPriority = 18;
    private const int NormalPriority = 9;

    public static Scenario Scenario { get; } = new()
    {
        Name = "boosted-thread",
        Explanation = "The multimedia scheduler lifts a program from 9 to 23 or more: its bursts delay threads at 18 for 3 to 9 ms.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(12),
        ProbePriority = VictimPriority,
        NeedsBusyCpus = true,
        MoreKinds = RecordKinds.Priorities,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        MachineInventory inventory = machine.Inventory;
        InventoryProcess process = inventory.AddProcess(inventory.InventProgramName());
        CodeStretch code = Code(machine, process, "Render");
        RandomSequence random = machine.Engine.Random("render");
        int lifted = (int)machine.Random.Between(23, 26);
        SimulatedThread? thread = null;
        thread = machine.AddThread(process, NormalPriority, Render);
        // Takes all that is left, so that what computes below it starves.
        InventoryProcess greedy = inventory.AddProcess(inventory.InventProgramName());
        CodeStretch greedyCode = Code(machine, greedy, "Encode");
        for (int i = 0; i < inventory.CpuCount; i++)
        {
            machine.AddThread(greedy, NormalPriority - 1, Encode);
        }

        return new ScenarioTruth(process.Name, greedy.Name);

        IEnumerable<Step> Render()
        {
            bool isLifted = false;
            while (true)
            {
                // Asks between two bursts, so that it wakes up with the priority that it then has.
                isLifted = !isLifted;
                yield return Step.Act(engine => engine.SetPriority(thread!, isLifted ? lifted : NormalPriority));
                for (long bursts = random.Between(4, 9); bursts > 0; bursts--)
                {
                    yield return Step.Sleep(random.Between(60, 160) * Millisecond);
                    yield return Step.Run(code, random.Between(3_000_000, 9_000_000));
                }
            }
        }

        IEnumerable<Step> Encode()
        {
            while (true)
            {
                yield return Step.Run(greedyCode, 50 * Millisecond);
            }
        }
    }

    private static CodeStretch Code(SimulatedMachine machine, InventoryProcess process, string routine) =>
        SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => machine.Stacks.UserCode(process, routine)));
}
