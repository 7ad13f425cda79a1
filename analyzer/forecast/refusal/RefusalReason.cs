using System.Text.Json.Serialization;

namespace Tracer.Forecast;

/// <summary>Why nothing is forecast.</summary>
[JsonConverter(typeof(KebabCaseConverter<RefusalReason>))]
public enum RefusalReason
{
    /// <summary>No wait was measured.</summary>
    NothingMeasured,

    /// <summary>Too few waits or too little time was observed.</summary>
    TooShort,

    /// <summary>What is above a threshold are too few disturbances.</summary>
    FewClusters,

    /// <summary>Too many latencies are equal: the clock's steps, not the machine, make the tail.</summary>
    Ties,

    /// <summary>Disturbances became more or fewer while it was measured.</summary>
    CountsChange,

    /// <summary>Disturbances became longer or shorter while it was measured.</summary>
    SizesChange,

    /// <summary>No threshold was found above which latencies look like the tail of one distribution.</summary>
    NoThreshold,

    /// <summary>The tail falls so slowly that no bound can be told.</summary>
    HeavyTail,

    /// <summary>The shape of the tail is another the farther out it is looked at.</summary>
    TailNotStable,

    /// <summary>The longest latencies are of another kind than the rest of the tail.</summary>
    MixedTail,

    /// <summary>The time asked is too long beside what was observed.</summary>
    TooFar,

    /// <summary>The level has no interval, or one wider than ten times.</summary>
    NoInterval,

    /// <summary>Peaks over a threshold and block maxima tell different levels: one of them fits what it should not.</summary>
    MethodsDisagree,

    /// <summary>Reports were merged: nothing tells when which latency was.</summary>
    NoTimes,
}

/// <param name="Sentence">Why, with its numbers, as one sentence without a full stop.</param>
public sealed record Refusal(RefusalReason Reason, string Sentence);
