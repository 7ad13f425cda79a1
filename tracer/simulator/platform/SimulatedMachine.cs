using Tracer.Simulator.Calibration;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Platform;

/// <summary>
/// A machine that a scenario builds on: its parts, the engine that runs it, and what connects them: owners of code, stretches of code
/// with stacks, processes and threads that both know.
/// </summary>
public sealed class SimulatedMachine
{
    private const int KernelPoints = 6;

    private readonly Dictionary<SimulatedImage, CodeOwner> _owners = [];
    private readonly Dictionary<InventoryProcess, SimulatedProcess> _processes = [];
    private readonly Dictionary<ImageRole, InterruptingDevice> _devices = [];

    /// <param name="options">How the engine runs; the code of the kernel is put in.</param>
    public SimulatedMachine(MachineInventory inventory, MachineOptions options, IKernelLog log)
    {
        ArgumentNullException.ThrowIfNull(inventory);
        ArgumentNullException.ThrowIfNull(options);
        Inventory = inventory;
        Stacks = new StackBuilder(inventory, new RandomSequence(inventory.Seed, "instructions"));
        Random = new RandomSequence(inventory.FaultSeed, "scenario");
        var kernel = new CodeOwner(CulpritKind.Kernel, inventory[ImageRole.Kernel].FileName);
        _owners.Add(inventory[ImageRole.Kernel], kernel);
        RealTimeAffinity = options.RealTimeAffinity;
        Engine = new Machine(options with { Kernel = KernelCodeOf(kernel) }, log);
        _processes.Add(inventory.SystemProcess, Engine.SystemProcess);
        foreach (SimulatedThread thread in Engine.Threads)
        {
            inventory.AddKernelThread(thread.Id, thread.BasePriority, thread.Affinity);
        }
    }

    public MachineInventory Inventory { get; }

    /// <summary>The CPUs that real-time threads of no scenario may use, one bit each; 0 for all.</summary>
    internal UInt128 RealTimeAffinity { get; }

    /// <summary>How long it will run, in nanoseconds; 0 where that is not known.</summary>
    public long DurationNs { get; init; }

    public Machine Engine { get; }

    /// <summary>What is measured of machines like it; null for one that has next to nothing going on, for tests.</summary>
    internal MachineCalibration? Calibration { get; init; }

    /// <summary>No ISR or DPC that is not the scenario's own runs longer, in nanoseconds.</summary>
    internal long MostInnocentNs { get; init; } = long.MaxValue;

    /// <summary>How long an ISR of a well-behaved driver runs.</summary>
    internal Spread UsualIsr => Innocent(Calibration?.Habits.UsualIsr ?? Spread.LogNormal(3_000, 0.4, 14_000));

    /// <summary>How long a DPC of a well-behaved driver runs.</summary>
    internal Spread UsualDpc => Innocent(Calibration?.Habits.UsualDpc ?? Spread.LogNormal(14_000, 0.6, 90_000));

    /// <summary>Makes stacks of its code.</summary>
    public StackBuilder Stacks { get; }

    /// <summary>Random numbers of the scenario's own: where things are, not when they happen.</summary>
    public RandomSequence Random { get; }

    /// <summary>Who answers for a module's code.</summary>
    /// <param name="through">The frameworks that call it, the nearest first.</param>
    public CodeOwner OwnerOf(ImageRole role, params IReadOnlyList<ImageRole> through) =>
        OwnerOf(Inventory[role], [.. through.Select(framework => Inventory[framework])]);

    /// <summary>The CPUs that take a device's interrupts.</summary>
    public int[] CpusOf(ImageRole role) => Calibration?.CpusOf(role) ?? [.. Enumerable.Range(0, Inventory.CpuCount)];

    /// <summary>How long something innocent takes: as it was measured, and no longer than what the scenario can bear.</summary>
    internal Spread Innocent(Spread length) => MostInnocentNs == long.MaxValue ? length : length.CutOffAt(MostInnocentNs);

    /// <summary>Who answers for a module's code.</summary>
    internal CodeOwner OwnerOf(SimulatedImage image, IReadOnlyList<SimulatedImage> through)
    {
        if (!_owners.TryGetValue(image, out CodeOwner? owner))
        {
            CulpritKind kind = image.Role is ImageRole.Kernel or ImageRole.Hal ? CulpritKind.Kernel : CulpritKind.Driver;
            owner = new CodeOwner(kind, image.FileName, [.. through.Select(framework => framework.FileName)]);
            _owners.Add(image, owner);
        }

        return owner;
    }

    /// <summary>A stretch of code that samples hit at several places.</summary>
    /// <param name="owner">Who answers for it; null for whoever owns what it runs in.</param>
    /// <param name="stacks">The stacks, each a place that is hit as often as the others.</param>
    /// <param name="routine">Name of the routine in causes; null for none.</param>
    public static CodeStretch Stretch(CodeOwner? owner, IEnumerable<ulong[]> stacks, string? routine = null) =>
        new(owner, [.. stacks.Select(stack => new CodePoint(1, stack))]) { Routine = routine };

    /// <summary>Several stacks of the same calls that differ in the innermost instruction.</summary>
    public static IEnumerable<ulong[]> Several(int count, Func<ulong[]> make)
    {
        ArgumentNullException.ThrowIfNull(make);
        for (int i = 0; i < count; i++)
        {
            yield return make();
        }
    }

    /// <summary>The device that a driver runs, where it is connected already.</summary>
    public InterruptingDevice? FindDevice(ImageRole role) => _devices.GetValueOrDefault(role);

    internal void Add(ImageRole role, InterruptingDevice device) => _devices.Add(role, device);

    public SimulatedProcess EngineProcess(InventoryProcess process)
    {
        ArgumentNullException.ThrowIfNull(process);
        if (!_processes.TryGetValue(process, out SimulatedProcess? known))
        {
            known = new SimulatedProcess(process.Id, process.Name);
            _processes.Add(process, known);
        }

        return known;
    }

    /// <summary>Adds a thread that the trace lists and the engine runs.</summary>
    /// <param name="priority">Base priority, 1 to 31.</param>
    /// <param name="startsAt">Where it is before it has run.</param>
    /// <param name="affinity">The CPUs that it may use, one bit each; 0 for those that its process uses.</param>
    /// <param name="owner">Who answers for its time; null for its process.</param>
    /// <param name="idealCpu">The CPU that it prefers; null for each CPU in turn.</param>
    /// <param name="startAddress">Where it began; 0 for where threads of its process usually do.</param>
    public SimulatedThread AddThread(
        InventoryProcess process,
        int priority,
        Func<IEnumerable<Step>> program,
        CodeStretch? startsAt = null,
        UInt128 affinity = default,
        CodeOwner? owner = null,
        int? idealCpu = null,
        ulong startAddress = 0)
    {
        InventoryThread thread = Inventory.AddThread(process, priority, affinity: affinity, startAddress: startAddress);
        return Engine.AddThread(new ThreadOptions
        {
            Process = EngineProcess(process),
            Program = program,
            Priority = priority,
            Affinity = affinity == 0 ? Inventory.CpusOf(process) : affinity,
            Id = thread.Id,
            StartsAt = startsAt ?? Stretch(null, [Stacks.Waiting(process)]),
            Owner = owner,
            IdealCpu = idealCpu,
        });
    }

    /// <summary>One CPU as a mask.</summary>
    public static UInt128 Only(int cpu) => UInt128.One << cpu;

    private KernelCode KernelCodeOf(CodeOwner kernel)
    {
        return new KernelCode
        {
            Owner = kernel,
            Idle = Stretch(null, Several(KernelPoints, Stacks.Idle)),
            InterruptEntry = Code("KiInterruptDispatch"),
            Clock = Code("KeClockInterruptNotify", "KeAccumulateTicks", "KiUpdateRunTime"),
            Profile = Code("KeProfileInterrupt"),
            Ipi = Code("KiIpiInterrupt"),
            RetireDpcs = Code("KiRetireDpcList", "KiTimerExpiration", "KiProcessExpiredTimerList"),
            Dispatcher = Code("KiSwapContext", "KiSwapThread", "KiQuantumEnd"),
        };

        CodeStretch Code(params string[] routines) =>
            Stretch(null, routines.SelectMany(routine => Several(3, () => Stacks.Plain(Stacks.At(routine)))));
    }
}
