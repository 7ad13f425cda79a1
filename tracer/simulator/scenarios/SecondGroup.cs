using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A server with 96 CPUs: more than a mask has bits, so they are in two processor groups. What is wrong is on a CPU of the second group,
/// and on the CPU of the first that has the same number in its group an innocent driver is busy.
/// </summary>
internal static class SecondGroup
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const int HogPriority = 31;

    public static Scenario LongDpc { get; } = new()
    {
        Name = "second-group-nic",
        Explanation = "With 96 CPUs in two groups a NIC's DPCs of 1 to 3 ms run on one of the second group.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network miniport>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(4),
        Cpus = 96,
        LeastCpus = ProcessorGroups.CpusOfFullGroup + 1,
        Suits = build => build.PointerBytes == 8,
        ProbePeriodNs = 10 * Millisecond,
        Build = machine => new ScenarioTruth(
            Nic(machine, 200 * Millisecond, Spread.Uniform(Millisecond, 3 * Millisecond)),
            machine.Inventory[ImageRole.StorageMiniport].FileName),
    };

    public static Scenario ShortDpcs { get; } = LongDpc with
    {
        Name = "second-group-short-dpcs",
        Explanation = "With 96 CPUs in two groups a NIC's many DPCs of 20 to 80 us run on one of the second group: nobody is late.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 80 * Microsecond,
        Build = machine => new ScenarioTruth(
            null, Nic(machine, 3 * Millisecond, Spread.Uniform(20 * Microsecond, 80 * Microsecond))),
    };

    public static Scenario Hog { get; } = LongDpc with
    {
        Name = "second-group-hog",
        Explanation = "With 96 CPUs in two groups a program computes for 3 to 9 ms at priority 31 on one CPU of the second group.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Build = machine =>
        {
            int cpu = CpuOf(machine);
            AddBusyDisk(machine, cpu);
            InventoryProcess process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
            CodeStretch code = SimulatedMachine.Stretch(
                null, SimulatedMachine.Several(12, () => machine.Stacks.UserCode(process, "Compute")));
            RandomSequence random = machine.Engine.Random("hog");
            machine.AddThread(process, HogPriority, Program, affinity: SimulatedMachine.Only(cpu));
            return new ScenarioTruth(process.Name, machine.Inventory[ImageRole.StorageMiniport].FileName);

            IEnumerable<Step> Program()
            {
                while (true)
                {
                    yield return Step.Sleep(random.Between(100 * Millisecond, 300 * Millisecond));
                    yield return Step.Run(code, random.Between(3 * Millisecond, 9 * Millisecond));
                }
            }
        },
    };

    /// <returns>The driver.</returns>
    private static string Nic(SimulatedMachine machine, long intervalNs, Spread length)
    {
        int cpu = CpuOf(machine);
        AddBusyDisk(machine, cpu);
        var nic = new InterruptingDevice(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc, cpus: [cpu]);
        LongDpcs.Add(machine, nic, intervalNs, length);
        return nic.Dpc.Owner.Name;
    }

    private static void AddBusyDisk(SimulatedMachine machine, int cpu)
    {
        var disk = new InterruptingDevice(
            machine,
            DriverShape.StorageMiniport,
            machine.UsualIsr,
            machine.Innocent(Spread.Uniform(20 * Microsecond, 60 * Microsecond)),
            cpus: [ProcessorGroups.NumberOf(cpu)]);
        LongDpcs.AddBusy(machine, disk, 2 * Millisecond);
    }

    private static int CpuOf(SimulatedMachine machine) =>
        ProcessorGroups.CpusOfFullGroup + (int)machine.Random.NextBelow(machine.Inventory.CpuCount - ProcessorGroups.CpusOfFullGroup);
}
