using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>Long DPCs where the right answer is not the first one: two culprits, a busier innocent, nobody who waited.</summary>
internal static class LongDpcChoices
{
    private const long Millisecond = 1_000_000;

    /// <summary>Two drivers delay others, one about twice as much.</summary>
    public static Scenario TwoCulprits { get; } = new()
    {
        Name = "two-culprits",
        Explanation = "Two drivers run for 2 to 4 ms in DPCs, the first twice as often as the second.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(12),
        LeastShare = 0.55,
        Build = BuildTwo,
    };

    /// <summary>A driver that is not to blame has by far the largest total.</summary>
    public static Scenario DecoyTotal { get; } = TwoCulprits with
    {
        Name = "decoy-total",
        Explanation = "A driver runs for 1.5 to 3 ms in a DPC now and then; another's harmless DPCs add up to far more.",
        CulpritName = "<framework client>",
        Duration = Duration.FromSeconds(10),
        LeastShare = 0.9,
        Build = BuildDecoy,
    };

    /// <summary>DPCs below the threshold that delay nobody for longer than that.</summary>
    public static Scenario Alone { get; } = new()
    {
        Name = "long-dpc-alone",
        Explanation = "A driver runs for 250 to 370 us in DPCs, by far the longest of the trace, but nobody waits 500 us for them.",
        Verdict = Verdict.None,
        MostInnocentNs = 60_000,
        Duration = Duration.FromSeconds(10),
        Build = BuildAlone,
    };

    private static ScenarioTruth BuildTwo(SimulatedMachine machine)
    {
        var first = new InterruptingDevice(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc);
        var second = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc);
        Spread length = Spread.Uniform(2 * Millisecond, 4 * Millisecond);
        long interval = Millisecond * machine.Random.Between(260, 340);
        LongDpcs.Add(machine, first, interval, length);
        LongDpcs.Add(machine, second, 2 * interval, length);
        return new ScenarioTruth(first.Dpc.Owner.Name, machine.Inventory[ImageRole.NetworkFramework].FileName);
    }

    private static ScenarioTruth BuildDecoy(SimulatedMachine machine)
    {
        var guilty = new InterruptingDevice(
            machine, DriverShape.FrameworkClient(ImageRole.FrameworkClient), machine.UsualIsr, machine.UsualDpc);
        var decoy = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, Spread.LogNormal(45_000, 0.3, 90_000));
        LongDpcs.Add(machine, guilty, Millisecond * machine.Random.Between(500, 800), Spread.Uniform(1_500_000, 3 * Millisecond));
        // Regular, so that two never follow each other.
        long period = 1_000 * machine.Random.Between(450, 650);
        machine.Engine.RaiseAgain("decoy", decoy.Isr, Arrivals.Every(period, jitterNs: period / 4));
        return new ScenarioTruth(
            guilty.Dpc.Owner.Name, decoy.Dpc.Owner.Name, machine.Inventory[ImageRole.DriverFramework].FileName);
    }

    private static ScenarioTruth BuildAlone(SimulatedMachine machine)
    {
        ImageRole role = machine.Random.OneOf(ImageRole.StorageMiniport, ImageRole.PlainDriver);
        DriverShape shape = role == ImageRole.StorageMiniport ? DriverShape.StorageMiniport : DriverShape.Plain(role);
        var device = new InterruptingDevice(machine, shape, machine.UsualIsr, machine.UsualDpc);
        LongDpcs.Add(machine, device, Millisecond * machine.Random.Between(60, 200), Spread.Uniform(250_000, 370_000));
        return new ScenarioTruth(null, device.Dpc.Owner.Name);
    }
}
