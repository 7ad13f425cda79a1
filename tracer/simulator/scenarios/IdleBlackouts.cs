using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The firmware stops a machine that has next to nothing to do: no thread waits, and all that shows it are samples of idle CPUs that come
/// late together. Five such blackouts are in the public trace of Windows 7 that the simulator is calibrated with; in each of them ACPI.sys
/// served an interrupt right after.
/// </summary>
internal static class IdleBlackouts
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    /// <summary>Blackouts and nothing else.</summary>
    public static Scenario Silent { get; } = new()
    {
        Name = "smi-idle",
        Explanation = "The firmware stops an idle machine for 0.1 to 3 ms: samples of all CPUs come late together, no thread waits.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.HardwareOrFirmware,
        Mechanism = Mechanism.Blackout,
        Duration = Duration.FromSeconds(12),
        Cpus = 4,
        LeastCpus = 2,
        NeedsIdleCpus = true,
        ProbePeriodNs = 0,
        ShowsWithoutReadyThreads = true,
        Build = machine => Build(machine, hasInterrupt: false),
    };

    public static Scenario WithAcpi { get; } = Silent with
    {
        Name = "smi-acpi",
        Explanation = "The firmware stops an idle machine for 0.1 to 3 ms, and ACPI.sys serves an interrupt right after each blackout.",
        Build = machine => Build(machine, hasInterrupt: true),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, bool hasInterrupt)
    {
        RandomSequence random = machine.Engine.Random("stops");
        InterruptingDevice? acpi = hasInterrupt ? Acpi(machine) : null;
        machine.Engine.Repeat("stops", Arrivals.Random(Spread.Uniform(150 * Millisecond, 650 * Millisecond)), engine =>
        {
            // Clearly below the threshold, or clearly above it: what is proven counts from the first sample that was due.
            long proven = random.Happens(0.35)
                ? random.Between(80 * Microsecond, 380 * Microsecond)
                : random.Between(620 * Microsecond, 2_600 * Microsecond);
            long after = random.Between(200, 4 * Microsecond);
            engine.StallNow(
                CodeOwner.Hardware,
                engine.UntilNextSampleNs() + proven,
                acpi is null ? null : later => later.After(after, last => last.Raise(acpi.Isr)));
        });
        return acpi is null
            ? new ScenarioTruth(CodeOwner.Hardware.Name)
            : new ScenarioTruth(CodeOwner.Hardware.Name, acpi.Isr.Owner.Name);
    }

    /// <summary>The device of ACPI, which interrupts on other occasions too, now and then.</summary>
    private static InterruptingDevice Acpi(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(
            machine,
            DriverShape.Plain(ImageRole.Acpi),
            machine.Innocent(Spread.Measured((0, 8.9), (0.1, 10.7), (0.5, 15.9), (0.9, 23.8), (1, 41.5))),
            machine.Innocent(Spread.Measured((0, 8.9), (0.5, 17.7), (0.9, 196), (1, 267))),
            cpus: [0]);
        machine.Engine.RaiseAgain("other events", device.Isr, Arrivals.Random(Spread.Exponential(700 * Millisecond)));
        return device;
    }
}
