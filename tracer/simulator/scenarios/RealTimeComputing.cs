using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Threads of the real-time class that compute for long: a driver's long DPCs on their CPU are time that they lose. Their own work is
/// none, however long it is.
/// </summary>
internal static class RealTimeComputing
{
    private const int Cpu = 0;
    private const int LeastPriority = 18;
    private const int MostPriority = 24;
    private const long Millisecond = 1_000_000;

    public static Scenario Bursts { get; } = new()
    {
        Name = "level-over-real-time",
        Explanation = "A program computes in bursts of 60 to 150 ms at priority 18 to 24; a driver's DPCs of 2 to 5 ms run on its CPU.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(6),
        LeastCpus = 2,
        LeastShare = 0.6, // A burst loses a little to everybody.
        ProbePeriodNs = 0,
        Build = machine => Build(machine, isEndless: false),
    };

    /// <summary>Without end: it never waits, and has no turn that could end late.</summary>
    public static Scenario Endless { get; } = Bursts with
    {
        Name = "hog-computes",
        Explanation = "A program computes without end at priority 18 to 24; a driver's DPCs of 2 to 5 ms run on its CPU now and then.",
        Build = machine => Build(machine, isEndless: true),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, bool isEndless)
    {
        InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(12, () => machine.Stacks.UserCode(process, "Render")));
        RandomSequence random = machine.Engine.Random("real-time computing");
        machine.AddThread(
            process, (int)machine.Random.Between(LeastPriority, MostPriority), Compute, affinity: SimulatedMachine.Only(Cpu));
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc, cpus: [Cpu]);
        LongDpcs.Add(machine, device, 150 * Millisecond, Spread.Uniform(2 * Millisecond, 5 * Millisecond));
        return new ScenarioTruth(device.Dpc.Owner.Name);

        IEnumerable<Step> Compute()
        {
            while (true)
            {
                yield return Step.Run(code, random.Between(60 * Millisecond, 150 * Millisecond));
                if (!isEndless)
                {
                    yield return Step.Sleep(random.Between(20 * Millisecond, 60 * Millisecond));
                }
            }
        }
    }
}
