using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="DriverReport"/> is written and read.</summary>
internal static class DriverJson
{
    private static readonly JsonForms<DriverJsonContext> Forms = new(options => new DriverJsonContext(options));

    public static DriverJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(DriverReport))]
internal sealed partial class DriverJsonContext : JsonSerializerContext;
