using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The Intel EtherExpress 16 driver of Jones and Regehr (HotOS 1999): every ten seconds it resets its card, which takes a DPC of 17 ms.
/// </summary>
internal static class NicReset
{
    private const long PeriodNs = 10_000_000_000;
    private const long LeastNs = 16_700_000;
    private const long MostNs = 17_400_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "nic-reset",
        Explanation = "A network driver resets its card for 17 ms in a DPC every 10 s (EtherExpress 16).",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(85),
        ProbePeriodNs = 4_000_000,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.NetworkMiniport), machine.UsualIsr, machine.UsualDpc);
        RandomSequence random = machine.Engine.Random("reset");
        long first = 1_000_000_000 + machine.Random.NextBelow(PeriodNs / 2);
        Arrivals arrivals = Arrivals.Every(PeriodNs, first, jitterNs: 2_000_000);
        machine.Engine.Repeat("resets", arrivals, engine =>
        {
            device.NextDpcNs = random.Between(LeastNs, MostNs);
            engine.Raise(device.Isr);
        });
        device.Dpc.Owner.Beat = arrivals;
        return new ScenarioTruth(device.Dpc.Owner.Name, machine.Inventory[ImageRole.StorageMiniport].FileName);
    }
}
