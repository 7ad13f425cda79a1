namespace Tracer.Capture.Ground;

/// <summary>An episode that was written to a file.</summary>
public sealed record CapturedEpisode
{
    public required int Number { get; init; }

    public required string File { get; init; }

    public required long Bytes { get; init; }

    public required TriggerKind Trigger { get; init; }

    /// <summary>When it began, by the performance counter, which nobody sets.</summary>
    public required long StartQpc { get; init; }

    /// <summary>The same, by the date that the machine had when it was written.</summary>
    public required DateTime StartUtc { get; init; }

    /// <summary>How late it was, or how long it ran.</summary>
    public required Duration Latency { get; init; }

    public required int Cpu { get; init; }

    /// <summary>How much of the time before it the trace covers on all CPUs; less than asked for where the ring was too short.</summary>
    public required Duration PreCovered { get; init; }

    /// <summary>What an analysis of the trace says; null where there was none, or the trace could not be read.</summary>
    public required BlameSummary? Blame { get; init; }

    /// <summary>Who is to blame, the largest share first; empty where nobody is.</summary>
    public required IReadOnlyList<EpisodeSuspect> Suspects { get; init; }

    /// <summary>The verdict on one line, such as <c>driver nic.sys</c>, <c>hardware/firmware</c> or <c>not analysed</c>.</summary>
    public string VerdictLine => Blame switch
    {
        null => "not analysed",
        { Verdict: Verdict.None } => "nobody to blame",
        { Verdict: Verdict.Unknown } => "unknown",
        { Verdict: Verdict.Hardware or Verdict.Power, Culprit: { } name } => name,
        { Culprit: { } name } blame => $"{blame.Verdict.ToString().ToLowerInvariant()} {name}",
        { } blame => blame.Verdict.ToString().ToLowerInvariant(),
    };
}

/// <summary>One who is to blame in one trace.</summary>
public sealed record EpisodeSuspect(string Name, Duration Blamed);
