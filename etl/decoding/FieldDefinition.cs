using System.Collections.Immutable;

namespace Tracer.Etl.Decoding;

/// <summary>Where the number of elements or the length of a field comes from.</summary>
public enum FieldSizeKind
{
    /// <summary>Not given: one element; the length that the in-type has by itself.</summary>
    Natural,

    /// <summary>A number in the schema.</summary>
    Fixed,

    /// <summary>The value of an earlier integer field.</summary>
    FromField,

    /// <summary>A u16 in the payload before the field.</summary>
    Prefixed,
}

/// <summary>A number of elements or a length: where it comes from, and the number or the field.</summary>
/// <param name="Kind">Where it comes from.</param>
/// <param name="Value">The number of a fixed one; <see cref="FieldDefinition.Number"/> of the field that holds it.</param>
public readonly record struct FieldSize(FieldSizeKind Kind, int Value)
{
    /// <summary>Not given.</summary>
    public static FieldSize Natural => default;

    /// <summary>A u16 before the field.</summary>
    public static FieldSize Prefixed => new(FieldSizeKind.Prefixed, 0);

    /// <summary>A number.</summary>
    public static FieldSize Fixed(int value) => new(FieldSizeKind.Fixed, value);

    /// <summary>The value of the field with this <see cref="FieldDefinition.Number"/>.</summary>
    public static FieldSize FromField(int number) => new(FieldSizeKind.FromField, number);
}

/// <summary>One field of a payload: how it is stored and how it is to be shown, whichever source told it.</summary>
public sealed class FieldDefinition
{
    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>How it is stored.</summary>
    public required FieldInType InType { get; init; }

    /// <summary>How it is to be shown.</summary>
    public FieldOutType OutType { get; init; }

    /// <summary>How many elements; anything but <see cref="FieldSizeKind.Natural"/> makes the field an array.</summary>
    public FieldSize Count { get; init; }

    /// <summary>How long each element is: characters of strings, bytes of binary. Not looked at for other types.</summary>
    public FieldSize Length { get; init; }

    /// <summary>
    /// By which number counts and lengths of later fields refer to this one's value; negative when none does. At most
    /// <see cref="EventSchema.MaximumReferences"/> fields of a schema can have one.
    /// </summary>
    public int Number { get; init; } = -1;

    /// <summary>Members of a <see cref="FieldInType.Struct"/>.</summary>
    public ImmutableArray<FieldDefinition> Members { get; init; } = [];

    /// <summary>Names of its values.</summary>
    public ValueMap? Map { get; init; }
}
