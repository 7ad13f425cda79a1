using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>A moment at which Windows itself recorded that something was late, and what the trace shows of it.</summary>
public sealed record Glitch
{
    /// <summary>1-based number in order of time, as <c>--at glitch:N</c> takes it.</summary>
    public required int Number { get; init; }

    /// <summary>When the first record was written.</summary>
    [JsonPropertyName("atUs")]
    public required Duration At { get; init; }

    /// <summary>Whether it was heard; else it was seen.</summary>
    public required bool Sound { get; init; }

    /// <summary>Who was late, by the first record.</summary>
    public required GlitchSide Side { get; init; }

    /// <summary>The process that wrote the first record; null when unknown.</summary>
    public required string? Process { get; init; }

    /// <summary>All that Windows recorded of it. How these are read rests on public sources; no real bytes have confirmed it.</summary>
    public required IReadOnlyList<GlitchTold> Records { get; init; }

    /// <summary>What Windows recorded of it, in one line.</summary>
    [JsonIgnore]
    public string Says => string.Join("; ", Records.Select(one => one.Says));

    /// <summary>The episode that explains it, by its id; null where nothing that the trace holds was late then.</summary>
    public required int? Episode { get; init; }

    /// <summary>Who had the largest part of that episode; null where nobody is known.</summary>
    public required string? Culprit { get; init; }

    /// <summary>What was on time, as one sentence; absent where nothing is known to have been, and where something explains it.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? OnTime { get; init; }

    /// <summary>
    /// What else the trace shows of those whose turn it was, as sentences: who was late though nothing here explains it, of whom that is
    /// not known, and how long before the record they were done. Absent where there is nothing to add.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? ByTrace { get; init; }

    /// <summary>Where the records and the trace tell different things, as one sentence; absent where they agree.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Disagrees { get; init; }
}

/// <summary>One of Windows' records of a glitch.</summary>
/// <param name="Event">Provider, id and name of the event.</param>
public sealed record GlitchTold([property: JsonPropertyName("atUs")] Duration At, string Event, string Says);

/// <summary>How many glitches Windows recorded, and by whom they are.</summary>
public sealed record GlitchCounts
{
    /// <summary>Those that were heard.</summary>
    public required long Audio { get; init; }

    /// <summary>Those that were seen: frames that the compositor missed.</summary>
    public required long Frames { get; init; }

    /// <summary>Marks that a person set when something was heard or seen, where glitches alone are asked for; absent for 0.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long Marks { get; init; }

    /// <summary>Those that nothing in the trace explains.</summary>
    public required long Unexplained { get; init; }

    /// <summary>Those that something late explains of which the owner is not known.</summary>
    public required long Unowned { get; init; }

    /// <summary>The others by culprit, the most first.</summary>
    public required IReadOnlyList<GlitchesOf> By { get; init; }

    /// <summary>Records beyond those that are kept; absent where there are none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long More { get; init; }

    /// <summary>How many the audio engine counted itself; absent where it did not tell.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long CountedByEngine { get; init; }

    /// <summary>How often the audio engine told that there were too many; absent for 0.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long TooMany { get; init; }

    [JsonIgnore]
    public long All => Audio + Frames + Marks;

    /// <summary>
    /// What the engine told of glitches without their moments: <c>it counted 84 glitches</c>; empty where it told nothing.
    /// </summary>
    public static string EngineWords(long counted, long tooMany) => string.Join(" and ", new[]
    {
        counted > 0 ? $"counted {Counted.Of(counted, "glitch")}" : null,
        tooMany > 0 ? $"said {(tooMany == 1 ? "once" : $"{Counted.Of(tooMany, "time")}")} that there were too many" : null,
    }.Where(static one => one is not null));

    /// <summary>What was recorded: <c>14 audio glitches</c>, <c>3 missed frames</c>.</summary>
    [JsonIgnore]
    public string Words => WordsOf(Audio, Frames, Marks);

    /// <summary>The words for so many glitches that were heard, seen and marked; empty for none.</summary>
    public static string WordsOf(long audio, long frames, long marks = 0) => string.Join(" and ", new[]
    {
        audio > 0 ? Counted.Of(audio, "audio glitch") : null,
        frames > 0 ? Counted.Of(frames, "missed frame") : null,
        marks > 0 ? Counted.Of(marks, "mark") : null,
    }.Where(static one => one is not null));
}

/// <param name="Name">The culprit.</param>
/// <param name="Count">How many glitches are by it.</param>
public sealed record GlitchesOf(string Name, long Count);
