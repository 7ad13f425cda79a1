using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>A line of <c>tracer doctor --format json</c>: <c>tracer.doctor/1</c>.</summary>
public sealed record DoctorLine([property: JsonIgnore] ProofLine Line) : ProofLine(Line)
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.doctor/1";

    /// <summary>Which schema this is.</summary>
    [JsonPropertyOrder(-1)]
    public string Schema { get; init; } = SchemaName;
}

/// <summary>The serialisation code that the compiler generates for the schema.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(DoctorLine))]
internal sealed partial class DoctorJsonContext : JsonSerializerContext;
