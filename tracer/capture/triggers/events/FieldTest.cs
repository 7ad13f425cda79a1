using System.Runtime.InteropServices;
using System.Text;
using Tracer.Etl.Decoding;

namespace Tracer.Capture.Triggers.Events;

/// <summary>How a field is compared.</summary>
public enum FieldComparison
{
    Equal,

    NotEqual,

    /// <summary><c>&gt;</c></summary>
    Greater,

    /// <summary><c>&gt;=</c></summary>
    GreaterOrEqual,

    /// <summary><c>&lt;</c></summary>
    Less,

    /// <summary><c>&lt;=</c></summary>
    LessOrEqual,
}

/// <summary>
/// A comparison of one field of an event with a number or a text. Whole numbers are compared exactly, whatever their width and sign; texts
/// without regard to case; a number that has a name in the manifest by either.
/// </summary>
/// <param name="Field">Name of the field; upper case does not matter.</param>
/// <param name="Value">What it is compared with, as the user wrote it.</param>
public sealed record FieldTest(string Field, FieldComparison Comparison, string Value)
{
    private readonly Int128? _whole = WholeOf(Value);
    private readonly double? _number = double.TryParse(Value, NumberStyles.Float, CultureInfo.InvariantCulture, out double number)
        ? number
        : null;

    public bool IsNumber => _whole is not null || _number is not null;

    /// <summary>Whether the comparison asks for an order, which texts do not have here.</summary>
    public bool AsksOrder => Comparison is not (FieldComparison.Equal or FieldComparison.NotEqual);

    /// <summary>Whether a value passes. A kind that can't be compared passes nothing.</summary>
    /// <returns>True if so.</returns>
    public bool Passes(in FieldValue value) => value.Kind switch
    {
        FieldKind.Named when !IsNumber => PassesText(value.Text),
        FieldKind.Boolean when bool.TryParse(Value, out bool wanted) => PassesWhole(value.Bits, wanted ? 1 : 0),
        FieldKind.Signed or FieldKind.FileTime or FieldKind.Ticks => PassesNumber(value.SignedBits, value.SignedBits),
        FieldKind.Unsigned or FieldKind.Hexadecimal or FieldKind.Pointer or FieldKind.CodePointer or FieldKind.Boolean or FieldKind.Named
            or FieldKind.Port => PassesNumber(value.Bits, value.Bits),
        FieldKind.Double => _number is { } number && Passes(value.DoubleBits.CompareTo(number)),
        FieldKind.Utf16Text => PassesText(MemoryMarshal.Cast<byte, char>(value.Bytes)),
        FieldKind.Text8 => PassesText(Encoding.Latin1.GetString(value.Bytes)),
        FieldKind.String => PassesText(value.Text),
        FieldKind.Guid => System.Guid.TryParse(Value, out Guid wanted) && PassesOrder(new Guid(value.Bytes) == wanted ? 0 : 1),
        _ => false,
    };

    private static Int128? WholeOf(string text) =>
        text.StartsWith("0x", StringComparison.OrdinalIgnoreCase)
            ? ulong.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong bits) ? bits : null
            : Int128.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out Int128 whole) ? whole : null;

    private bool PassesNumber(Int128 whole, double number) => _whole is { } wanted
        ? PassesWhole(whole, wanted)
        : _number is { } other && Passes(number.CompareTo(other));

    private bool PassesWhole(Int128 value, Int128 wanted) => Passes(value.CompareTo(wanted));

    private bool PassesText(ReadOnlySpan<char> text) =>
        PassesOrder(text.TrimEnd('\0').Equals(Value, StringComparison.OrdinalIgnoreCase) ? 0 : 1);

    /// <summary>What has no order is equal or is not.</summary>
    private bool PassesOrder(int difference) => !AsksOrder && Passes(difference);

    private bool Passes(int order) => Comparison switch
    {
        FieldComparison.Equal => order == 0,
        FieldComparison.NotEqual => order != 0,
        FieldComparison.Greater => order > 0,
        FieldComparison.GreaterOrEqual => order >= 0,
        FieldComparison.Less => order < 0,
        _ => order <= 0,
    };
}
