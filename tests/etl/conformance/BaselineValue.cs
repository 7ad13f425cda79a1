using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>Whether a value in TraceEvent's form is the value that was decoded here.</summary>
internal static class BaselineValue
{
    private const string Cut = "...";

    public static bool IsSame(string expected, DecodedField field) => field.Kind switch
    {
        FieldKind.Null => expected.Length == 0,
        FieldKind.FileTime => IsSameText(expected, DateText((long)field.Bits)),
        FieldKind.SystemTime => IsSameText(expected, DateText(field.Text)),
        FieldKind.Boolean => expected is "True" or "False" ? (expected == "True") == (field.Bits != 0) : IsSameNumber(expected, field),
        FieldKind.Named => IsSameName(expected, field) || IsSameNumber(expected, field),
        FieldKind.Unsigned or FieldKind.Signed or FieldKind.Hexadecimal or FieldKind.Pointer or FieldKind.CodePointer or FieldKind.Port
            or FieldKind.Ticks => IsSameNumber(expected, field),
        _ => IsSameText(expected, field.Text),
    };

    /// <summary>Compares text, of which TraceEvent prints no more than the start.</summary>
    public static bool IsSameText(string expected, string actual) => expected.EndsWith(Cut, StringComparison.Ordinal)
        ? actual.StartsWith(expected[..^Cut.Length], StringComparison.Ordinal)
        : expected == actual;

    /// <summary>A FILETIME as TraceEvent prints it, in UTC; the zone of its machine is told by TraceFacts.</summary>
    public static string DateText(long fileTime) => fileTime < 0 || fileTime > DateTime.MaxValue.ToFileTimeUtc()
        ? ""
        : DateTime.FromFileTimeUtc(fileTime).ToString("yy/MM/dd HH:mm:ss.ffffff", CultureInfo.InvariantCulture);

    /// <summary>A number with separators between thousands.</summary>
    public static string NumberText(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    private static string DateText(string systemTime) =>
        DateTime.ParseExact(systemTime, "yyyy-MM-ddTHH:mm:ss.fff", CultureInfo.InvariantCulture)
            .ToString("yy/MM/dd HH:mm:ss.ffffff", CultureInfo.InvariantCulture);

    // Flags are joined with ", " there and "|" here.
    private static bool IsSameName(string expected, DecodedField field) =>
        IsSameText(expected, field.Text) || IsSameText(expected, field.Text.Replace("|", ", ", StringComparison.Ordinal));

    private static bool IsSameNumber(string expected, DecodedField field)
    {
        if (expected.StartsWith("0x", StringComparison.Ordinal))
        {
            return ulong.TryParse(expected.AsSpan(2), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out ulong hexadecimal)
                && hexadecimal == field.Bits;
        }

        if (expected.EndsWith(Cut, StringComparison.Ordinal))
        {
            return IsSameText(expected, NumberText((long)field.Bits));
        }

        // TraceEvent reads many unsigned fields as signed ones, of 32 or 64 bits.
        return long.TryParse(
                expected, NumberStyles.AllowThousands | NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number)
            && ((ulong)number == field.Bits || (number < 0 && (uint)number == field.Bits && number >= int.MinValue));
    }
}
