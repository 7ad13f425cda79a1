using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A device's short DPC wakes a program of high priority, but its driver queues it so that the CPU is not asked to hurry: on a CPU that
/// computes it waits for that CPU's next reason to look, its clock interrupt at the latest.
/// </summary>
internal static class DeferredDpcs
{
    private const long Millisecond = 1_000_000;
    private const int FirstPriority = 18;
    private const int LastPriority = 26;

    public static Scenario LowImportance { get; } = new()
    {
        Name = "dpc-low-importance",
        Explanation = "A driver queues the DPC that wakes a program with low importance: it waits for up to a clock tick of 15.6 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.DpcDeferred,
        Duration = Duration.FromSeconds(10),
        MustBeModern = true,
        NeedsBusyCpus = true,
        MoreKinds = RecordKinds.DpcQueue,
        ChangeEngine = options => options with { ClockIntervalNs = 15_625_000 },
        Build = machine => Build(
            machine, ImageRole.PlainDriver, null, cpu => new DeviceManner { Importance = DpcImportance.Low }),
    };

    /// <summary>Queued for another CPU.</summary>
    public static Scenario OtherCpu { get; } = LowImportance with
    {
        Name = "dpc-other-cpu",
        Explanation = "A driver queues the DPC that wakes a program for another CPU: it waits for that one's clock tick of 15.6 ms.",
        CulpritName = "<audio driver>",
        LeastCpus = 2,
        Build = machine => Build(
            machine, ImageRole.AudioMiniport, 0, cpu => new DeviceManner { Importance = DpcImportance.Medium, DpcCpu = cpu }),
    };

    private static ScenarioTruth Build(
        SimulatedMachine machine, ImageRole role, int? interruptCpu, Func<int, DeviceManner> manner)
    {
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch work = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(4, () => machine.Stacks.UserCode(process, "OnData")));
        CodeStretch wait = SimulatedMachine.Stretch(null, [machine.Stacks.Waiting(process)]);
        var arrived = new KernelEvent();
        int cpus = machine.Inventory.CpuCount;
        int target = interruptCpu is null ? 0 : 1 + (int)machine.Random.NextBelow(cpus - 1);
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(role), machine.UsualIsr, machine.UsualDpc, () => [Step.Signal(arrived)],
            interruptCpu is int cpu ? [cpu] : null, manner: manner(target));
        long interval = Millisecond * machine.Random.Between(60, 140);
        machine.Engine.RaiseAgain("data", device.Isr, Arrivals.Random(Spread.Uniform(interval / 2, interval * 3 / 2)));
        Spread length = Spread.LogNormal(40_000, 0.4, 200_000);
        RandomSequence random = machine.Engine.Random("data work");
        machine.AddThread(process, (int)machine.Random.Between(FirstPriority, LastPriority), Program, wait);
        var busy = new InterruptingDevice(machine, DriverShape.DisplayMiniport, machine.UsualIsr, machine.UsualDpc);
        return new ScenarioTruth(device.Dpc.Owner.Name, busy.Dpc.Owner.Name, process.Name);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Wait(arrived, wait);
                yield return Step.Run(work, length.Next(random));
            }
        }
    }
}
