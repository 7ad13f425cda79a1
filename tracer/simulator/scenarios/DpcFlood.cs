using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>A driver whose DPC does a piece of work and queues itself for the next: none is long, but no thread runs meanwhile.</summary>
internal static class DpcFlood
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "dpc-flood",
        Explanation = "A driver's DPC of 35 us queues itself again 40 to 150 times: threads wait for 1.5 to 5 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(10),
        LeastShare = 0.8, // Another driver's DPCs find their turn between its own.
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        long left = 0;
        InterruptingDevice? device = null;
        RandomSequence random = machine.Engine.Random("flood");
        device = new InterruptingDevice(
            machine,
            DriverShape.Plain(ImageRole.PlainDriver),
            machine.UsualIsr,
            Spread.LogNormal(1_000 * machine.Random.Between(25, 45), 0.3, 80_000),
            () => left-- > 0 ? [Step.Queue(device!.Dpc)] : []);
        long interval = 1_000_000 * machine.Random.Between(350, 700);
        machine.Engine.Repeat("floods", Arrivals.Random(Spread.Uniform(interval / 2, interval * 3 / 2)), engine =>
        {
            left = random.Between(40, 150);
            engine.Raise(device.Isr);
        });
        // Its single DPCs are the longest of the trace.
        var longest = new InterruptingDevice(
            machine, DriverShape.StorageMiniport, machine.UsualIsr, Spread.LogNormal(90_000, 0.4, 250_000));
        LongDpcs.AddBusy(machine, longest, 15_000_000);
        return new ScenarioTruth(device.Dpc.Owner.Name, longest.Dpc.Owner.Name);
    }
}
