using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="InfoReport"/> is written and read.</summary>
internal static class InfoJson
{
    private static readonly JsonForms<InfoJsonContext> Forms = new(options => new InfoJsonContext(options));

    public static InfoJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(InfoReport))]
internal sealed partial class InfoJsonContext : JsonSerializerContext;
