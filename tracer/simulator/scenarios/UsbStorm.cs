using Tracer.Simulator.Draws;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>An interrupt storm of the USB host: no ISR is long, together they keep a CPU for milliseconds.</summary>
internal static class UsbStorm
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "usb-storm",
        Explanation = "The USB host controller interrupts 150 to 500 times on end: its ISRs of 10 us keep a CPU for 2 to 5 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<usb host driver>",
        Mechanism = Mechanism.Isr,
        Duration = Duration.FromSeconds(10),
        MustBeModern = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        int cpu = (int)machine.Random.NextBelow(machine.Inventory.CpuCount);
        var storm = new InterruptStorm(machine, DriverShape.Usb(machine.Inventory), cpu, Spread.LogNormal(10_000, 0.2, 14_000));
        storm.BeginAgain(1_000_000 * machine.Random.Between(400, 700), 150, 500);
        // Its DPCs are the longest single routines of the trace.
        var longest = new InterruptingDevice(
            machine, DriverShape.DisplayMiniport, machine.UsualIsr, Spread.LogNormal(70_000, 0.4, 180_000));
        LongDpcs.AddBusy(machine, longest, 8_000_000);
        return new ScenarioTruth(storm.Device.Isr.Owner.Name, longest.Dpc.Owner.Name);
    }
}
