using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Kernel work items are run by threads of one priority, 24 in Cota-Robles and Held (OSDI 1999, 4.1 and 4.2): a driver's work item that
/// computes for milliseconds keeps those of all others waiting until it is done or its quantum is.
/// </summary>
internal static class WorkItems
{
    private const int Priority = 24;
    private const int ProbePriority = 28;

    public static Scenario Scenario { get; } = new()
    {
        Name = "work-item",
        Explanation = "A driver's work item computes for 3 to 12 ms in a kernel thread of priority 24: other work items wait behind it.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(8),
        Cpus = 1,
        ProbePeriodNs = 0,
        Build = machine => Build(machine, isShared: false),
    };

    /// <summary>The thread that runs the long items runs short ones of another driver as well: it belongs to neither.</summary>
    public static Scenario Shared { get; } = Scenario with
    {
        Name = "work-item-shared",
        Explanation = "A kernel thread of priority 24 runs two drivers' work items: one's for 3 to 12 ms, the other's for up to 0.3 ms.",
        Build = machine => Build(machine, isShared: true),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, bool isShared)
    {
        const ImageRole Role = ImageRole.PlainDriver;
        StackBuilder stacks = machine.Stacks;
        InventoryProcess system = machine.Inventory.SystemProcess;
        CodeOwner owner = machine.OwnerOf(Role);
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(system)]);
        CodeStretch longWork = Code(
            owner, () => stacks.WorkItem(stacks.At(Role, "UpdateTables"), stacks.At(Role, "DeferredWork")));
        CodeStretch shortWork = Code(
            machine.OwnerOf(ImageRole.AudioBus), () => stacks.WorkItem(stacks.At(ImageRole.AudioBus, "PositionWork")));
        CodeStretch high = Code(null, () => stacks.KernelThread(stacks.At(ImageRole.AudioBus, "StreamThread")));
        RandomSequence random = machine.Engine.Random("work items");
        machine.AddThread(system, Priority, LongItems, wait, SimulatedMachine.Only(0), isShared ? null : owner);
        KernelTimer timer = machine.Engine.AddTimer("position", 0, Arrivals.Every(2_000_000, 3_000_000));
        machine.AddThread(system, Priority, () => OnEach(timer, shortWork), wait, SimulatedMachine.Only(0));
        KernelTimer other = machine.Engine.AddTimer("stream thread", 0, Arrivals.Every(4_000_000, 5_000_000));
        machine.AddThread(system, ProbePriority, () => OnEach(other, high), wait, SimulatedMachine.Only(0));
        return new ScenarioTruth(owner.Name, machine.Inventory[ImageRole.AudioBus].FileName);

        CodeStretch Code(CodeOwner? codeOwner, Func<ulong[]> make) =>
            SimulatedMachine.Stretch(codeOwner, SimulatedMachine.Several(12, make));

        IEnumerable<Step> LongItems()
        {
            while (true)
            {
                for (int i = 0; isShared && i < 8; i++)
                {
                    yield return Step.Sleep(random.Between(20_000_000, 60_000_000), wait);
                    yield return Step.Run(shortWork, random.Between(50_000, 300_000));
                }

                yield return Step.Sleep(random.Between(200_000_000, 700_000_000), wait);
                yield return Step.Run(longWork, random.Between(3_000_000, 12_000_000));
            }
        }

        IEnumerable<Step> OnEach(KernelTimer wanted, CodeStretch code)
        {
            while (true)
            {
                yield return Step.Wait(wanted.Expired, wait, WaitReason.Queue);
                yield return Step.Run(code, random.Between(15_000, 60_000));
            }
        }
    }
}
