using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Two drivers use one spin lock, that of a bus. One holds it for milliseconds in a system call; the other's DPCs, short by themselves,
/// spin on their CPUs meanwhile and look guilty.
/// </summary>
internal static class SpinLockWait
{
    private const long Microsecond = 1_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "spin-lock",
        Explanation = "A driver holds a spin lock for 2 to 6 ms; another's DPCs, on the other CPUs, spin until they get it.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.SpinWait,
        Duration = Duration.FromSeconds(8),
        Cpus = 4,
        LeastCpus = 3,
        MaybeKinds = RecordKinds.SpinLocks,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        StackBuilder stacks = machine.Stacks;
        CodeOwner holder = machine.OwnerOf(ImageRole.PlainDriver);
        var spinLock = new KernelSpinLock(machine.Inventory.Routine(ImageRole.Hal, "BusLock") & ~0xFUL);
        CodeFrame wait = stacks.At("KxWaitForSpinLockAndAcquire");
        InventoryProcess caller = machine.Inventory.Process("svchost.exe");
        CodeStretch holderWaits = SimulatedMachine.Stretch(null, SimulatedMachine.Several(4, () => stacks.SystemCall(
            caller,
            "NtDeviceIoControlFile",
            wait,
            stacks.At(ImageRole.PlainDriver, "ReadSensors"),
            stacks.At(ImageRole.PlainDriver, "DispatchDeviceControl"),
            stacks.At("IopXxxControlFile"))));
        DriverCallers.Add(machine, "holding", holder, 1_000_000 * machine.Random.Between(110, 190), (code, random) =>
        [
            Step.Run(code, random.Between(10, 60) * Microsecond),
            Step.AcquireSpinLock(spinLock, holderWaits),
            Step.Run(code, random.Between(2_000, 6_000) * Microsecond),
            Step.ReleaseSpinLock(spinLock),
            Step.Run(code, random.Between(10, 60) * Microsecond),
        ]);

        DriverShape shape = DriverShape.NetworkMiniport;
        CodeFrame[] frames = [.. shape.DpcFrames.Select(frame => stacks.At(frame.Role, frame.Routine))];
        CodeStretch spin = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => stacks.Dpc([wait, .. frames])));
        CodeStretch inside = SimulatedMachine.Stretch(null, SimulatedMachine.Several(4, () => stacks.Dpc(frames)));
        RandomSequence random = machine.Engine.Random("inside the lock");
        var waiter = new InterruptingDevice(machine, shape, machine.UsualIsr, machine.UsualDpc, () =>
        [
            Step.AcquireSpinLock(spinLock, spin),
            Step.Run(inside, random.Between(1, 6) * Microsecond),
            Step.ReleaseSpinLock(spinLock),
        ]);
        LongDpcs.AddBusy(machine, waiter, 80 * Microsecond);
        return new ScenarioTruth(holder.Name, waiter.Dpc.Owner.Name, machine.Inventory[ImageRole.NetworkFramework].FileName);
    }
}
