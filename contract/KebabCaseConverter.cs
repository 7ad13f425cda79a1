using System.Text.Json;
using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// Reads and writes an enumeration of the contract as its member name in kebab case: <c>RaisedIrql</c> is <c>raised-irql</c>.
/// Numbers are refused.
/// </summary>
/// <typeparam name="TEnum">The enumeration.</typeparam>
public sealed class KebabCaseConverter<TEnum>() : JsonStringEnumConverter<TEnum>(JsonNamingPolicy.KebabCaseLower, allowIntegerValues: false)
    where TEnum : struct, Enum;
