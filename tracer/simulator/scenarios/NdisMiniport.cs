using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>A network miniport whose DPC belongs to ndis.sys by its record: only stacks and samples show whose code runs.</summary>
internal static class NdisMiniport
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "ndis-miniport",
        Explanation = "A network miniport runs for 2 to 5 ms in a DPC that the records call ndis.sys.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(12),
        ShowsWithoutReadyThreads = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc);
        LongDpcs.Add(machine, device, 700_000_000, Spread.Uniform(2_000_000, 5_000_000));
        return new ScenarioTruth(device.Dpc.Owner.Name, machine.Inventory[ImageRole.NetworkFramework].FileName);
    }
}
