using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// What the latencies of one kind and source, or of one group of priorities of them, allow to say about longer times and about
/// applications. Valid for the measured workload only.
/// </summary>
public sealed record LatencyForecast
{
    /// <summary>From where to where the latencies count.</summary>
    public required LatencyKind Kind { get; init; }

    public required LatencySource Source { get; init; }

    /// <summary>The group of priorities that they are of; absent where they are all of their kind.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public PriorityGroup? Group { get; init; }

    /// <summary>
    /// The periodic thread that it is of, <c>audiodg.exe, tid 5312</c>: its jobs' responses against its own period. Absent where it is of
    /// many threads.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Thread { get; init; }

    /// <summary>
    /// The names of the traces that it is of; absent where it is of all of the report. A report that was merged keeps the forecasts of
    /// others as they were made.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Trace { get; init; }

    /// <summary>
    /// From one wait to the next of a CPU, where a timer asked for them, or of a periodic thread; absent where they are not periodic, or of
    /// several periods.
    /// </summary>
    [JsonPropertyName("periodUs")]
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Duration? Period { get; init; }

    /// <summary>How many waits were measured.</summary>
    public required long Waits { get; init; }

    /// <summary>For how long was measured: all traces without the time that records are missing from.</summary>
    [JsonPropertyName("observedUs")]
    public required Duration Observed { get; init; }

    /// <summary>How much use a day and a week have, as <c>--usage</c> takes it.</summary>
    public required string Usage { get; init; }

    /// <summary>The worst cases in an hour, a day and a week of use.</summary>
    public required IReadOnlyList<WorstCaseForecast> WorstCases { get; init; }

    /// <summary>How the levels of peaks over a threshold came about.</summary>
    public required ExtremeMethod PeaksOverThreshold { get; init; }

    /// <summary>How the levels of block maxima came about.</summary>
    public required ExtremeMethod BlockMaxima { get; init; }

    /// <summary>How often applications drop out, for who plays on them; one sentence for those that were asked for together.</summary>
    public IReadOnlyList<string> Sentences { get; init; } = [];

    /// <summary>What applications can bear; empty where none was asked for.</summary>
    public IReadOnlyList<ToleranceForecast> Applications { get; init; } = [];

    /// <summary>Whether a set of periodic tasks keeps up; empty where none was asked for.</summary>
    public IReadOnlyList<TaskForecast> Tasks { get; init; } = [];

    /// <summary>
    /// What the first half of the measured time forecasts of the second, and whether that came; empty where it is too short.
    /// </summary>
    public IReadOnlyList<ForecastSelfTest> SelfTests { get; init; } = [];
}

/// <summary>The worst case in a time of use.</summary>
public sealed record WorstCaseForecast
{
    /// <summary><c>hour</c>, <c>day</c> or <c>week</c>.</summary>
    public required string Per { get; init; }

    [JsonPropertyName("useUs")]
    public required Duration Use { get; init; }

    /// <summary>The mean longest latency in so much of the observed time; null where less was observed.</summary>
    [JsonPropertyName("expectedUs")]
    public required Duration? Expected { get; init; }

    /// <summary>The longest latency that was observed at all.</summary>
    [JsonPropertyName("observedUs")]
    public required Duration? Observed { get; init; }

    /// <summary>The latency that is exceeded once in it, by peaks over a threshold; null where that method refuses.</summary>
    public required ReturnLevelForecast? PeaksOverThreshold { get; init; }

    public required ReturnLevelForecast? BlockMaxima { get; init; }
}

/// <summary>A latency that is exceeded on average once in a time of use, with its 95 % interval, or why it is not told.</summary>
public sealed record ReturnLevelForecast
{
    /// <summary>The latency; null where it is refused.</summary>
    [JsonPropertyName("levelUs")]
    public required Duration? Level { get; init; }

    [JsonPropertyName("lowUs")]
    public required Duration? Low { get; init; }

    /// <summary>High end of the interval; null with a level where none can be told.</summary>
    [JsonPropertyName("highUs")]
    public required Duration? High { get; init; }

    /// <summary>Why it is refused; null where it is not.</summary>
    public required string? Refusal { get; init; }
}

/// <summary>How a method of extreme-value theory came to its levels.</summary>
public sealed record ExtremeMethod
{
    /// <summary>Why it says nothing; null where it does. The word is one of docs/use/forecast.md.</summary>
    public required string? Reason { get; init; }

    /// <summary>The same as a sentence.</summary>
    public required string? Refusal { get; init; }

    /// <summary>The threshold, or the length of a block.</summary>
    [JsonPropertyName("choiceUs")]
    public required Duration? Choice { get; init; }

    /// <summary>How many latencies are above the threshold, or how many blocks there are.</summary>
    public required int Count { get; init; }

    /// <summary>How many disturbances these are.</summary>
    public required int Clusters { get; init; }

    /// <summary>The shape of the tail, xi; null where none was fitted.</summary>
    public required decimal? Shape { get; init; }

    [JsonPropertyName("scaleUs")]
    public required Duration? Scale { get; init; }
}

/// <summary>What an application can bear.</summary>
public sealed record ToleranceForecast
{
    /// <summary>What it is called: <c>64 samples at 48 kHz</c>.</summary>
    public required string Name { get; init; }

    public required int Buffers { get; init; }

    [JsonPropertyName("bufferUs")]
    public required Duration Buffer { get; init; }

    [JsonPropertyName("computeUs")]
    public required Duration Compute { get; init; }

    /// <summary>What the other buffers hold.</summary>
    [JsonPropertyName("toleranceUs")]
    public required Duration Tolerance { get; init; }

    /// <summary>The tolerance without the time for computing: how late the application may start.</summary>
    [JsonPropertyName("slackUs")]
    public required Duration Slack { get; init; }

    /// <summary>How many of the waits take longer than the slack.</summary>
    public required long Late { get; init; }

    /// <summary>One wait in so many does; null where none does.</summary>
    public required decimal? OnceInWaits { get; init; }

    /// <summary>The same as a time, at one wait for each buffer (Cota-Robles &amp; Held 4.3); null where none does.</summary>
    [JsonPropertyName("everyUs")]
    public Duration? Every { get; init; }

    /// <summary>Dropouts in an hour of use.</summary>
    public required decimal DropoutsPerHour { get; init; }

    /// <summary>Low end of the 95 % interval.</summary>
    public required decimal LowPerHour { get; init; }

    public required decimal HighPerHour { get; init; }

    /// <summary>Whether these are the replay's: it tells another number than the interval of the waits.</summary>
    public bool ByReplay { get; init; }

    /// <summary>
    /// Variance over mean of the number of late waits: 1 where they come alone, more where they come in bursts. Null where nothing tells
    /// when they were; the interval is then that of waits that come alone.
    /// </summary>
    public required decimal? Dispersion { get; init; }

    /// <summary>The mean time to underrun as Cota-Robles &amp; Held 5 have it; null where no wait was late.</summary>
    [JsonPropertyName("underrunUs")]
    public required Duration? Underrun { get; init; }

    /// <summary>The same for other amounts of buffering, n at 2, 3, ... (figures 6 and 7).</summary>
    public required IReadOnlyList<UnderrunPoint> Curve { get; init; }

    /// <summary>
    /// The computation replayed against the measured waits; null where no thread's waits were measured, or nothing tells when they were.
    /// </summary>
    public required ReplayForecast? Replay { get; init; }

    /// <summary>The sentence for who plays on it.</summary>
    public required string Sentence { get; init; }
}

/// <summary>A point of the curve of mean times to underrun.</summary>
/// <param name="Underrun">The mean time to underrun; null where no wait was late.</param>
public sealed record UnderrunPoint(
    int Buffers,
    [property: JsonPropertyName("bufferingUs")] Duration Buffering,
    [property: JsonPropertyName("underrunUs")] Duration? Underrun);

/// <summary>A periodic computation replayed against the measured waits.</summary>
/// <param name="Cycles">Buffers that it computed, on all CPUs and at all phases tried; null where refused.</param>
/// <param name="Missed">Those that were done too late.</param>
/// <param name="Worst">The longest time from when a buffer was due until it was done.</param>
/// <param name="Above">Waits that are shorter than this took no part.</param>
/// <param name="Covered">The part of the time, 0 to 1, in which waits follow each other within the period.</param>
/// <param name="Refusal">Why nothing was replayed: waits cover too little of the time; null where it was.</param>
public sealed record ReplayForecast(
    long? Cycles,
    long? Missed,
    [property: JsonPropertyName("worstUs")] Duration? Worst,
    [property: JsonPropertyName("aboveUs")] Duration Above,
    decimal? Covered = null,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Refusal = null);

/// <summary>A forecast from the first half of what was measured, held against the second half.</summary>
public sealed record ForecastSelfTest
{
    /// <summary>The application whose late waits were counted; null for the longest latency of all.</summary>
    public required string? Name { get; init; }

    /// <summary>The forecast: at least so many late waits in the second half.</summary>
    public long? LateLow { get; init; }

    public long? LateHigh { get; init; }

    /// <summary>So many there were.</summary>
    public long? Late { get; init; }

    /// <summary>The forecast: no latency of the second half is longer.</summary>
    [JsonPropertyName("atMostUs")]
    public Duration? AtMost { get; init; }

    [JsonPropertyName("longestUs")]
    public Duration? Longest { get; init; }

    public required bool IsHit { get; init; }
}

/// <summary>Whether a periodic task keeps up.</summary>
public sealed record TaskForecast
{
    public required string Name { get; init; }

    [JsonPropertyName("periodUs")]
    public required Duration Period { get; init; }

    [JsonPropertyName("computeUs")]
    public required Duration Compute { get; init; }

    public required int Buffers { get; init; }

    /// <summary>
    /// The latency that is exceeded as seldom as a dropout is permitted, at one wait for each period of the task; null where too little was
    /// measured for that.
    /// </summary>
    [JsonPropertyName("rareUs")]
    public required Duration? Rare { get; init; }

    /// <summary>Low end of its 95 % interval: what does not keep up does not even so.</summary>
    [JsonPropertyName("rareLowUs")]
    public Duration? RareLow { get; init; }

    /// <summary>High end of it, with which a task keeps up; null where it has none.</summary>
    [JsonPropertyName("rareHighUs")]
    public Duration? RareHigh { get; init; }

    /// <summary>The pseudo worst case made of the high end.</summary>
    [JsonPropertyName("pseudoWorstUs")]
    public required Duration? PseudoWorst { get; init; }

    /// <summary>From when it is due until it is done, at worst; null where it does not keep up.</summary>
    [JsonPropertyName("responseUs")]
    public required Duration? Response { get; init; }

    /// <summary>Whether that is within its period; null where it is not told.</summary>
    public required bool? KeepsUp { get; init; }

    /// <summary>Why it is not told, as a sentence without a full stop; absent where it is.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Refusal { get; init; }
}
