using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Windows 7 with samples four times as often as usual: the profile interrupt's own ISR records are the largest total of the trace by far,
/// and every sample lies in one. The culprit is a driver whose DPC is long now and then.
/// </summary>
internal static class RecordingCost
{
    private const long Millisecond = 1_000_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "recording-cost",
        Explanation = "Windows 7, sampled each 0.25 ms: the profile interrupt is the largest ISR total; "
            + "a storage driver runs for 1 to 4 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<storage miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(8),
        SampleIntervalNs = Millisecond / 4,
        Suits = build => build.RecordsPeriodicInterrupts,
        ShowsWithoutReadyThreads = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(machine, DriverShape.StorageMiniport, machine.UsualIsr, machine.UsualDpc);
        LongDpcs.Add(machine, device, Millisecond * machine.Random.Between(350, 600), Spread.Uniform(Millisecond, 4 * Millisecond));
        return new ScenarioTruth(
            device.Dpc.Owner.Name, machine.Inventory[ImageRole.Hal].FileName, machine.Inventory[ImageRole.StorageFramework].FileName);
    }
}
