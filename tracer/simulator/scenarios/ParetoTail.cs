using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A driver whose DPCs are short, and one of hundreds of which is long: the longer the rarer, without any typical length.
/// </summary>
internal static class ParetoTail
{
    private const long Microsecond = 1_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "pareto-tail",
        Explanation = "A driver's DPCs take some microseconds; one of 250 takes 0.6 ms, or 1.2, or, still rarer, up to 6 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(20),
        ShowsWithoutReadyThreads = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        Spread usual = machine.UsualDpc;
        Spread below = Spread.Mixed(0.01, Spread.Uniform(150 * Microsecond, 400 * Microsecond), usual);
        Spread length = Spread.Mixed(0.004, Spread.Pareto(600 * Microsecond, 1.4, 6_000 * Microsecond), below);
        var device = new InterruptingDevice(machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, length);
        LongDpcs.AddBusy(machine, device, 1_000 * machine.Random.Between(3_000, 5_000));
        // Its DPCs add up to less than this one's, none of which is long.
        var other = new InterruptingDevice(machine, DriverShape.StorageMiniport, machine.UsualIsr, Spread.LogNormal(45_000, 0.5, 160_000));
        LongDpcs.AddBusy(machine, other, 1_500_000);
        return new ScenarioTruth(device.Dpc.Owner.Name, other.Dpc.Owner.Name);
    }
}
