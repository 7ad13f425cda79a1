using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="LatencyReport"/> is written and read.</summary>
internal static class LatencyJson
{
    private static readonly JsonForms<LatencyJsonContext> Forms = new(options => new LatencyJsonContext(options));

    public static LatencyJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(LatencyReport))]
internal sealed partial class LatencyJsonContext : JsonSerializerContext;
