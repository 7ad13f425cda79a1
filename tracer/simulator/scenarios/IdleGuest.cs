using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A guest whose hypervisor takes processors away while they have nothing to do: threads bound to them wait although their CPU is free.
/// Another CPU, which they may not use, is kept busy at a higher priority and looks guilty.
/// </summary>
internal static class IdleGuest
{
    private const int BusyPriority = 31;
    private const int BusyCpu = 0;
    private const long Millisecond = 1_000_000;

    public static Scenario Scenario { get; } = new()
    {
        Name = "vm-idle",
        Explanation = "The hypervisor takes idle processors away for 1 to 6 ms; a program at priority 31 runs where their threads may not.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.Hypervisor,
        Mechanism = Mechanism.Hypervisor,
        Duration = Duration.FromSeconds(8),
        Cpus = 4,
        LeastCpus = 2,
        NeedsIdleCpus = true,
        HasHypervisor = true,
        ProbeTimerCpu = BusyCpu,
        ProbeCpusFrom = BusyCpu + 1,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        InventoryProcess busy = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => machine.Stacks.UserCode(busy, "Encode")));
        RandomSequence random = machine.Engine.Random("busy program");
        machine.AddThread(busy, BusyPriority, Program, affinity: SimulatedMachine.Only(BusyCpu));
        RandomSequence blackouts = machine.Engine.Random("idle guest");
        machine.Engine.Repeat("hypervisor", Arrivals.Random(Spread.Uniform(100 * Millisecond, 400 * Millisecond)), engine =>
            engine.Deschedule(
                (int)blackouts.Between(BusyCpu + 1, machine.Inventory.CpuCount - 1), blackouts.Between(Millisecond, 6 * Millisecond)));
        return new ScenarioTruth(CodeOwner.Hypervisor.Name, busy.Name);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(2 * Millisecond, 6 * Millisecond));
                yield return Step.Run(code, random.Between(3 * Millisecond, 9 * Millisecond));
            }
        }
    }
}
