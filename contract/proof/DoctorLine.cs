using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>A line of <c>tracer doctor --format json</c>: <c>tracer.doctor/1</c>.</summary>
public sealed record DoctorLine([property: JsonIgnore] ProofLine Line) : ProofLine(Line), IJsonRecord<DoctorLine>
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.doctor/1";

    [JsonPropertyOrder(-1)]
    public string Schema { get; init; } = SchemaName;

    static JsonTypeInfo<DoctorLine> IJsonRecord<DoctorLine>.JsonType(bool indented) => DoctorJson.In(indented).DoctorLine;
}

/// <summary>How <see cref="DoctorLine"/>s are written.</summary>
internal static class DoctorJson
{
    private static readonly JsonForms<DoctorJsonContext> Forms = new(options => new DoctorJsonContext(options));

    public static DoctorJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates for the schema.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(DoctorLine))]
internal sealed partial class DoctorJsonContext : JsonSerializerContext;
