using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>A driver keeps a thread of low priority at DISPATCH_LEVEL for milliseconds: threads of high priority wait behind it.</summary>
internal static class RaisedIrql
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "raised-irql",
        Explanation = "A driver keeps a thread at DISPATCH_LEVEL for 2 to 6 ms in a system call: no other thread gets its CPU.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.RaisedIrql,
        Duration = Duration.FromSeconds(12),
        LeastCpus = 2,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        CodeOwner owner = machine.OwnerOf(ImageRole.PlainDriver);
        DriverCallers.Add(machine, "raising", owner, 500_000_000, (code, random) =>
        [
            Step.Run(code, random.Between(20_000, 80_000)),
            Step.RaiseIrql(Irql.Dispatch),
            Step.Run(code, random.Between(2_000_000, 6_000_000)),
            Step.LowerIrql(),
            Step.Run(code, random.Between(20_000, 80_000)),
        ]);
        return new ScenarioTruth(owner.Name);
    }
}
