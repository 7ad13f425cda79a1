using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Power management runs the CPUs at an eighth of their speed for a while: a DPC that everybody can live with takes eight times as long.
/// </summary>
internal static class SlowCore
{
    private const int SlowPercent = 12;

    public static Scenario Scenario { get; } = new()
    {
        Name = "slow-core",
        Explanation = "CPU 0 runs at an eighth of its speed now and then: a DPC of a tenth of a millisecond takes a whole one.",
        Verdict = Verdict.Power,
        Kind = CulpritKind.Power,
        CulpritName = Contract.CulpritName.PowerManagement,
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(8),
        MoreKinds = RecordKinds.SpeedChanges,
        LeastShare = 0.7, // What runs on a slow CPU has its own part of the time.
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, Spread.Uniform(90_000, 150_000), cpus: [0]);
        machine.Engine.RaiseAgain("readings", device.Isr, Arrivals.Random(Spread.Uniform(10_000_000, 20_000_000)));
        RandomSequence random = machine.Engine.Random("slowness");
        machine.Engine.Repeat("slow times", Arrivals.Random(Spread.Uniform(700_000_000, 1_100_000_000)), engine =>
        {
            engine.SetSpeed(0, SlowPercent);
            engine.After(random.Between(150_000_000, 400_000_000), later => later.SetSpeed(0, 100));
        });
        return new ScenarioTruth(CodeOwner.Power.Name, device.Dpc.Owner.Name);
    }
}
