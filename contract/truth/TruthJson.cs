using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="TruthReport"/> is written and read.</summary>
internal static class TruthJson
{
    private static readonly JsonForms<TruthJsonContext> Forms = new(options => new TruthJsonContext(options));

    public static TruthJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(TruthReport))]
internal sealed partial class TruthJsonContext : JsonSerializerContext;
