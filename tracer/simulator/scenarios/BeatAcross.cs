using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Something outside stops the machine with a strict beat. Its victims meet whatever is there at that moment: a DPC of a busy driver, a CPU
/// that leaves an idle state, a thread of another program, nothing. None of these keeps the beat in its other runs.
/// </summary>
internal static class BeatAcross
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "beat-across",
        Explanation = "The firmware stops all CPUs for 0.8 to 3 ms at a strict beat; DPCs, idle exits and threads happen to run then.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.HardwareOrFirmware,
        Mechanism = Mechanism.Blackout,
        Duration = Duration.FromSeconds(20),
        LeastCpus = 2,
        LeastShare = 0.7,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var owner = new CodeOwner(CulpritKind.Hardware, Contract.CulpritName.HardwareOrFirmware);
        var busy = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, Spread.Uniform(60 * Microsecond, 160 * Microsecond));
        machine.Engine.RaiseAgain("busy device", busy.Isr, Arrivals.Random(Spread.Uniform(400 * Microsecond, 1_600 * Microsecond)));
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => machine.Stacks.UserCode(process, "Play")));
        RandomSequence random = machine.Engine.Random("player");
        machine.AddThread(process, 26, Program);
        long period = 50 * Millisecond * machine.Random.Between(9, 21);
        Arrivals arrivals = Arrivals.Every(period, (500 * Millisecond) + machine.Random.NextBelow(period));
        machine.Engine.StallAgain(
            "beat across", owner, arrivals, Spread.Uniform(800 * Microsecond, 3 * Millisecond));
        owner.Beat = arrivals;
        return new ScenarioTruth(owner.Name, busy.Dpc.Owner.Name, process.Name);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(Millisecond, 5 * Millisecond));
                yield return Step.Run(code, random.Between(50 * Microsecond, 350 * Microsecond));
            }
        }
    }
}
