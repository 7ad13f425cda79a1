using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

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

    /// <summary>
    /// With our probe as it is: a thread on each CPU, due at any time between two ticks of the clock. From the tick to ready it waits for
    /// the clock's owner, from then on for its own CPU.
    /// </summary>
    public static Scenario Probed { get; } = Measured with
    {
        Name = "clock-owner-probe",
        Explanation = "CPU 0 expires the timers of all CPUs and has a network driver's DPCs of 3 to 7 ms: "
            + "the probe on each of eight CPUs is late.",
        Cpus = 8,
        Build = machine => Build(machine, isMeasured: true, isSpread: true),
    };

    /// <summary>The same with short DPCs.</summary>
    public static Scenario ProbedShort { get; } = Probed with
    {
        Name = "clock-owner-short",
        Explanation = "CPU 0 expires the timers of all CPUs and has a network driver's DPCs of 100 to 350 us: "
            + "the probe's timers wait for ticks of the clock, and nobody is late by the threshold.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        Duration = Duration.FromSeconds(5),
        Cpus = 4,
        MostInnocentNs = 60_000,
        Build = machine => Build(machine, isMeasured: true, isSpread: true, isLong: false),
    };

    /// <summary>
    /// With our driver: one timer serves the probes of all CPUs. It is late itself where the clock's owner is kept, once for all of them;
    /// from then on each CPU answers for its own.
    /// </summary>
    public static Scenario Driven { get; } = Measured with
    {
        Name = "clock-owner-driver",
        Explanation = "CPU 0 expires the one timer of our driver and has a network driver's DPCs of 3 to 7 ms: "
            + "the timer is late, and with it the probe of every CPU.",
        LeastShare = 0.8,
        Cpus = 8,
        Build = machine => BuildDriven(machine, isLong: true),
    };

    /// <summary>The same with short DPCs.</summary>
    public static Scenario DrivenShort { get; } = ProbedShort with
    {
        Name = "clock-owner-driver-short",
        Explanation = "CPU 0 expires the one timer of our driver and has a network driver's DPCs of 100 to 350 us: "
            + "neither the timer nor a probe is late by the threshold.",
        Build = machine => BuildDriven(machine, isLong: false),
    };

    private static ScenarioTruth BuildDriven(SimulatedMachine machine, bool isLong)
    {
        ScenarioTruth truth = Build(machine, isMeasured: false, isLong: isLong);
        MeasuringDriver.Add(machine, OwnerCpu);
        return truth;
    }

    private static ScenarioTruth Build(SimulatedMachine machine, bool isMeasured, bool isSpread = false, bool isLong = true)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc, cpus: [OwnerCpu]);
        LongDpcs.Add(
            machine,
            device,
            Millisecond * machine.Random.Between(350, 700),
            isLong ? Spread.Uniform(3 * Millisecond, 7 * Millisecond) : Spread.Uniform(Millisecond / 10, 7 * Millisecond / 20));
        machine.Engine.RaiseAgain("packets of the clock owner", device.Isr, Arrivals.Random(Spread.Exponential(15 * Millisecond)));
        if (isMeasured)
        {
            int first = isSpread ? OwnerCpu : OwnerCpu + 1;
            MeasuringProcess.Add(
                machine, OwnerCpu, [.. Enumerable.Range(first, machine.Inventory.CpuCount - first)], isSpread);
        }

        if (!isLong)
        {
            return new ScenarioTruth(null, device.Dpc.Owner.Name);
        }

        return new ScenarioTruth(device.Dpc.Owner.Name, machine.Inventory[ImageRole.NetworkFramework].FileName);
    }
}
