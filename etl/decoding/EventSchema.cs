using System.Collections.Immutable;

namespace Tracer.Etl.Decoding;

/// <summary>Who told what an event looks like.</summary>
public enum EventSchemaSource
{
    /// <summary>A table of this library.</summary>
    BuiltIn,

    /// <summary>The manifest that an EventSource wrote into the trace.</summary>
    Manifest,

    /// <summary>The event itself.</summary>
    TraceLogging,

    /// <summary>An EventMetadata record that a merge or relog put into the trace.</summary>
    Metadata,

    /// <summary>A trace message format (TMF) file.</summary>
    Wpp,

    /// <summary>Only the provider's name is known, not the event's fields.</summary>
    ProviderOnly,
}

/// <summary>What one kind of event is called and how its payload is laid out, whichever source told it.</summary>
public sealed class EventSchema
{
    /// <summary>How many fields of a schema others can take their count or length from.</summary>
    public const int MaximumReferences = 64;

    /// <summary>The provider's name.</summary>
    public required string ProviderName { get; init; }

    /// <summary>The event's name: "Task/Opcode" where both are known, else what there is of them.</summary>
    public required string EventName { get; init; }

    /// <summary>Who told it.</summary>
    public required EventSchemaSource Source { get; init; }

    /// <summary>The provider's group; empty where it is in none.</summary>
    public Guid ProviderGroup { get; init; }

    /// <summary>The fields in the order of the payload.</summary>
    public ImmutableArray<FieldDefinition> Fields { get; init; } = [];

    /// <summary>Provider and event: "PerfView/Tracing/Start".</summary>
    public string FullName => field ??= $"{ProviderName}/{EventName}";

    /// <summary>
    /// Names an event of a task and an opcode: an opcode of 0 or without a name is left out, an event without a task is named after its
    /// opcode, and one with neither "EventID(5)".
    /// </summary>
    internal static string NameOf(string? task, string? opcodeName, byte opcode, ushort id)
    {
        string? last = opcode == 0 ? null : opcodeName;
        return (string.IsNullOrEmpty(task), string.IsNullOrEmpty(last)) switch
        {
            (false, false) => $"{task}/{last}",
            (false, true) => task!,
            (true, false) => last!,
            _ => $"EventID({id})",
        };
    }

    /// <summary>The opcodes that every provider shares (winmeta); null for others.</summary>
    internal static string? StandardOpcode(byte opcode) => opcode switch
    {
        1 => "Start",
        2 => "Stop",
        3 => "DC_Start",
        4 => "DC_Stop",
        5 => "Extension",
        6 => "Reply",
        7 => "Resume",
        8 => "Suspend",
        9 => "Send",
        240 => "Receive",
        _ => null,
    };
}
