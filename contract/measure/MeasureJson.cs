using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="MeasureReport"/>, <see cref="MeasureSummary"/> and <see cref="MeasureSetting"/> are written and read.</summary>
internal static class MeasureJson
{
    private static readonly JsonForms<MeasureJsonContext> Forms = new(options => new MeasureJsonContext(options));

    public static MeasureJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(MeasureReport))]
[JsonSerializable(typeof(MeasureSummary))]
[JsonSerializable(typeof(MeasureSetting))]
internal sealed partial class MeasureJsonContext : JsonSerializerContext;
