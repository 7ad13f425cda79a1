using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="CaseReport"/> and <see cref="FleetReport"/> are written and read.</summary>
internal static class FleetJson
{
    private static readonly JsonForms<FleetJsonContext> Forms = new(options => new FleetJsonContext(options));

    public static FleetJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(CaseReport))]
[JsonSerializable(typeof(FleetReport))]
internal sealed partial class FleetJsonContext : JsonSerializerContext;
