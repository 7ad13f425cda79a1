using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Threads of the system that compute above the victims' priority: one that a driver made, told by where it began, by its samples or by
/// both; and one of which nothing tells whose it is.
/// </summary>
internal static class DriverThreads
{
    private const int Priority = 30;
    private const long Millisecond = 1_000_000;

    /// <summary>A driver's thread, of which start address and samples tell.</summary>
    public static Scenario Sampled { get; } = new()
    {
        Name = "driver-thread",
        Explanation = "A system thread that a driver made computes for 3 to 12 ms at priority 30, half of it in the kernel's code.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(10),
        Build = machine => Build(machine, machine.Inventory.Routine(ImageRole.PlainDriver, "WorkerThread"), isDrivers: true),
    };

    /// <summary>The same without samples: only the start address tells.</summary>
    public static Scenario Unsampled { get; } = Sampled with
    {
        Name = "driver-thread-start",
        Explanation = "A thread that a driver made computes for 3 to 12 ms at priority 30; without samples only its start address tells.",
        WithoutKinds = RecordKinds.Samples,
    };

    /// <summary>A thread that began in the kernel and shows only the kernel's code: nobody can say for whom it works.</summary>
    public static Scenario OfNobody { get; } = Sampled with
    {
        Name = "system-thread",
        Explanation = "A thread of the system computes for 3 to 12 ms at priority 30, all in the kernel's code: for whom is not shown.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "System",
        Surest = Confidence.Possible,
        Build = machine => Build(machine, startAddress: 0, isDrivers: false),
    };

    private static ScenarioTruth Build(SimulatedMachine machine, ulong startAddress, bool isDrivers)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess system = machine.Inventory.SystemProcess;
        CodeFrame[] own = isDrivers
            ? [stacks.At(ImageRole.PlainDriver, "UpdateTables"), stacks.At(ImageRole.PlainDriver, "WorkerThread")]
            : [stacks.At("ExpWorkerThread")];
        CodeOwner? owner = isDrivers ? machine.OwnerOf(ImageRole.PlainDriver) : null;
        CodeStretch code = SimulatedMachine.Stretch(
            null,
            [
                .. SimulatedMachine.Several(6, () => stacks.KernelThread(own)),
                .. SimulatedMachine.Several(6, () => stacks.KernelThread([stacks.At("RtlCompareMemory"), .. own])),
            ]);
        RandomSequence random = machine.Engine.Random("system thread");
        machine.AddThread(system, Priority, Program, owner: owner, startAddress: startAddress);
        return new ScenarioTruth(owner?.Name ?? system.Name);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(200 * Millisecond, 700 * Millisecond));
                yield return Step.Run(code, random.Between(3 * Millisecond, 12 * Millisecond));
            }
        }
    }
}
