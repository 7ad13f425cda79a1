using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Core parking: a machine with little to do uses one CPU. When several real-time threads are woken at once they run one after the other
/// there, while the parked CPUs idle; to use those again takes tens of milliseconds of work.
/// </summary>
internal static class ParkedCores
{
    private const int Priority = 20;
    private const int Workers = 4;
    private const long CheckNs = 30_000_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "parked-cores",
        Explanation = "All CPUs but one are parked: real-time threads that are woken together run there one after the other for 2 to 4 ms.",
        Verdict = Verdict.Power,
        Kind = CulpritKind.Power,
        CulpritName = Contract.CulpritName.PowerManagement,
        Mechanism = Mechanism.Scheduler,
        Duration = Duration.FromSeconds(10),
        Cpus = 4,
        LeastCpus = 2,
        MustBeModern = true,
        NeedsIdleCpus = true,
        MoreKinds = RecordKinds.CoreParking,
        ProbePeriodNs = 0,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(process)]);
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => stacks.UserCode(process, "RenderPart")));
        machine.Engine.ParkCpus(CheckNs);
        RandomSequence random = machine.Engine.Random("parts");
        KernelEvent[] parts = [.. Enumerable.Range(0, Workers).Select(_ => new KernelEvent())];
        foreach (KernelEvent part in parts)
        {
            machine.AddThread(process, Priority, () => Work(part), wait);
        }

        machine.AddThread(process, Priority + 1, HandOut, wait);
        InventoryProcess other = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch compute = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => stacks.UserCode(other, "Compute")));
        machine.AddThread(other, 8, Compute);
        return new ScenarioTruth(CodeOwner.Power.Name, process.Name);

        IEnumerable<Step> HandOut()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(150_000_000, 450_000_000), wait);
                yield return Step.Run(code, random.Between(10_000, 30_000));
                foreach (KernelEvent part in parts)
                {
                    yield return Step.Signal(part);
                }
            }
        }

        IEnumerable<Step> Work(KernelEvent part)
        {
            while (true)
            {
                yield return Step.Wait(part, wait);
                yield return Step.Run(code, random.Between(2_000_000, 4_000_000));
            }
        }

        // Long enough for one look to see a busy CPU and to use another one.
        IEnumerable<Step> Compute()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(2_000_000_000, 3_000_000_000));
                yield return Step.Run(compute, random.Between(60_000_000, 120_000_000));
            }
        }
    }
}
