using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A driver reads a register of a device that does not answer for milliseconds: the instruction does not end, and an interrupt waits for
/// the end of an instruction. The other CPUs go on.
/// </summary>
internal static class DeviceStall
{
    public static Scenario Scenario { get; } = new()
    {
        Name = "device-stall",
        Explanation = "One CPU stands for 1 to 5 ms in a driver's access to a device register: that CPU serves nothing, the others do.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Blackout,
        Duration = Duration.FromSeconds(8),
        NeedsBusyCpus = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        CodeOwner owner = machine.OwnerOf(ImageRole.PlainDriver);
        DriverCallers.Add(machine, "standing", owner, 400_000_000, (code, random) =>
        [
            Step.Run(code, random.Between(20_000, 120_000)),
            Step.AccessDevice(code, random.Between(1_000_000, 5_000_000)),
            Step.Run(code, random.Between(5_000, 40_000)),
            Step.AccessDevice(code, random.Between(1_000, 20_000)),
            Step.Run(code, random.Between(20_000, 120_000)),
        ]);
        return new ScenarioTruth(owner.Name);
    }
}
