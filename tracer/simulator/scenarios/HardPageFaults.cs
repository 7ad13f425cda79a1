using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A program with real-time threads whose pages are taken from it: now and then a thread is woken and served in time, and finds its code
/// or data on the disk.
/// </summary>
internal static class HardPageFaults
{
    private const int LeastPriority = 18;
    private const int MostPriority = 26;
    private const uint PageBytes = 4096;
    private const double FaultProbability = 0.02;

    public static Scenario Scenario { get; } = new()
    {
        Name = "hard-faults",
        Explanation = "Real-time threads of a program hit hard page faults of 3 to 15 ms right after they were woken and served.",
        Verdict = Verdict.Kernel,
        Kind = CulpritKind.Kernel,
        CulpritName = Contract.CulpritName.HardPageFaults,
        Mechanism = Mechanism.Paging,
        Duration = Duration.FromSeconds(6),
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(process)]);
        CodeStretch work = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(6, () => stacks.UserCode(process, "MixBuffers")));
        CodeStretch fault = SimulatedMachine.Stretch(
            null,
            [
                .. SimulatedMachine.Several(4, () => (ulong[])[
                    .. stacks.Plain(
                        stacks.At("KiSwapContext"), stacks.At("KeWaitForSingleObject"), stacks.At("MiWaitForInPageComplete"),
                        stacks.At("MiIssueHardFault"), stacks.At("MmAccessFault"), stacks.At("KiPageFault")),
                    .. stacks.UserCode(process, "MixBuffers")]),
            ]);
        var arrived = new Queue<KernelEvent>();
        var disk = new InterruptingDevice(
            machine, DriverShape.StorageMiniport, machine.UsualIsr, machine.UsualDpc, () => Complete(arrived));
        disk.Finished = arrived;
        int threads = 2 * machine.Inventory.CpuCount;
        for (int i = 0; i < threads; i++)
        {
            string name = $"paged {i}";
            int cpu = i % machine.Inventory.CpuCount;
            long first = machine.Random.Between(5_000_000, 15_000_000);
            KernelTimer timer = machine.Engine.AddTimer(name, cpu, Arrivals.Every(10_000_000, first));
            RandomSequence random = machine.Engine.Random(name + " work");
            SimulatedThread? self = null;
            self = machine.AddThread(process, (int)machine.Random.Between(LeastPriority, MostPriority), Program, wait);

            IEnumerable<Step> Program()
            {
                var done = new KernelEvent();
                while (true)
                {
                    yield return Step.Wait(timer.Expired, wait);
                    if (random.Happens(FaultProbability))
                    {
                        yield return Step.Run(work, random.Between(1_000, 20_000));
                        ulong address = 0x1000_0000 + ((ulong)random.NextBelow(0x1000) * PageBytes);
                        long began = machine.Engine.NowNs;
                        yield return Step.Run(fault, random.Between(3_000, 8_000));
                        machine.Engine.After(random.Between(3_000_000, 15_000_000), engine =>
                        {
                            arrived.Enqueue(done);
                            engine.Raise(disk.Isr);
                        });
                        yield return Step.WaitHeld(done, HoldCause.PageFault, fault, WaitReason.PageIn);
                        machine.Engine.Log.HardFault(
                            began, machine.Engine.NowNs, machine.Engine.CurrentCpu, self!.Id, address, PageBytes);
                    }

                    yield return Step.Run(work, random.Between(30_000, 120_000));
                }
            }
        }

        return new ScenarioTruth(CodeOwner.HardPageFaults.Name, process.Name, machine.Inventory[ImageRole.StorageMiniport].FileName);
    }

    private static IEnumerable<Step> Complete(Queue<KernelEvent> arrived)
    {
        while (arrived.TryDequeue(out KernelEvent? done))
        {
            yield return Step.Signal(done);
        }
    }
}
