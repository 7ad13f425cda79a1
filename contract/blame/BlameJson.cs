using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>
/// How <see cref="BlameReport"/>, <see cref="EpisodesReport"/>, <see cref="LanesReport"/> and <see cref="JudgedTrace"/> are written and
/// read.
/// </summary>
internal static class BlameJson
{
    private static readonly JsonForms<BlameJsonContext> Forms = new(options => new BlameJsonContext(options));

    public static BlameJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(BlameReport))]
[JsonSerializable(typeof(EpisodesReport))]
[JsonSerializable(typeof(LanesReport))]
[JsonSerializable(typeof(JudgedTrace))]
internal sealed partial class BlameJsonContext : JsonSerializerContext;
