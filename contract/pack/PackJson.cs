using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="PackReport"/> is written and read.</summary>
internal static class PackJson
{
    private static readonly JsonForms<PackJsonContext> Forms = new(options => new PackJsonContext(options));

    public static PackJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(PackReport))]
internal sealed partial class PackJsonContext : JsonSerializerContext;
