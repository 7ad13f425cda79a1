using System.Text.Encodings.Web;
using System.Text.Json;

namespace Tracer.WindowsProof;

/// <summary>What one run said to all statements.</summary>
/// <param name="Run">Name of the run: that of the runner.</param>
/// <param name="Answers">By id of the statement.</param>
public sealed record RunAnswers(string Run, IReadOnlyDictionary<string, Finding> Answers);

/// <summary>The answers of all runs that were read; what docs/generated/windows-confirmed.md is made of.</summary>
public static class ProofResults
{
    /// <summary>Where they are kept in the repository.</summary>
    public const string Path = "tests/windows/results.json";

    private static readonly JsonSerializerOptions Options = new()
    {
        WriteIndented = true,
        NewLine = "\n",
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Converters = { new System.Text.Json.Serialization.JsonStringEnumConverter() },
    };

    /// <summary>Asks a run about everything.</summary>
    public static RunAnswers Of(ProofFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return new RunAnswers(
            folder.Name, new SortedDictionary<string, Finding>(Statements.All.ToDictionary(one => one.Id, one => one.Read(folder)),
            StringComparer.Ordinal));
    }

    /// <summary>Reads kept answers; none from an empty text.</summary>
    /// <exception cref="JsonException">It is no such text.</exception>
    public static IReadOnlyList<RunAnswers> Read(string json) =>
        string.IsNullOrWhiteSpace(json) ? [] : JsonSerializer.Deserialize<List<RunAnswers>>(json, Options) ?? [];

    public static string Write(IReadOnlyList<RunAnswers> runs) => JsonSerializer.Serialize(runs, Options) + "\n";
}
