using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Platform;

/// <summary>A device of the machine with its driver's ISR and DPC, connected to its vector.</summary>
public sealed class InterruptingDevice
{
    /// <summary>Places that samples hit in an ISR or DPC, each as often as the others.</summary>
    internal const int Points = 12;
    private const ushort FirstOtherVector = 0xB8;

    /// <param name="cpus">The CPUs that take its interrupt; those of the machine's routing where left out.</param>
    /// <param name="isrSteps">What its ISR does, given its code, instead of running for a time.</param>
    /// <param name="manner">What is unusual about it; nothing where left out.</param>
    public InterruptingDevice(
        SimulatedMachine machine,
        DriverShape shape,
        Spread isrLength,
        Spread dpcLength,
        Func<IEnumerable<Step>>? then = null,
        int[]? cpus = null,
        Func<CodeStretch, IEnumerable<Step>>? isrSteps = null,
        DeviceManner? manner = null)
    {
        ArgumentNullException.ThrowIfNull(machine);
        ArgumentNullException.ThrowIfNull(shape);
        ArgumentNullException.ThrowIfNull(isrLength);
        ArgumentNullException.ThrowIfNull(dpcLength);
        MachineInventory inventory = machine.Inventory;
        manner ??= new DeviceManner();
        Then = then;
        CodeOwner owner = machine.OwnerOf(shape.Role, shape.Through);
        InventoryDevice? device = inventory.DeviceOf(shape.Role);
        RandomSequence lengths = machine.Engine.Random($"{shape.Role} lengths");
        CodeFrame[] isrFrames = FramesOf(inventory, shape.IsrFrames);
        CodeFrame[] dpcFrames = FramesOf(inventory, shape.DpcFrames);
        CodeStretch isrCode = SimulatedMachine.Stretch(null, SimulatedMachine.Several(Points, () => machine.Stacks.Isr(isrFrames)));
        CodeFrame[] calls = FramesOf(inventory, shape.Calls);
        int point = 0;
        DpcCode = SimulatedMachine.Stretch(null, SimulatedMachine.Several(Points, () =>
        {
            CodeFrame[] frames = point++ < shape.CalledPoints ? [calls[point % calls.Length], .. dpcFrames] : dpcFrames;
            return manner.IsThreaded ? machine.Stacks.ThreadedDpc(frames) : machine.Stacks.Dpc(frames);
        }));
        Dpc = new Dpc(owner, AddressOf(dpcFrames[^1]), DpcSteps)
        {
            RoutineName = NameOf(dpcFrames[^1]),
            Importance = manner.Importance,
            TargetCpu = manner.DpcCpu,
            IsThreaded = manner.IsThreaded,
        };
        Isr = new Isr(owner, AddressOf(isrFrames[^1]), IsrSteps)
        {
            RoutineName = NameOf(isrFrames[^1]),
            Message = inventory.Build.IsModern ? device?.Message : null,
            NotMine = manner.NotMine is null ? null : NotMineSteps,
        };
        Vector = device?.Vector ?? (ushort)(FirstOtherVector + (int)shape.Role - (int)ImageRole.NetworkMiniport);
        machine.Add(shape.Role, this);
        if (!manner.IsConnectedLater)
        {
            machine.Engine.Connect(Vector, IrqlOf(Vector), cpus ?? machine.CpusOf(shape.Role), Isr);
        }

        IEnumerable<Step> IsrSteps()
        {
            if (shape.IsFrameworkClient)
            {
                yield return Step.WdfCallback(AddressOf(isrFrames[0]), isInterrupt: true);
            }

            foreach (Step step in isrSteps?.Invoke(isrCode) ?? [Step.Run(isrCode, isrLength.Next(lengths))])
            {
                yield return step;
            }

            if (manner.DpcPart == 1 || lengths.NextFraction() < manner.DpcPart)
            {
                yield return Step.Queue(Dpc);
            }

            if (manner.OwnDpc is Dpc own && lengths.NextFraction() < manner.OwnDpcPart)
            {
                yield return Step.Queue(own);
            }
        }

        IEnumerable<Step> NotMineSteps()
        {
            if (shape.IsFrameworkClient)
            {
                yield return Step.WdfCallback(AddressOf(isrFrames[0]), isInterrupt: true);
            }

            foreach (Step step in manner.NotMine(isrCode))
            {
                yield return step;
            }
        }

        IEnumerable<Step> DpcSteps()
        {
            if (shape.IsFrameworkClient)
            {
                yield return Step.WdfCallback(AddressOf(dpcFrames[0]));
            }

            long length = NextDpcNs;
            NextDpcNs = 0;
            yield return Step.Run(DpcCode, length > 0 ? length : dpcLength.Next(lengths));
            foreach (Step step in Then?.Invoke() ?? [])
            {
                yield return step;
            }
        }
    }

    /// <summary>Its ISR; <see cref="Machine.Raise"/> interrupts.</summary>
    public Isr Isr { get; }

    public Dpc Dpc { get; }

    public ushort Vector { get; }

    /// <summary>What its DPC does at its end; null for nothing.</summary>
    public Func<IEnumerable<Step>>? Then { get; set; }

    public CodeStretch DpcCode { get; }

    /// <summary>What its DPC signals at its end besides; null where it signals nothing else.</summary>
    public Queue<KernelEvent>? Finished { get; set; }

    /// <summary>How long its next DPC runs, once, in nanoseconds; 0 for as long as usual.</summary>
    public long NextDpcNs { get; set; }

    public static int IrqlOf(ushort vector) => Math.Clamp(vector >> 4, Irql.LowestDevice, Irql.HighestDevice);

    public static ulong AddressOf(in CodeFrame frame) => frame.Image.Routine(frame.Routine);

    /// <summary>Name of the routine that a frame is in, as reports without symbols write it.</summary>
    public static string NameOf(in CodeFrame frame) => frame.Image.Describe(AddressOf(frame));

    private static CodeFrame[] FramesOf(MachineInventory inventory, IReadOnlyList<(ImageRole Role, string Routine)> frames) =>
        [.. frames.Select(frame => new CodeFrame(inventory[frame.Role], frame.Routine))];
}

/// <summary>What is unusual about a device's interrupt handling.</summary>
public sealed record DeviceManner
{
    public DpcImportance Importance { get; init; } = DpcImportance.Medium;

    /// <summary>The CPU that its DPC is to run on; null for the one that took the interrupt.</summary>
    public int? DpcCpu { get; init; }

    /// <summary>Its DPC runs in a thread of priority 31.</summary>
    public bool IsThreaded { get; init; }

    /// <summary>What its ISR does, given its code, when another device of a shared line has interrupted; null for nothing.</summary>
    public Func<CodeStretch, IEnumerable<Step>>? NotMine { get; init; }

    /// <summary>How often its ISR queues the DPC, 0 to 1.</summary>
    public double DpcPart { get; init; } = 1;

    /// <summary>Another DPC that its ISR queues; null for none.</summary>
    public Dpc? OwnDpc { get; init; }

    /// <summary>How often, 0 to 1.</summary>
    public double OwnDpcPart { get; init; } = 1;

    /// <summary>The scenario connects its ISR itself, to a line that it shares.</summary>
    public bool IsConnectedLater { get; init; }
}
