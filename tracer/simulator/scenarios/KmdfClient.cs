using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Two clients of the driver framework, whose DPC records all name Wdf01000.sys: one runs long now and then, the other often and short.
/// Without the framework's own records only stacks and samples tell them apart.
/// </summary>
internal static class KmdfClient
{
    /// <summary>The scenario with the framework's records.</summary>
    public static Scenario WithEvents { get; } = new()
    {
        Name = "kmdf-client",
        Explanation = "One of two clients of Wdf01000.sys runs for 1 to 4 ms in its DPC; the framework's callbacks are recorded.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<framework client>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(10),
        MustBeModern = true,
        MoreKinds = RecordKinds.Wdf,
        Build = Build,
    };

    public static Scenario WithoutEvents { get; } = WithEvents with
    {
        Name = "kmdf-client-no-events",
        Explanation = "One of two clients of Wdf01000.sys runs for 1 to 4 ms in its DPC; only stacks tell which.",
        MustBeModern = false,
        MoreKinds = RecordKinds.None,
        WithoutKinds = RecordKinds.Wdf,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var guilty = new InterruptingDevice(
            machine, DriverShape.FrameworkClient(ImageRole.FrameworkClient), machine.UsualIsr, machine.UsualDpc);
        var innocent = new InterruptingDevice(
            machine, DriverShape.FrameworkClient(ImageRole.OtherFrameworkClient), machine.UsualIsr, machine.UsualDpc);
        LongDpcs.Add(machine, guilty, 500_000_000, Spread.Uniform(1_000_000, 4_000_000));
        LongDpcs.AddBusy(machine, innocent, 3_000_000);
        return new ScenarioTruth(
            guilty.Dpc.Owner.Name, innocent.Dpc.Owner.Name, machine.Inventory[ImageRole.DriverFramework].FileName);
    }
}
