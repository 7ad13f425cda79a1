using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A driver's thread code at raised IRQL keeps the CPU that serves the timers: threads of other CPUs, which have nothing to do, are made
/// ready late and run at once. From ready to running all is well; only their beat shows it.
/// </summary>
internal static class LateTimers
{
    private const int TimerCpu = 0;
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    /// <summary>By more than the threshold.</summary>
    public static Scenario Long { get; } = new()
    {
        Name = "late-timer",
        Explanation = "A driver keeps the CPU of the timers at DISPATCH_LEVEL for 2 to 6 ms: threads elsewhere miss their beat.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.RaisedIrql,
        Duration = Duration.FromSeconds(10),
        Cpus = 4,
        LeastCpus = 2,
        ProbeTimerCpu = TimerCpu,
        ProbeCpusFrom = TimerCpu + 1,
        ProbePeriodNs = 10 * Millisecond,
        Build = machine => Build(machine, 2 * Millisecond, 6 * Millisecond, isGuilty: true),
    };

    /// <summary>By less.</summary>
    public static Scenario Short { get; } = Long with
    {
        Name = "late-timer-short",
        Explanation = "A driver keeps the CPU of the timers at DISPATCH_LEVEL for 100 to 350 us: nobody is late by the threshold.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 60 * Microsecond,
        Build = machine => Build(machine, 100 * Microsecond, 350 * Microsecond, isGuilty: false),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, long leastNs, long mostNs, bool isGuilty)
    {
        CodeOwner owner = machine.OwnerOf(ImageRole.PlainDriver);
        DriverCallers.Add(
            machine,
            "raising",
            owner,
            80 * Millisecond,
            (code, random) =>
            [
                Step.Run(code, random.Between(20 * Microsecond, 80 * Microsecond)),
                Step.RaiseIrql(Irql.Dispatch),
                Step.Run(code, random.Between(leastNs, mostNs)),
                Step.LowerIrql(),
            ],
            SimulatedMachine.Only(TimerCpu));
        return isGuilty ? new ScenarioTruth(owner.Name) : new ScenarioTruth(null, owner.Name);
    }
}
