using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="DiffReport"/> is written and read.</summary>
internal static class DiffJson
{
    private static readonly JsonForms<DiffJsonContext> Forms = new(options => new DiffJsonContext(options));

    public static DiffJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(DiffReport))]
internal sealed partial class DiffJsonContext : JsonSerializerContext;
