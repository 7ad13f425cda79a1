using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Performance cores and cores made to save energy, on which all code takes more than twice as long, always: that is how the machine was
/// bought. A DPC that is long there may be long on any core, and whose it is; many that are short are nobody's fault.
/// </summary>
internal static class HybridCores
{
    private const ulong EfficiencyCpus = 0b1100;
    private const int SlowCpu = 2;
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    public static Scenario LongDpc { get; } = new()
    {
        Name = "hybrid-long-dpc",
        Explanation = "With two kinds of cores a driver's DPCs of 0.9 to 2 ms run on a slow core, where they take 2 to 4.4 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(8),
        Cpus = 4,
        LeastCpus = 4,
        MustBeModern = true,
        ChangeEngine = options => options with { EfficiencyCpus = EfficiencyCpus },
        Build = machine => new ScenarioTruth(
            Build(machine, Spread.Uniform(900 * Microsecond, 2 * Millisecond), 400 * Millisecond)),
    };

    public static Scenario ShortDpcs { get; } = LongDpc with
    {
        Name = "hybrid-short-dpcs",
        Explanation = "With two kinds of cores a driver's DPCs of 0.1 ms take 0.22 ms on a slow core: nobody is late.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 40 * Microsecond,
        Build = machine => new ScenarioTruth(
            null, Build(machine, Spread.Uniform(70 * Microsecond, 110 * Microsecond), 15 * Millisecond)),
    };

    /// <returns>The driver.</returns>
    private static string Build(SimulatedMachine machine, Spread length, long intervalNs)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc, cpus: [SlowCpu]);
        LongDpcs.Add(machine, device, intervalNs, length);
        return device.Dpc.Owner.Name;
    }
}
