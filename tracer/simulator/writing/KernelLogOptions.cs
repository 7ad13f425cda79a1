using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>How a kernel session is recorded.</summary>
public sealed record KernelLogOptions
{
    /// <summary>What is recorded; what the machine's Windows does not know is not.</summary>
    public RecordKinds Kinds { get; init; } = RecordKinds.Usual;

    public StackedKinds Stacks { get; init; } = StackedKinds.All;

    /// <summary>Whether stacks are stored once each and named by a key (Windows 10 and later) instead of whole behind each event.</summary>
    public bool UsesStackKeys { get; init; }

    /// <summary>When processes, threads and images are listed.</summary>
    public Rundowns Rundown { get; init; } = Rundowns.Both;

    /// <summary>Whether the file is a merged one: with identities and versions of images and more about the system.</summary>
    public bool IsMerged { get; init; } = true;

    /// <summary>Whether Windows 7's merger wrote the merged file; not with <see cref="Compress"/>.</summary>
    public bool IsWindows7Merge { get; init; }

    /// <summary>Whether buffers are compressed; not with <see cref="RingBuffers"/>.</summary>
    public bool Compress { get; init; }

    /// <summary>Data buffers after which a circular file overwrites its oldest; 0 for a file that keeps all.</summary>
    public int RingBuffers { get; init; }

    /// <summary>Size of a buffer in bytes, a multiple of 1024.</summary>
    public int BufferBytes { get; init; } = 64 * 1024;

    /// <summary>Time between two samples of a CPU in nanoseconds; a multiple of 100.</summary>
    public long SampleIntervalNs { get; init; } = 1_000_000;

    /// <summary>Rate of the performance counter in Hz; null for what the machine's Windows and the seed give.</summary>
    public long? TicksPerSecond { get; init; }

    /// <summary>When the recording began, UTC; null for a day that follows the seed.</summary>
    public DateTime? BeganUtc { get; init; }

    /// <summary>
    /// How often the time stamps move on, in nanoseconds, where they are the system time; 0 for the performance counter.
    /// </summary>
    public long SystemTimeStepNs { get; init; }

    public IReadOnlyList<SimulatedLoss> Losses { get; init; } = [];

    /// <summary>Options of the kinds that recordings have, by lot: rundown, merging, keys of stacks, buffers.</summary>
    public static KernelLogOptions Draw(ulong seed, WindowsBuild build)
    {
        ArgumentNullException.ThrowIfNull(build);
        var random = new RandomSequence(seed, "recording");
        bool isMerged = random.Happens(0.75);
        bool isWindows7 = isMerged && !build.IsModern && new RandomSequence(seed, "merger").Happens(0.7);
        return new KernelLogOptions
        {
            Rundown = random.OneOf(Rundowns.End, Rundowns.End, Rundowns.Both, Rundowns.Both, Rundowns.Start),
            IsMerged = isMerged,
            IsWindows7Merge = isWindows7,
            Compress = isMerged && random.Happens(0.5) && !isWindows7,
            UsesStackKeys = build.IsModern && random.Happens(0.4),
            BufferBytes = 1024 * random.OneOf(32, 64, 64, 64, 128, 256, 512, 1024),
        };
    }
}

/// <summary>Something that a session lost.</summary>
/// <param name="TimeNs">When the loss begins, in nanoseconds since the machine was started.</param>
/// <param name="Events">How many events are lost one after the other; 0 where whole buffers are.</param>
/// <param name="Buffers">How many buffers are lost, with all that would have filled them; 0 where single events are.</param>
public readonly record struct SimulatedLoss(long TimeNs, int Cpu, uint Events, uint Buffers = 0);
