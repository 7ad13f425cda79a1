using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A program of the highest priority works each 5 s, and now and then a beat slips and all that follow come later. A network driver's
/// DPCs, of a fraction of a millisecond at any time, meet some of its victims.
/// </summary>
internal static class PhaseSlips
{
    private const int Priority = 31;
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const long PeriodNs = 5_000 * Millisecond;

    public static Scenario Scenario { get; } = new()
    {
        Name = "phase-slips",
        Explanation = "A program of priority 31 works for 4 to 9 ms each 5 s, with slips of the beat; a network driver meets its victims.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(80),
        ProbePeriodNs = 4 * Millisecond,
        LeastShare = 0.8,
        MostInnocentNs = 100 * Microsecond,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(12, () => machine.Stacks.UserCode(process, "Rescan")));
        CodeStretch wait = SimulatedMachine.Stretch(null, [machine.Stacks.Waiting(process)]);
        RandomSequence random = machine.Engine.Random("rescan");
        // The first slip comes late enough for the beat to be seen before.
        Arrivals beat = Arrivals.Slipping(
            PeriodNs, machine.Random.Between(700 * Millisecond, 3_000 * Millisecond), 0.15,
                Spread.Uniform(700 * Millisecond, 2_200 * Millisecond));
        KernelTimer timer = machine.Engine.AddTimer("rescan", 0, beat);
        machine.EngineProcess(process).Owner.Beat = timer;
        machine.AddThread(process, Priority, Program, wait);
        var nic = new InterruptingDevice(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc);
        RandomSequence packets = machine.Engine.Random("packets");
        // Never two longer ones in a row: together they would be long.
        machine.Engine.Repeat("packets", Arrivals.Random(Spread.Uniform(4 * Millisecond, 14 * Millisecond)), engine =>
        {
            nic.NextDpcNs = packets.Between(80 * Microsecond, 330 * Microsecond);
            engine.Raise(nic.Isr);
        });
        return new ScenarioTruth(process.Name, nic.Dpc.Owner.Name, machine.Inventory[ImageRole.NetworkFramework].FileName);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Wait(timer.Expired, wait);
                yield return Step.Run(code, random.Between(4 * Millisecond, 9 * Millisecond));
            }
        }
    }
}
