using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>
/// The timers of all CPUs expire on the one that owns the clock, and a network driver's long DPCs run there: threads bound to other CPUs,
/// which have nothing to do, are made ready late. Where a probe process measures its wake-ups, the delay shows there; where not, only the
/// CPU that was kept shows it.
/// </summary>
internal static class ClockOwner
{
    private const int OwnerCpu = 0;
    private const long Millisecond = 1_000_000;

    /// <summary>With a probe process that measures its wake-ups.</summary>
    public static Scenario Measured { get; } = new()
    {
        Name = "clock-owner",
        Explanation = "CPU 0 expires the timers of all CPUs and has a network driver's DPCs of 3 to 7 ms: "
            + "measured wake-ups elsewhere are late.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(10),
        Cpus = 4,
        LeastCpus = 2,
        MoreKinds = RecordKinds.MeasuredWakeups,
        ProbePeriodNs = 0,
        Build = machine => Build(machine, isMeasured: true),
    };

    /// <summary>With threads that nobody measures.</summary>
    public static Scenario Unmeasured { get; } = Measured with
    {
        Name = "clock-owner-ready",
        Explanation = "CPU 0 expires the timers of all CPUs and has a network driver's DPCs of 3 to 7 ms: "
            + "threads elsewhere are made ready late.",
        MoreKinds = RecordKinds.None,
        ProbePeriodNs = 2 * Millisecond,
        ProbeTimerCpu = OwnerCpu,
        ProbeCpusFrom = OwnerCpu + 1,
        Build = machine => Build(machine, isMeasured: false),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, bool isMeasured)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc, cpus: [OwnerCpu]);
        LongDpcs.Add(
            machine, device, Millisecond * machine.Random.Between(350, 700), Spread.Uniform(3 * Millisecond, 7 * Millisecond));
        machine.Engine.RaiseAgain("packets of the clock owner", device.Isr, Arrivals.Random(Spread.Exponential(15 * Millisecond)));
        if (isMeasured)
        {
            MeasuringProcess.Add(machine, OwnerCpu, [.. Enumerable.Range(OwnerCpu + 1, machine.Inventory.CpuCount - 1)]);
        }

        return new ScenarioTruth(device.Dpc.Owner.Name, machine.Inventory[ImageRole.NetworkFramework].FileName);
    }
}
