using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>How <see cref="ProofReport"/> is written and read.</summary>
internal static class ProofJson
{
    private static readonly JsonForms<ProofJsonContext> Forms = new(options => new ProofJsonContext(options));

    public static ProofJsonContext In(bool indented) => Forms.In(indented);
}

/// <summary>The serialisation code that the compiler generates.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(ProofReport))]
internal sealed partial class ProofJsonContext : JsonSerializerContext;
