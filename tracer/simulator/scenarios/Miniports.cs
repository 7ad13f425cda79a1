using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>Miniports whose long DPCs belong to Windows' port driver by their records: stacks and samples show whose code runs.</summary>
internal static class Miniports
{
    public static Scenario Display { get; } = new()
    {
        Name = "display-miniport",
        Explanation = "A display miniport runs for 1 to 5 ms in a DPC that the records call dxgkrnl.sys.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<display miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(10),
        Build = machine => Build(machine, DriverShape.DisplayMiniport, busy: DriverShape.NetworkMiniport),
    };

    public static Scenario Storage { get; } = Display with
    {
        Name = "storage-miniport",
        Explanation = "A storage miniport runs for 1 to 5 ms in a DPC that the records call storport.sys.",
        CulpritName = "<storage miniport>",
        Build = machine => Build(machine, DriverShape.StorageMiniport, busy: DriverShape.DisplayMiniport),
    };

    /// <summary>
    /// Most samples hit the layers above, one after the other: volumes, the class driver and the file system complete what the miniport
    /// hands them.
    /// </summary>
    public static Scenario StorageBatch { get; } = Display with
    {
        Name = "storage-batch",
        Explanation = "A storage miniport completes a batch of requests in one DPC of 1 to 5 ms, in which the layers above it run.",
        CulpritName = "<storage miniport>",
        Build = machine => Build(machine, Batch, busy: DriverShape.DisplayMiniport),
    };

    private static DriverShape Batch => DriverShape.StorageMiniport with
    {
        Calls =
        [
            (ImageRole.DiskClass, "TransferPktComplete"), (ImageRole.FileSystem, "NtfsMultiAsyncCompletionRoutine"),
            (ImageRole.FilterFramework, "FltpPassThroughCompletion"),
        ],
        CalledPoints = InterruptingDevice.Points - 2,
    };

    private static ScenarioTruth Build(SimulatedMachine machine, DriverShape guilty, DriverShape busy)
    {
        var device = new InterruptingDevice(machine, guilty, machine.UsualIsr, machine.UsualDpc);
        var other = new InterruptingDevice(machine, busy, machine.UsualIsr, machine.UsualDpc);
        long least = machine.Random.Between(1_000_000, 2_000_000);
        LongDpcs.Add(machine, device, 1_000_000 * machine.Random.Between(350, 700), Spread.Uniform(least, least * 5 / 2));
        LongDpcs.AddBusy(machine, other, 1_000_000 * machine.Random.Between(2, 5));
        return new ScenarioTruth(
            device.Dpc.Owner.Name, other.Dpc.Owner.Name, machine.Inventory[guilty.Through[0]].FileName);
    }
}
