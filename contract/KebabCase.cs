using System.Text.Json;
using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>The names of enumerations' values in reports and on command lines: <c>RaisedIrql</c> is <c>raised-irql</c>.</summary>
public static class KebabCase
{
    /// <summary>The name of a value.</summary>
    public static string Of<TEnum>(TEnum value)
        where TEnum : struct, Enum => JsonNamingPolicy.KebabCaseLower.ConvertName(value.ToString());
}

/// <summary>Reads and writes an enumeration of the contract by the names of <see cref="KebabCase"/>. Numbers are refused.</summary>
/// <typeparam name="TEnum">The enumeration.</typeparam>
public sealed class KebabCaseConverter<TEnum>() : JsonStringEnumConverter<TEnum>(JsonNamingPolicy.KebabCaseLower, allowIntegerValues: false)
    where TEnum : struct, Enum;
