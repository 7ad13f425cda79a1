using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A .NET program with a real-time thread: its garbage collections stop all its threads. The thread is woken and served in time, returns
/// from the system into managed code, and there waits until the collection is over.
/// </summary>
internal static class GarbageCollections
{
    private const int Priority = 24;
    private const int CollectorPriority = 10;
    private const string RoutineName = "garbage collection";

    public static Scenario Scenario { get; } = new()
    {
        Name = "gc-pause",
        Explanation = "The garbage collections of a .NET program stop its own real-time thread for 2 to 9 ms.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(8),
        LeastCpus = 2,
        MoreKinds = RecordKinds.GarbageCollections,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeOwner owner = machine.EngineProcess(process).Owner;
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(process)]);
        CodeStretch work = Code("Render");
        CodeStretch allocate = Code("Allocate");
        CodeStretch collect = Code("MarkAndSweep");
        CodeStretch signal = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(4, () => stacks.SystemCall(process, "NtSetEvent", stacks.At("KeSetEvent"))));
        var cause = new HoldCause(owner, Mechanism.Thread, RoutineName);
        KernelTimer timer = machine.Engine.AddTimer("frames", 0, Arrivals.Every(3_000_000, 4_000_000));
        RandomSequence random = machine.Engine.Random("managed program");
        var restarted = new KernelEvent();
        bool isStopped = false;
        bool isHeld = false;
        uint number = 0;
        SimulatedThread? collector = null;
        machine.AddThread(process, Priority, Render, wait);
        collector = machine.AddThread(process, CollectorPriority, Collect, wait);
        return new ScenarioTruth(process.Name);

        CodeStretch Code(string routine) =>
            SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => stacks.UserCode(process, routine)));

        IEnumerable<Step> Render()
        {
            while (true)
            {
                yield return Step.Wait(timer.Expired, wait);
                yield return Step.Run(work, random.Between(2_000, 6_000));
                if (isStopped)
                {
                    isHeld = true;
                    yield return Step.WaitHeld(restarted, cause, wait, WaitReason.UserRequest);
                }

                yield return Step.Run(work, random.Between(20_000, 60_000));
            }
        }

        IEnumerable<Step> Collect()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(150_000_000, 450_000_000), wait);
                yield return Step.Run(allocate, random.Between(100_000, 400_000));
                number++;
                Log(CollectionStep.SuspensionBegins);
                isStopped = true;
                yield return Step.Run(collect, random.Between(20_000, 60_000));
                Log(CollectionStep.SuspensionEnds);
                Log(CollectionStep.Begins);
                yield return Step.Run(collect, random.Between(2_000_000, 9_000_000));
                Log(CollectionStep.Ends);
                Log(CollectionStep.RestartBegins);
                isStopped = false;
                if (isHeld)
                {
                    isHeld = false;
                    yield return Step.Run(signal, 800);
                    yield return Step.Signal(restarted);
                }

                yield return Step.Run(collect, random.Between(3_000, 9_000));
                Log(CollectionStep.RestartEnds);
            }
        }

        void Log(CollectionStep step) =>
            machine.Engine.Log.GarbageCollection(machine.Engine.NowNs, machine.Engine.CurrentCpu, collector!.Id, step, number);
    }
}
