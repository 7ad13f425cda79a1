using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>Tracer's own driver is the culprit: who measures is blamed like anybody else.</summary>
internal static class OwnDriver
{
    private const string FileName = "TracerLatency.sys";
    private const long Millisecond = 1_000_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "own-driver",
        Explanation = "The timer DPC of Tracer's own driver runs for 1 to 2.5 ms each second.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = FileName,
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(12),
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        SimulatedImage driver = machine.Inventory.AddDriver(FileName);
        machine.Inventory.Load(driver);
        var owner = new CodeOwner(CulpritKind.Driver, driver.FileName);
        var routine = new CodeFrame(driver, "TlTimerDpc");
        var drain = new CodeFrame(driver, "TlRingDrain");
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(16, () => machine.Stacks.Dpc(drain, routine)));
        var dpc = new Dpc(
            owner,
            InterruptingDevice.AddressOf(routine),
            machine.Engine.Body("own driver", code, Spread.Uniform(Millisecond, 5 * Millisecond / 2)))
        {
            RoutineName = InterruptingDevice.NameOf(routine),
        };
        int cpu = (int)machine.Random.NextBelow(machine.Inventory.CpuCount);
        long first = 500 * Millisecond + machine.Random.NextBelow(500 * Millisecond);
        owner.Beat = machine.Engine.AddTimer("own driver", cpu, Arrivals.Every(1_000 * Millisecond, first, Millisecond / 2), dpc);
        var busy = new InterruptingDevice(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc);
        LongDpcs.AddBusy(machine, busy, 3 * Millisecond);
        return new ScenarioTruth(owner.Name, busy.Dpc.Owner.Name);
    }
}
