using System.Text.Json;
using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>The names of enumerations' values in reports and on command lines: <c>RaisedIrql</c> is <c>raised-irql</c>.</summary>
public static class KebabCase
{
    public static string Of<TEnum>(TEnum value)
        where TEnum : struct, Enum => JsonNamingPolicy.KebabCaseLower.ConvertName(value.ToString());

    /// <summary>The value of a name; null where no value has it.</summary>
    public static TEnum? Read<TEnum>(string? name)
        where TEnum : struct, Enum
    {
        int at = Array.IndexOf(Names<TEnum>.All, name);
        return at < 0 ? null : Names<TEnum>.Values[at];
    }

    /// <summary>Made once for each enumeration: files of many reports have many names.</summary>
    private static class Names<TEnum>
        where TEnum : struct, Enum
    {
        public static readonly TEnum[] Values = Enum.GetValues<TEnum>();
        public static readonly string[] All = Array.ConvertAll(Values, Of);
    }
}

/// <summary>Reads and writes an enumeration of the contract by the names of <see cref="KebabCase"/>. Numbers are refused.</summary>
/// <remarks>
/// The library's converter of enumerations does the same, but the code that it brings for each of them is a twentieth of the native
/// program: bench/start.md.
/// </remarks>
public sealed class KebabCaseConverter<TEnum> : JsonConverter<TEnum>
    where TEnum : struct, Enum
{
    /// <exception cref="JsonException">It is no name of a value.</exception>
    public override TEnum Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        if (reader.TokenType == JsonTokenType.String && KebabCase.Read<TEnum>(reader.GetString()) is { } value)
        {
            return value;
        }

        // The serialiser says of what type it should be, and where it stands.
        throw new JsonException();
    }

    public override void Write(Utf8JsonWriter writer, TEnum value, JsonSerializerOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteStringValue(KebabCase.Of(value));
    }
}
