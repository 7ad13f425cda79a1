using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A thread is made ready in the short time in which no CPU is free, stands in the queue of its ideal CPU behind a longer piece of work
/// of higher priority, and is left there although another CPU idles soon: the CPUs of this machine do not take from each other's queues.
/// </summary>
internal static class FreeCpuElsewhere
{
    private const long Millisecond = 1_000_000;
    private const int VictimPriority = 20;
    private const int WorkPriority = 22;
    private const int FeederPriority = 23;
    private const int ProbePriority = 28;

    public static Scenario Scenario { get; } = new()
    {
        Name = "free-cpu-elsewhere",
        Explanation = "A thread waits 2 to 12 ms in the queue of its ideal CPU although another CPU that it may use has nothing to do.",
        Verdict = Verdict.Kernel,
        Kind = CulpritKind.Kernel,
        CulpritName = "ntoskrnl.exe",
        Mechanism = Mechanism.Scheduler,
        Duration = Duration.FromSeconds(10),
        LeastCpus = 2,
        MustBeModern = true, // Before Windows 7 no record tells on which CPUs a thread may run.
        NeedsIdleCpus = true,
        ProbePriority = ProbePriority,
        ChangeEngine = options => options with { TakesFromOtherQueues = false },
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        MachineInventory inventory = machine.Inventory;
        int ideal = (int)machine.Random.NextBelow(inventory.CpuCount);
        int other = (ideal + 1) % inventory.CpuCount;
        InventoryProcess worker = inventory.AddProcess(inventory.InventProgramName());
        InventoryProcess pipeline = inventory.AddProcess(inventory.InventProgramName());
        CodeStretch work = Code(machine, worker, "Work");
        CodeStretch feed = Code(machine, pipeline, "Feed");
        CodeStretch take = Code(machine, pipeline, "Take");
        CodeStretch wait = SimulatedMachine.Stretch(null, [machine.Stacks.Waiting(pipeline)]);
        var filled = new KernelEvent();
        RandomSequence random = machine.Engine.Random("pipeline");
        RandomSequence works = machine.Engine.Random("work");
        machine.AddThread(worker, WorkPriority, Work, affinity: SimulatedMachine.Only(ideal));
        machine.AddThread(pipeline, FeederPriority, Feed, affinity: SimulatedMachine.Only(other));
        UInt128 both = SimulatedMachine.Only(ideal) | SimulatedMachine.Only(other);
        machine.AddThread(pipeline, VictimPriority, Take, wait, both, idealCpu: ideal);
        return new ScenarioTruth(machine.OwnerOf(ImageRole.Kernel).Name, worker.Name);

        IEnumerable<Step> Work()
        {
            while (true)
            {
                yield return Step.Sleep(works.Between(80, 240) * Millisecond);
                yield return Step.Run(work, works.Between(5 * Millisecond, 12 * Millisecond));
            }
        }

        IEnumerable<Step> Feed()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(4, 7) * Millisecond);
                yield return Step.Run(feed, random.Between(30_000, 80_000));
                yield return Step.Signal(filled);
                yield return Step.Run(feed, random.Between(10_000, 40_000));
            }
        }

        IEnumerable<Step> Take()
        {
            while (true)
            {
                yield return Step.Wait(filled, wait);
                yield return Step.Run(take, random.Between(50_000, 150_000));
            }
        }
    }

    private static CodeStretch Code(SimulatedMachine machine, InventoryProcess process, string routine) =>
        SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => machine.Stacks.UserCode(process, routine)));
}
