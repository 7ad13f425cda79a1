using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// An innocent driver whose DPCs take a fifth of a CPU: what interrupts one of them, the firmware or another driver's interrupts, makes
/// it the longest DPC of the trace.
/// </summary>
internal static class StretchedDpcs
{
    private const long PeriodNs = 1_000_000;

    public static Scenario ByFirmware { get; } = new()
    {
        Name = "stretched-dpc-smi",
        Explanation = "The firmware stops all CPUs for 1 to 3 ms, often in the middle of a busy driver's DPC, which looks long.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.HardwareOrFirmware,
        Mechanism = Mechanism.Blackout,
        Duration = Duration.FromSeconds(12),
        NeedsBusyCpus = true,
        Build = BuildFirmware,
    };

    /// <summary>Another driver's ISRs interrupt them.</summary>
    public static Scenario ByStorm { get; } = new()
    {
        Name = "stretched-dpc-storm",
        Explanation = "A device interrupts hundreds of times on end, often in the middle of a busy driver's DPC, which looks long.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Isr,
        Duration = Duration.FromSeconds(10),
        LeastShare = 0.8,
        Build = BuildStorm,
    };

    private static ScenarioTruth BuildFirmware(SimulatedMachine machine)
    {
        InterruptingDevice busy = Busy(machine, out _, Spread.Uniform(140_000, 260_000));
        machine.Engine.StallAgain(
            "smi",
            CodeOwner.Hardware,
            Arrivals.Random(Spread.Uniform(120_000_000, 480_000_000)),
            Spread.Uniform(1_000_000, 3_000_000));
        return new ScenarioTruth(CodeOwner.Hardware.Name, busy.Dpc.Owner.Name);
    }

    private static ScenarioTruth BuildStorm(SimulatedMachine machine)
    {
        InterruptingDevice busy = Busy(machine, out int cpu, Spread.Uniform(80_000, 140_000));
        var storm = new InterruptStorm(
            machine, DriverShape.Plain(ImageRole.PlainDriver), cpu, Spread.LogNormal(12_000, 0.15, 16_000));
        RandomSequence random = machine.Engine.Random("stretching storm");
        machine.Engine.Repeat("stretching storms", Arrivals.Random(Spread.Uniform(250_000_000, 750_000_000)), engine =>
        {
            // More often than not both devices have work at the same time, as two on one bus do.
            long count = random.Between(200, 500);
            if (random.Happens(0.6))
            {
                engine.Raise(busy.Isr);
                engine.After(random.Between(30_000, 70_000), _ => storm.Begin(count));
            }
            else
            {
                storm.Begin(count);
            }
        });
        return new ScenarioTruth(storm.Device.Isr.Owner.Name, busy.Dpc.Owner.Name);
    }

    /// <summary>The innocent driver: regular, so that its DPCs never follow each other.</summary>
    private static InterruptingDevice Busy(SimulatedMachine machine, out int cpu, Spread length)
    {
        DriverShape shape = machine.Random.OneOf(
            DriverShape.FrameworkClient(ImageRole.FrameworkClient),
            DriverShape.FrameworkClient(ImageRole.OtherFrameworkClient),
            DriverShape.Plain(ImageRole.FrameworkClient));
        cpu = (int)machine.Random.NextBelow(machine.Inventory.CpuCount);
        var busy = new InterruptingDevice(machine, shape, machine.UsualIsr, length, cpus: [cpu]);
        machine.Engine.RaiseAgain("busy device", busy.Isr, Arrivals.Every(PeriodNs, jitterNs: PeriodNs / 5));
        return busy;
    }
}
