using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>A threaded DPC runs long: at PASSIVE_LEVEL, but in a thread of priority 31, above everybody else's.</summary>
internal static class ThreadedDpc
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "threaded-dpc",
        Explanation = "A driver's threaded DPC runs for 2 to 5 ms in a thread of priority 31: real-time threads below it wait.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(10),
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc,
            manner: new DeviceManner { IsThreaded = true });
        LongDpcs.Add(machine, device, 1_000_000 * machine.Random.Between(350, 650), Spread.Uniform(2_000_000, 5_000_000));
        var longest = new InterruptingDevice(
            machine, DriverShape.DisplayMiniport, machine.UsualIsr, Spread.LogNormal(80_000, 0.4, 220_000));
        LongDpcs.AddBusy(machine, longest, 10_000_000);
        return new ScenarioTruth(device.Dpc.Owner.Name, longest.Dpc.Owner.Name);
    }
}
