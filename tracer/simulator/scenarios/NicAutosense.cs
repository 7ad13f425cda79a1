using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// The DEC dc21x4 driver of Jones and Regehr (HotOS 1999): every five seconds it looks whether a cable is plugged in, in a timer DPC of
/// 6 to 7 ms.
/// </summary>
internal static class NicAutosense
{
    private const long PeriodNs = 5_000_000_000;
    private const long JitterNs = 300_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "nic-autosense",
        Explanation = "A network driver senses its cable for 6 to 7 ms in a timer DPC every 5 s (dc21x4).",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(43),
        ShowsWithoutReadyThreads = true,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        const ImageRole Role = ImageRole.NetworkMiniport;
        _ = new InterruptingDevice(machine, DriverShape.Plain(Role), machine.UsualIsr, machine.UsualDpc);
        CodeOwner owner = machine.OwnerOf(Role);
        var routine = new CodeFrame(machine.Inventory[Role], "AutosenseTimer");
        CodeFrame stall = machine.Stacks.At(ImageRole.Hal, "KeStallExecutionProcessor");
        CodeStretch code = SimulatedMachine.Stretch(
            null,
            [
                .. SimulatedMachine.Several(16, () => machine.Stacks.Dpc(machine.Stacks.At(Role, "ReadMiiRegister"), routine)),
                .. SimulatedMachine.Several(6, () => machine.Stacks.Dpc(stall, routine)),
            ]);
        var dpc = new Dpc(
            owner,
            InterruptingDevice.AddressOf(routine),
            machine.Engine.Body("autosense", code, Spread.Uniform(6_000_000, 7_000_000)))
        {
            RoutineName = InterruptingDevice.NameOf(routine),
        };
        int cpu = (int)machine.Random.NextBelow(machine.Inventory.CpuCount);
        long first = 1_000_000_000 + machine.Random.NextBelow(PeriodNs / 2);
        owner.Beat = machine.Engine.AddTimer("autosense", cpu, Arrivals.Every(PeriodNs, first, JitterNs), dpc);
        return new ScenarioTruth(owner.Name, machine.Inventory[ImageRole.DisplayMiniport].FileName);
    }
}
