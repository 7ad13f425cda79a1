namespace Tracer.Etl;

/// <summary>How many values a TraceLogging field has (bits 5 and 6 of the In byte; TraceLoggingProvider.h).</summary>
public enum TraceLoggingCount : byte
{
    /// <summary>One.</summary>
    One = 0x00,

    /// <summary>As many as the schema says: <see cref="TraceLoggingField.FixedCount"/>.</summary>
    Fixed = 0x20,

    /// <summary>As many as a u16 before them in the payload says.</summary>
    Variable = 0x40,

    /// <summary>As <see cref="Variable"/>, with information on the type in the schema.</summary>
    Custom = 0x60,
}

/// <summary>One field of a TraceLogging event's schema.</summary>
public sealed record TraceLoggingField
{
    /// <summary>A tag has at most so many bits.</summary>
    public const int TagBits = 28;

    /// <summary>A struct has at most so many members.</summary>
    public const int MaximumMembers = 127;

    /// <summary>Makes a field of one value; arrays are made of it with <c>with</c>.</summary>
    /// <param name="name">Its name, without NUL.</param>
    /// <param name="inType">How a value is stored.</param>
    /// <param name="outType">How a value is shown.</param>
    public TraceLoggingField(string name, TraceLoggingInType inType, TraceLoggingOutType outType = TraceLoggingOutType.Default)
    {
        ArgumentNullException.ThrowIfNull(name);
        Name = name;
        InType = inType;
        OutType = outType;
    }

    /// <summary>Its name.</summary>
    public string Name { get; init; }

    /// <summary>How a value is stored.</summary>
    public TraceLoggingInType InType { get; init; }

    /// <summary>How a value is shown; a struct has none.</summary>
    public TraceLoggingOutType OutType { get; init; }

    /// <summary>How many values there are.</summary>
    public TraceLoggingCount Count { get; init; }

    /// <summary>How many values a <see cref="TraceLoggingCount.Fixed"/> array has; at least 1.</summary>
    public ushort FixedCount { get; init; }

    /// <summary>Information on the type of a <see cref="TraceLoggingCount.Custom"/> field.</summary>
    public ReadOnlyMemory<byte> CustomType { get; init; }

    /// <summary>What the provider's tools use it for, 28 bits; 0 is no tag.</summary>
    public uint Tag { get; init; }

    /// <summary>
    /// Members of a <see cref="TraceLoggingInType.Struct"/>, at least 1; in the payload they stand one behind the other, for each value
    /// anew. A member that is a struct counts as one.
    /// </summary>
    public IReadOnlyList<TraceLoggingField> Members { get; init; } = [];

    /// <summary>Makes a struct of one value.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="members">Its members.</param>
    public static TraceLoggingField Struct(string name, params IReadOnlyList<TraceLoggingField> members) =>
        new(name, TraceLoggingInType.Struct) { Members = members };

    /// <summary>The same field with as many values as the payload says.</summary>
    public TraceLoggingField AsArray() => this with { Count = TraceLoggingCount.Variable };

    /// <summary>The same field with so many values.</summary>
    /// <param name="count">How many; at least 1.</param>
    public TraceLoggingField AsArray(ushort count) => this with { Count = TraceLoggingCount.Fixed, FixedCount = count };
}
