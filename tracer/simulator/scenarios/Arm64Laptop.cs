using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A laptop with 12 CPUs of ARM64: instructions of 4 bytes, a performance counter of 19.2 or 24 MHz, Qualcomm's drivers. The one of its
/// GPIO controller is behind the driver framework.
/// </summary>
internal static class Arm64Laptop
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    public static Scenario LongDpc { get; } = new()
    {
        Name = "arm64-gpio",
        Explanation = "On an ARM64 laptop the DPCs of the GPIO driver behind Wdf01000.sys take 1 to 3 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "qcgpio8380.sys",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(8),
        Cpus = 12,
        Machine = MachineProfile.Arm64,
        Build = machine => new ScenarioTruth(
            Gpio(machine, 400 * Millisecond, Spread.Uniform(Millisecond, 3 * Millisecond)),
            machine.Inventory[ImageRole.DriverFramework].FileName),
    };

    public static Scenario ShortDpcs { get; } = LongDpc with
    {
        Name = "arm64-gpio-short",
        Explanation = "On an ARM64 laptop the DPCs of the GPIO driver behind Wdf01000.sys take 20 to 80 us: nobody is late.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 80 * Microsecond,
        Build = machine => new ScenarioTruth(
            null, Gpio(machine, 5 * Millisecond, Spread.Uniform(20 * Microsecond, 80 * Microsecond))),
    };

    /// <returns>The driver.</returns>
    private static string Gpio(SimulatedMachine machine, long intervalNs, Spread length)
    {
        var gpio = new InterruptingDevice(
            machine, DriverShape.FrameworkClient(ImageRole.OtherFrameworkClient), machine.UsualIsr, machine.UsualDpc);
        LongDpcs.Add(machine, gpio, intervalNs, length);
        return gpio.Dpc.Owner.Name;
    }
}
