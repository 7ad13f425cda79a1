using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// One CPU stops with a strict beat, whatever it runs: hardware below it takes it away. Each time other code stands at the edges, and the
/// other CPUs go on.
/// </summary>
internal static class CpuBlackouts
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const int UserPriority = 9;

    public static Scenario Scenario { get; } = new()
    {
        Name = "cpu-blackout-period",
        Explanation = "One CPU stops for 0.6 to 4 ms at a strict beat of 0.4 to 1.2 s, at whatever it runs; the others go on.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.HardwareOrFirmware,
        Mechanism = Mechanism.Blackout,
        Duration = Duration.FromSeconds(24),
        LeastCpus = 2,
        NeedsBusyCpus = true,
        Build = Build,
    };

    /// <summary>At random times, while a program computes in user mode, which cannot keep the profile interrupt from a CPU.</summary>
    public static Scenario OfUserCode { get; } = Scenario with
    {
        Name = "cpu-blackout-user",
        Explanation = "One CPU stops for 1 to 4 ms at random times; the program that computes there in user mode stands at every edge.",
        Duration = Duration.FromSeconds(12),
        Build = BuildUserCode,
    };

    private static ScenarioTruth BuildUserCode(SimulatedMachine machine)
    {
        int cpu = (int)machine.Random.NextBelow(machine.Inventory.CpuCount);
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(12, () => machine.Stacks.UserCode(process, "Render")));
        RandomSequence random = machine.Engine.Random("user code");
        machine.AddThread(process, UserPriority, Program, affinity: SimulatedMachine.Only(cpu));
        machine.Engine.Repeat("cpu stops", Arrivals.Random(Spread.Uniform(200 * Millisecond, 800 * Millisecond)), engine =>
            engine.StopCpu(cpu, CodeOwner.Hardware, engine.UntilNextSampleNs(cpu) + random.Between(Millisecond, 4 * Millisecond)));
        return new ScenarioTruth(CodeOwner.Hardware.Name, process.Name);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Run(code, random.Between(5 * Millisecond, 60 * Millisecond));
            }
        }
    }

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        var owner = new CodeOwner(CulpritKind.Hardware, Contract.CulpritName.HardwareOrFirmware);
        int cpu = (int)machine.Random.NextBelow(machine.Inventory.CpuCount);
        long period = 50 * Millisecond * machine.Random.Between(8, 24);
        Arrivals arrivals = Arrivals.Every(period, (500 * Millisecond) + machine.Random.NextBelow(period));
        RandomSequence random = machine.Engine.Random("cpu stops");
        MixedCallers.Add(machine);
        machine.Engine.Repeat("cpu stops", arrivals, engine =>
        {
            long proven = random.Happens(0.1)
                ? random.Between(80 * Microsecond, 350 * Microsecond) : random.Between(620 * Microsecond, 4 * Millisecond);
            engine.StopCpu(cpu, owner, engine.UntilNextSampleNs(cpu) + proven);
        });
        owner.Beat = arrivals;
        return new ScenarioTruth(owner.Name, machine.Inventory[ImageRole.FileSystem].FileName);
    }
}
