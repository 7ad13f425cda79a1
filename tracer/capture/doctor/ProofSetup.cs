using Tracer.Capture.Engine;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Doctor;

/// <summary>What a proof needs of the machine; Windows, or a fake of it.</summary>
public sealed record ProofSetup
{
    /// <summary>So many episodes of other people's making it looks at before it gives up.</summary>
    public const int MostEpisodes = 4;

    /// <summary>The machine, as the engine needs it.</summary>
    public required CaptureMachine Machine { get; init; }

    public required Func<CaptureOptions, IReadOnlyList<ITriggerSource>> Triggers { get; init; }

    public required IDelayMaker Delay { get; init; }

    public required ITraceTally Own { get; init; }

    public required ITraceTally System { get; init; }

    /// <summary>Analyses a trace; null from it where that could not be done.</summary>
    public required Func<string, BlameReport?> Blame { get; init; }

    /// <summary>Where files go meanwhile; the caller removes it.</summary>
    public required string Folder { get; init; }

    /// <summary>Latency from which an episode is captured: half of what is provoked, and far above what is usual.</summary>
    public Duration Threshold { get; init; } = Duration.FromMilliseconds(4);

    public Duration Patience { get; init; } = Duration.FromSeconds(20);
}

/// <summary>What a proof came to; null where a step could not be tried, or failed.</summary>
public sealed record ProofFindings
{
    public const string TraceName = "proof.etl";

    public required ProofDelay Delay { get; init; }

    public CapturedEpisode? Episode { get; init; }

    public BlameReport? Blame { get; init; }

    public ProofTally? Ours { get; init; }

    public ProofTally? Windows { get; init; }

    public IReadOnlyList<TallyDifference>? Differences { get; init; }
}
