using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Security based on virtualization: now and then a CPU goes to the secure kernel for some ten microseconds, without a record. That harms
/// nobody; a driver's long DPCs do.
/// </summary>
internal static class SecureKernel
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    public static Scenario WithNic { get; } = new()
    {
        Name = "vbs-nic",
        Explanation = "The secure kernel takes CPUs for 10 to 60 us again and again; a NIC's DPCs of 1 to 3 ms are the trouble.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(8),
        MustBeModern = true,
        HasHypervisor = true,
        Build = machine =>
        {
            AddSwitches(machine);
            var nic = new InterruptingDevice(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc);
            LongDpcs.Add(machine, nic, 400 * Millisecond, Spread.Uniform(Millisecond, 3 * Millisecond));
            return new ScenarioTruth(nic.Dpc.Owner.Name, CodeOwner.Hypervisor.Name);
        },
    };

    public static Scenario Alone { get; } = WithNic with
    {
        Name = "vbs-alone",
        Explanation = "The secure kernel takes CPUs for 10 to 60 us again and again: nobody is late by it.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 60 * Microsecond,
        Build = machine =>
        {
            AddSwitches(machine);
            return new ScenarioTruth(null, CodeOwner.Hypervisor.Name);
        },
    };

    private static void AddSwitches(SimulatedMachine machine) => machine.Engine.DescheduleAgain(
        "secure kernel", Arrivals.Random(Spread.Exponential(2 * Millisecond)), Spread.Uniform(10 * Microsecond, 60 * Microsecond), 0);
}
