using Tracer.Capture.Sessions.Native;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Sessions;

/// <param name="Name">Its keyword, as wpr and xperf know it.</param>
/// <param name="Mask">Its value, as in the headers; see <see cref="KernelMasks"/>.</param>
/// <param name="EnableFlag">EVENT_TRACE_FLAG_* that means the same; 0 where only the mask reaches it.</param>
public readonly record struct KernelSwitch(string Name, uint Mask, uint EnableFlag = 0)
{
    private readonly ushort[]? _pulse;

    /// <summary>Hook ids of its records: a machine that runs logs one of them within a second; none where that is no rule.</summary>
    public IReadOnlyList<ushort> Pulse
    {
        get => _pulse ?? [];
        init => _pulse = [.. value];
    }
}

/// <summary>
/// What our sessions record. Values: EVENT_TRACE_FLAG_* are those of evntrace.h, which a test compares; the masks beyond stand in no
/// header of the SDK, but in Microsoft's krabsetw (perfinfo_groupmask.hpp) and in what analyzed traces carry.
/// </summary>
public static class RecordedEvents
{
    private static readonly KernelSwitch Process = new("PROCESS", 0x0000_0001, 0x0000_0001);
    private static readonly KernelSwitch Thread = new("THREAD", 0x0000_0002, 0x0000_0002);
    private static readonly KernelSwitch Loader = new("LOADER", 0x0000_0004, 0x0000_0004);
    private static readonly KernelSwitch Dpc = new("DPC", 0x2000_0080, 0x0000_0020)
    {
        Pulse = [KernelHook.Dpc, KernelHook.TimerDpc, KernelHook.IoTimerDpc, KernelHook.ThreadedDpc],
    };

    private static readonly KernelSwitch Interrupt = new("INTERRUPT", 0x2000_4000, 0x0000_0040)
    {
        Pulse = [KernelHook.Isr, KernelHook.IsrMessageSignalled, KernelHook.PassiveIsr],
    };

    private static readonly KernelSwitch ContextSwitch = new("CSWITCH", 0x2000_0004, 0x0000_0010)
    {
        Pulse = [KernelHook.ContextSwitch, KernelHook.CompactContextSwitch],
    };

    private static readonly KernelSwitch Dispatcher = new("DISPATCHER", 0x2000_0200, 0x0000_0800) { Pulse = [KernelHook.ReadyThread] };
    private static readonly KernelSwitch HardFaults = new("HARD_FAULTS", 0x0000_2000, 0x0000_2000);

    /// <summary>
    /// Each contended acquisition of a spin lock: at a busy machine more records than all others together, taken while others wait for
    /// the lock. On request only.
    /// </summary>
    public static KernelSwitch SpinLocks { get; } = new("SPINLOCK", 0x2001_0000);

    /// <summary>
    /// The recorder: needed ones first. Those without an enable flag came with later builds than the masks themselves; what this Windows
    /// refuses is left out, and reported.
    /// </summary>
    public static IReadOnlyList<KernelSwitch> Recorder { get; } =
    [
        Process,
        Thread,
        Loader,
        Dpc,
        Interrupt,
        ContextSwitch,
        Dispatcher,
        new("PROFILE", Profile, 0x0100_0000) { Pulse = [KernelHook.SampledProfile] },
        HardFaults,
        new("DPC_QUEUE", 0x2004_0000) { Pulse = [KernelHook.DpcEnqueue, KernelHook.DpcExecution] },
        new("WDF_DPC", 0x8100_0000),
        new("WDF_INTERRUPT", 0x8200_0000),
        new("IDLE_STATES", 0x4000_8000),
        new("PPM_EXIT_LATENCY", 0x4400_0000),
        new("POWER", 0x8000_8000),
        new("CLOCKINT", 0x4004_0000) { Pulse = [KernelHook.ClockInterrupt] },
    ];

    /// <summary>All that a session of ours may record.</summary>
    public static IReadOnlyList<KernelSwitch> All { get; } = [.. Recorder, SpinLocks];

    /// <summary>What tells when threads become ready and run, and whose threads they are: for <c>--process</c>.</summary>
    public static IReadOnlyList<KernelSwitch> Scheduling { get; } = [Process, Thread, ContextSwitch, Dispatcher];

    /// <summary>The same, and what interrupts them: for <c>--trigger job</c>.</summary>
    public static IReadOnlyList<KernelSwitch> Jobs { get; } = [.. Scheduling, Dpc, Interrupt];

    /// <summary>What <c>tracer monitor</c> counts, and what names it.</summary>
    public static IReadOnlyList<KernelSwitch> Monitor { get; } = [Process, Thread, Loader, Dpc, Interrupt, HardFaults];

    public static IReadOnlyList<KernelSwitch> Rundown { get; } = [Process, Thread, Loader];

    /// <summary>
    /// Stacks of the recorder: of samples, of who makes a thread ready, of who queues a DPC. The complete list: Windows replaces the one
    /// before.
    /// </summary>
    public static IReadOnlyList<StackRequest> Stacks { get; } =
    [
        new(KernelGroup.PerfInfo, 0x2E),
        new(KernelGroup.Thread, 0x32),
        new(KernelGroup.PerfInfo, 0x64),
    ];

    /// <summary>
    /// Providers of the recorder: our own, and those that blame asks for what the kernel's records do not tell: methods of the firmware,
    /// parked processors, Modern Standby, garbage collections of .NET, glitches of sound and frames. By event id, since the ring is for the
    /// moments that matter: of the audio engine's events hardly any is wanted.
    /// </summary>
    public static IReadOnlyList<ProviderRequest> Providers { get; } =
    [
        new(TracerProvider.Name, TracerProvider.Id, ulong.MaxValue, []),
        new("Microsoft-Windows-Kernel-Acpi", new Guid("c514638f-7723-485b-bcfc-96565d735d4a"), ulong.MaxValue, [7]),
        new(
            "Microsoft-Windows-Kernel-Processor-Power",
            new Guid("0f67e49f-fe51-4e9f-b490-6f2948cc6027"),
            ulong.MaxValue,
            [14, 15, 65],
            AsksState: true),
        new("Microsoft-Windows-Kernel-Power", new Guid("331c3b3a-2005-44c2-ac5e-77220c37d6b4"), ulong.MaxValue, [506, 507]),
        new("Microsoft-Windows-DotNETRuntime", new Guid("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4"), 1, [1, 2, 3, 7, 8, 9])
        {
            // Begin and end of a collection and of its pause are informational (ClrEtwAll.man). A level more would have every runtime on
            // the machine count its allocations for events that the filter throws away.
            Level = EtwConstants.LevelInformation,
        },
        AudioEngine(GlitchKind.IdsOf(GlitchKind.Audio)),
        Compositor,
        new("Microsoft-Windows-DXGI", GlitchKind.Frames, FrameEvents, GlitchKind.IdsOf(GlitchKind.Frames))
        {
            Level = EtwConstants.LevelInformation,
        },
        new("Microsoft-Windows-D3D9", GlitchKind.OldFrames, FrameEvents, GlitchKind.IdsOf(GlitchKind.OldFrames))
        {
            Level = EtwConstants.LevelInformation,
        },
    ];

    /// <summary>What tells of glitches, without the engine's deadlines that it kept: for <c>tracer monitor</c>.</summary>
    public static IReadOnlyList<ProviderRequest> Glitches { get; } = [AudioEngine(GlitchKind.TriggersOf(GlitchKind.Audio)), Compositor];

    private static ProviderRequest Compositor =>
        new("Microsoft-Windows-Dwm-Core", GlitchKind.Compositor, ulong.MaxValue, GlitchKind.IdsOf(GlitchKind.Compositor))
        {
            Level = EtwConstants.LevelInformation,
        };

    /// <summary>The providers' keyword of what happens, not of the objects that there are.</summary>
    private const ulong FrameEvents = 0x2;

    /// <summary>Mask of samples: they want a privilege.</summary>
    internal const uint Profile = 0x2000_0002;

    private static ProviderRequest AudioEngine(IReadOnlyList<ushort> ids) =>
        new("Microsoft-Windows-Audio", GlitchKind.Audio, ulong.MaxValue, ids);

    /// <param name="kind"><see cref="TriggerKind.Dpc"/> or <see cref="TriggerKind.Isr"/>.</param>
    public static KernelSwitch Trigger(TriggerKind kind) => kind switch
    {
        TriggerKind.Dpc => Dpc,
        TriggerKind.Isr => Interrupt,
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "no session triggers on it"),
    };

    public static KernelMasks MasksOf(IEnumerable<KernelSwitch> switches)
    {
        ArgumentNullException.ThrowIfNull(switches);
        KernelMasks masks = default;
        foreach (KernelSwitch one in switches)
        {
            masks.Add(one.Mask);
        }

        return masks;
    }

    /// <summary>What was wanted and is not on, for the trace and the report.</summary>
    public static IReadOnlyList<string> Missing(KernelMasks wanted, KernelMasks granted) =>
        [.. All.Where(one => wanted.Has(one.Mask) && !granted.Has(one.Mask)).Select(static one => one.Name)];

    internal static uint EnableFlagsOf(KernelMasks masks)
    {
        uint flags = 0;
        foreach (KernelSwitch one in All)
        {
            flags |= masks.Has(one.Mask) ? one.EnableFlag : 0;
        }

        return flags;
    }

    /// <summary>
    /// Windows keeps some events that have an enable flag in other words of the masks (DPC: flag 0x20, word 1 bit 0x80). Should it
    /// answer with the flag in word 0 all the same, the event is on.
    /// </summary>
    internal static KernelMasks WithFlagsAsMasks(KernelMasks masks)
    {
        foreach (KernelSwitch one in All)
        {
            if (one.EnableFlag != 0 && (masks[0] & one.EnableFlag) != 0)
            {
                masks.Add(one.Mask);
            }
        }

        return masks;
    }
}
