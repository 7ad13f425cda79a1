using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A driver masks the interrupts of its CPU for milliseconds in code that a program calls: that CPU serves nothing meanwhile.
/// </summary>
internal static class MaskedInterrupts
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "masked-interrupts",
        Explanation = "A driver masks all interrupts of one CPU for 2 to 4 ms in a system call: no sample, clock or DPC comes through.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Blackout,
        Duration = Duration.FromSeconds(12),
        NeedsBusyCpus = true,
        ShowsWithoutReadyThreads = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        CodeOwner owner = machine.OwnerOf(ImageRole.PlainDriver);
        DriverCallers.Add(machine, "masking", owner, 350_000_000, (code, random) =>
        [
            Step.Run(code, random.Between(20_000, 120_000)),
            Step.MaskInterrupts(),
            Step.Run(code, random.Between(2_000_000, 4_000_000)),
            Step.UnmaskInterrupts(),
            Step.Run(code, random.Between(20_000, 120_000)),
        ]);
        return new ScenarioTruth(owner.Name);
    }
}
