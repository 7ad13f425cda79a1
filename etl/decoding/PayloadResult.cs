namespace Tracer.Etl.Decoding;

/// <summary>How far a payload and its schema agree.</summary>
public enum PayloadOutcome
{
    /// <summary>Nothing is known about the event; no fields were given.</summary>
    Unknown,

    /// <summary>Every field was given and no byte was left.</summary>
    Complete,

    /// <summary>The payload ended before the schema did; the fields that fit were given.</summary>
    Short,

    /// <summary>Every field was given, and bytes were left: a newer version of the event, or a wrong schema.</summary>
    BytesLeft,

    /// <summary>A field cannot be walked over: its type is unknown, or sizes make no sense. The fields before it were given.</summary>
    Undecodable,

    /// <summary>
    /// The description makes more text of the payload than a payload of its length may give: names of elements without bytes, as a rule.
    /// The fields before that were given.
    /// </summary>
    Excessive,
}

/// <summary>What became of a payload.</summary>
/// <param name="Outcome">How far payload and schema agree.</param>
/// <param name="BytesRead">Bytes that fields took.</param>
/// <param name="BytesLeft">Bytes behind them.</param>
public readonly record struct PayloadResult(PayloadOutcome Outcome, int BytesRead, int BytesLeft)
{
    /// <summary>Nothing is known about an event with this many bytes.</summary>
    internal static PayloadResult Unknown(int payloadBytes) => new(PayloadOutcome.Unknown, 0, payloadBytes);
}
