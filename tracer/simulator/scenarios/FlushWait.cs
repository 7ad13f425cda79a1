using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A program that gives memory back asks all CPUs to flush their address translations, again and again, and waits until each has. When a
/// driver masks the interrupts of one CPU, that one can't answer: the others wait in the kernel, at raised IRQL. One CPU has no part in it
/// but what it is asked: its timers wake those who measure, since the others' timers wait as well.
/// </summary>
internal static class FlushWait
{
    private const long Microsecond = 1_000;
    private const int Priority = 8;
    private const int TimerCpu = 0;

    public static Scenario Scenario { get; } = new()
    {
        Name = "ipi-flush",
        Explanation = "A driver masks the interrupts of one CPU for 2 to 4 ms; the others wait in the kernel for it to flush its TLB.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.SpinWait,
        Duration = Duration.FromSeconds(8),
        Cpus = 4,
        LeastCpus = 3,
        NeedsBusyCpus = true,
        ProbeTimerCpu = TimerCpu,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        CodeOwner owner = machine.OwnerOf(ImageRole.PlainDriver);
        DriverCallers.Add(machine, "masking", owner, 1_000_000 * machine.Random.Between(180, 320), (code, random) =>
        [
            Step.Run(code, random.Between(20, 120) * Microsecond),
            Step.MaskInterrupts(),
            Step.Run(code, random.Between(2_000, 4_000) * Microsecond),
            Step.UnmaskInterrupts(),
            Step.Run(code, random.Between(20, 120) * Microsecond),
        ], ~SimulatedMachine.Only(TimerCpu));
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        for (int cpu = TimerCpu + 1; cpu < machine.Inventory.CpuCount; cpu++)
        {
            AddFlusher(machine, process, cpu);
        }

        return new ScenarioTruth(owner.Name, process.Name);
    }

    private static void AddFlusher(SimulatedMachine machine, InventoryProcess process, int cpu)
    {
        StackBuilder stacks = machine.Stacks;
        CodeStretch user = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(6, () => stacks.UserCode(process, "Release")));
        CodeStretch kernel = SimulatedMachine.Stretch(null, SimulatedMachine.Several(4, () => stacks.SystemCall(
            process, "NtFreeVirtualMemory", stacks.At("MiDeletePagablePteRange"), stacks.At("MiDeleteVad"))));
        CodeStretch flush = SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => stacks.SystemCall(
            process,
            "NtFreeVirtualMemory",
            stacks.At("KeFlushMultipleRangeTb"),
            stacks.At("MiFlushTbList"),
            stacks.At("MiDeletePagablePteRange"),
            stacks.At("MiDeleteVad"))));
        RandomSequence random = machine.Engine.Random($"flusher {cpu}");
        machine.AddThread(process, Priority, Program, affinity: SimulatedMachine.Only(cpu));

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Run(user, random.Between(200, 900) * Microsecond);
                yield return Step.Run(kernel, random.Between(5, 40) * Microsecond);
                yield return Step.CallOtherCpus(flush);
            }
        }
    }
}
