using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="SymbolsReport"/> and <see cref="AddressSymbol"/> are written and read.</summary>
internal static class SymbolsJson
{
    private static readonly JsonForms<SymbolsJsonContext> Forms = new(options => new SymbolsJsonContext(options));

    public static SymbolsJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(SymbolsReport))]
[JsonSerializable(typeof(AddressSymbol))]
internal sealed partial class SymbolsJsonContext : JsonSerializerContext;
