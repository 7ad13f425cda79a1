using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A mouse that reports as often as its vendor's filter allows: each report is an interrupt of the USB host and a DPC in which the filter
/// runs, none longer than a tenth of a millisecond. At 8,000 a second they take most of a CPU from a callback that works there; at 1,000
/// it is always done in time.
/// </summary>
internal static class MouseReports
{
    private const int Cpu = 0;
    private const long Microsecond = 1_000;

    private static readonly DriverShape Filter = new(
        ImageRole.FilterDriver,
        [ImageRole.UsbController],
        [(ImageRole.UsbController, "InterrupterInterrupt")],
        [(ImageRole.FilterDriver, "ReportComplete"), (ImageRole.UsbController, "InterrupterDpc")]);

    public static Scenario Fast { get; } = new()
    {
        Name = "mouse-8khz",
        Explanation = "A mouse reports 8,000 times a second: DPCs of 0.08 ms of its filter take two thirds of an audio callback's CPU.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<mouse filter>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(6),
        ProbePeriodNs = 0,
        LeastShare = 0.8, // Its interrupts are the USB host's.
        MustBeModern = true,
        Build = machine => Build(machine, 125 * Microsecond, isGuilty: true),
    };

    public static Scenario Slow { get; } = Fast with
    {
        Name = "mouse-1khz",
        Explanation = "A mouse reports 1,000 times a second: an audio callback loses a twelfth of its CPU and is done in time.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 40 * Microsecond,
        Build = machine => Build(machine, 1_000 * Microsecond, isGuilty: false),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, long intervalNs, bool isGuilty)
    {
        var mouse = new InterruptingDevice(
            machine, Filter, Spread.Uniform(800, 1_600), Spread.Uniform(70 * Microsecond, 88 * Microsecond), cpus: [Cpu]);
        machine.Engine.Repeat("reports", Arrivals.Every(intervalNs, jitterNs: 3 * Microsecond), engine => engine.Raise(mouse.Isr));
        var callback = new AudioCallback(machine, AudioCallback.LongPeriodNs, Cpu) { Percent = Spread.Uniform(25, 40) };
        callback.Add();
        return isGuilty
            ? new ScenarioTruth(mouse.Dpc.Owner.Name, callback.Process.Name, machine.Inventory[ImageRole.UsbController].FileName)
            : new ScenarioTruth(null, callback.Process.Name, mouse.Dpc.Owner.Name);
    }
}
