using Tracer.Capture.Ground;
using Tracer.Capture.Triggers.Events;

namespace Tracer.Capture.Engine;

/// <summary>What the user asked <c>tracer capture</c> for, defaults included: docs/reference/capture.md.</summary>
public sealed record CaptureOptions
{
    /// <summary>Latency at or above this is an episode.</summary>
    public required Duration Threshold { get; init; }

    /// <summary>Where the trace goes; with several episodes each has its number before the extension (<c>FILE-3.etl</c>).</summary>
    public required string OutputPath { get; init; }

    /// <summary>How long to watch; null until <see cref="MaxEpisodes"/> or the user ends it.</summary>
    public Duration? Duration { get; init; }

    /// <summary>
    /// Episodes to capture before ending; null for the default: one, or no limit where <see cref="Duration"/> or
    /// <see cref="KeepWorst"/> is given.
    /// </summary>
    public int? MaxEpisodes { get; init; }

    /// <summary>How much of the time before an episode is kept.</summary>
    public Duration Pre { get; init; } = Tracer.Contract.Defaults.BeforeEpisode;

    /// <summary>How much of the time after the end of an episode is kept.</summary>
    public Duration Post { get; init; } = Tracer.Contract.Defaults.BehindEpisode;

    /// <summary>
    /// What may trigger of what one word names. Where this, events and processes are empty: what the machine offers, the driver where it
    /// runs, else the probe process.
    /// </summary>
    public IReadOnlyList<TriggerKind> Triggers { get; init; } = [];

    /// <summary>Events of other providers that trigger.</summary>
    public IReadOnlyList<EventCondition> Events { get; init; } = [];

    /// <summary>
    /// Processes of which each thread's time from ready to running is measured, or with <see cref="TriggerKind.Job"/> its jobs: names of
    /// images, or ids.
    /// </summary>
    public IReadOnlyList<string> Processes { get; init; } = [];

    /// <summary>A thread of <see cref="Processes"/> that is ready for so long is an episode; null for <see cref="Threshold"/>.</summary>
    public Duration? ProcessLatency { get; init; }

    /// <summary>When a job of <see cref="Processes"/> should be done, after it should have run; null for the next beat.</summary>
    public Duration? Deadline { get; init; }

    /// <summary>Whether what the ring holds is saved when the capture ends by time or by the user.</summary>
    public bool SaveOnExit { get; init; }

    /// <summary>Priority of the probe process's thread: 24 or 28.</summary>
    public int ProbePriority { get; init; } = CaptureDefaults.ProbePriority;

    /// <summary>Sampling interval while we record; what it was before is restored.</summary>
    public Duration ProfileInterval { get; init; } = CaptureDefaults.ProfileInterval;

    /// <summary>Whether our driver may be used.</summary>
    public bool WithDriver { get; init; } = true;

    public bool WithStacks { get; init; } = true;

    /// <summary>Whether contended spin locks are recorded, which costs the machine more than all other events together.</summary>
    public bool WithSpinLocks { get; init; }

    /// <summary>Size of the ring in MiB; null for <see cref="CaptureRingDefault.Mb"/>.</summary>
    public int? BufferMb { get; init; }

    /// <summary>
    /// How many episodes are kept: beyond that only a worse one replaces the least of them. Null for the default:
    /// <see cref="MaxEpisodes"/> where given, else <see cref="CaptureDefaults.KeepWorst"/>.
    /// </summary>
    public int? KeepWorst { get; init; }

    /// <summary>A command to run for each captured episode; null for none.</summary>
    public string? OnEpisode { get; init; }

    /// <summary>Episodes to capture before ending, the default applied; null for no limit.</summary>
    public int? EpisodeLimit => MaxEpisodes ?? (Duration is null && KeepWorst is null ? 1 : null);

    /// <summary>How many episodes are kept, the default applied.</summary>
    public int EpisodesKept => KeepWorst ?? MaxEpisodes ?? CaptureDefaults.KeepWorst;
}
