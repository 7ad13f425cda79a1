using System.Text.Json;

namespace Tracer.WindowsProof;

/// <summary>The commands of a run, from <c>commands.jsonl</c>: a line each, written when the command ended.</summary>
public static class RunCommands
{
    public const string FileName = "commands.jsonl";

    /// <summary>Status of a command by its name; null where it did not run, since what it needs is not on the machine.</summary>
    /// <exception cref="JsonException">A line is no JSON, or lacks name or status.</exception>
    public static IReadOnlyDictionary<string, int?> Statuses(ProofFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        Dictionary<string, int?> statuses = [];
        string[] lines = (folder.Text(FileName) ?? "").Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        foreach (string line in lines)
        {
            using JsonDocument json = JsonDocument.Parse(line);
            if (json.RootElement.ValueKind != JsonValueKind.Object || !json.RootElement.TryGetProperty("name", out JsonElement name)
                || name.ValueKind != JsonValueKind.String || !json.RootElement.TryGetProperty("status", out JsonElement status))
            {
                throw new JsonException($"{FileName} has a line without name and status: {line}");
            }

            statuses[name.GetString()!] = status.ValueKind == JsonValueKind.Number ? status.GetInt32() : null;
        }

        return statuses;
    }
}
