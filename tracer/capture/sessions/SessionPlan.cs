using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

public enum SessionRole
{
    /// <summary>System logger that keeps everything in a ring of memory (EVENT_TRACE_BUFFERING_MODE); written out by snapshots.</summary>
    Recorder,

    /// <summary>System logger, real-time, narrow: what a trigger or the monitor asks for.</summary>
    Trigger,

    /// <summary>
    /// Real-time as well, of providers other than the kernel: no system logger, so that it takes none of their eight places.
    /// </summary>
    Events,

    /// <summary>System logger into a file, started and stopped after a snapshot: what images, processes and threads there are.</summary>
    Rundown,
}

/// <summary>A kernel event whose stack is wanted (CLASSIC_EVENT_ID).</summary>
/// <param name="Group">Group of the event; its class GUID goes to Windows.</param>
public readonly record struct StackRequest(KernelGroup Group, byte Opcode);

/// <summary>A provider whose events are wanted besides the kernel's.</summary>
/// <param name="Keywords">Which of its events: any of these bits.</param>
/// <param name="EventIds">Which of these, by id; empty for all.</param>
/// <param name="AsksState">Whether it is asked to log how things stand, since its other events tell of changes only.</param>
public sealed record ProviderRequest(
    string Name, Guid Id, ulong Keywords, IReadOnlyList<ushort> EventIds, bool AsksState = false)
{
    /// <summary>TRACE_LEVEL_*: what is more talkative stays out, and costs its provider nothing.</summary>
    public byte Level { get; init; } = EtwConstants.LevelVerbose;
}

public sealed record SessionPlan
{
    /// <summary>Name of the session; all of ours begin with <see cref="NamePrefix"/>.</summary>
    public required string Name { get; init; }

    public required SessionRole Role { get; init; }

    /// <summary>Size of a buffer in KiB.</summary>
    public required int BufferKb { get; init; }

    /// <summary>Buffers: of the ring for a recorder (MinimumBuffers), the least for others.</summary>
    public required int Buffers { get; init; }

    /// <summary>Kernel events wanted.</summary>
    public required KernelMasks Masks { get; init; }

    /// <summary>Kernel events whose stacks are wanted: the complete list.</summary>
    public IReadOnlyList<StackRequest> Stacks { get; init; } = [];

    /// <summary>Providers whose events go in as well.</summary>
    public IReadOnlyList<ProviderRequest> Providers { get; init; } = [];

    /// <summary>
    /// Whether the machine is described when the session stops (0x0Bxx records): a query of each device, seconds on some machines.
    /// </summary>
    public bool WithConfiguration { get; init; }

    /// <summary>The file of a rundown; null for the others.</summary>
    public string? FilePath { get; init; }

    public const string NamePrefix = "Tracer.";
}
