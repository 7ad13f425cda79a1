using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Threads of the system that work for others: the scheduler of the graphics framework, which calls the display driver, and the one that
/// keeps memory (priority 17), which compresses pages.
/// </summary>
internal static class SystemServices
{
    private const int SchedulerPriority = 30;
    private const int MemoryPriority = 17;
    private const int OrdinaryPriority = 8;
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;

    /// <summary>The display driver's code in a thread that the framework made.</summary>
    public static Scenario LongSubmission { get; } = new()
    {
        Name = "gpu-scheduler-thread",
        Explanation = "The graphics framework's scheduler thread, of priority 30, calls the display driver, which computes for 3 to 9 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<display miniport>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(8),
        MustBeModern = true,
        Build = machine => BuildScheduler(machine, Spread.Uniform(3 * Millisecond, 9 * Millisecond), 400 * Millisecond, isGuilty: true),
    };

    public static Scenario ShortSubmissions { get; } = LongSubmission with
    {
        Name = "gpu-scheduler-busy",
        Explanation = "The graphics framework's scheduler thread calls the display driver often, for 20 to 80 us: nobody is late.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 60 * Microsecond,
        Build = machine => BuildScheduler(machine, Spread.Uniform(20 * Microsecond, 80 * Microsecond), 4 * Millisecond, isGuilty: false),
    };

    /// <summary>For whom it works is not shown.</summary>
    public static Scenario Compression { get; } = LongSubmission with
    {
        Name = "memory-compression",
        Explanation = "The system's thread that keeps memory, of priority 17, compresses pages for 2 to 6 ms: threads of priority 16 wait.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "System",
        Surest = Confidence.Possible,
        ProbePriority = MemoryPriority - 1,
        Build = machine => new ScenarioTruth(BuildCompression(machine, MemoryPriority)),
    };

    /// <summary>Who counts is above it and does not wait for it.</summary>
    public static Scenario CompressionBelow { get; } = Compression with
    {
        Name = "memory-compression-below",
        Explanation = "The system's thread that keeps memory compresses pages for 2 to 6 ms at priority 8: who counts is above it.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        Surest = null,
        ProbePriority = null,
        MostInnocentNs = 60 * Microsecond,
        Build = machine => new ScenarioTruth(null, BuildCompression(machine, OrdinaryPriority)),
    };

    private static ScenarioTruth BuildScheduler(SimulatedMachine machine, Spread length, long meanIntervalNs, bool isGuilty)
    {
        StackBuilder stacks = machine.Stacks;
        CodeFrame[] worker = [stacks.At(ImageRole.GraphicsFramework, "VidSchiWorkerThread")];
        CodeFrame[] submits =
        [
            stacks.At(ImageRole.DisplayMiniport, "DdiSubmitCommandVirtual"),
            stacks.At(ImageRole.GraphicsFramework, "VidSchiSubmitCommandPacket"), .. worker,
        ];
        CodeOwner owner = machine.OwnerOf(ImageRole.DisplayMiniport, ImageRole.GraphicsFramework);
        AddThread(
            machine,
            machine.Inventory.SystemProcess,
            SchedulerPriority,
            SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => stacks.KernelThread(submits))),
            length,
            meanIntervalNs,
            owner,
            machine.Inventory.Routine(ImageRole.GraphicsFramework, "VidSchiWorkerThread"));
        string framework = machine.Inventory[ImageRole.GraphicsFramework].FileName;
        return isGuilty ? new ScenarioTruth(owner.Name, framework) : new ScenarioTruth(null, owner.Name, framework);
    }

    /// <returns>Whose thread it is.</returns>
    private static string BuildCompression(SimulatedMachine machine, int priority)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess system = machine.Inventory.SystemProcess;
        CodeStretch code = SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => stacks.KernelThread(
            stacks.At("RtlCompressBufferXpressLz"), stacks.At("MmWorkingSetManager"), stacks.At("KeBalanceSetManager"))));
        AddThread(
            machine, system, priority, code, Spread.Uniform(2 * Millisecond, 6 * Millisecond), 400 * Millisecond, null, 0);
        return system.Name;
    }

    private static void AddThread(
        SimulatedMachine machine, InventoryProcess process, int priority, CodeStretch code, Spread length, long meanIntervalNs,
        CodeOwner? owner, ulong startAddress)
    {
        RandomSequence random = machine.Engine.Random("system service");
        machine.AddThread(process, priority, Program, owner: owner, startAddress: startAddress);

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(meanIntervalNs / 2, meanIntervalNs * 3 / 2));
                yield return Step.Run(code, length.Next(random));
            }
        }
    }
}
