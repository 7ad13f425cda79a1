using System.Text.Json;
using Tracer.Analysis.Latencies;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>Reads the file of <c>--graph</c>: the threads of an application, which are to be tried against a trace.</summary>
internal static class GraphFile
{
    private const int MostNodes = 64;
    private const int MostBuffers = 32;
    private const long MostBytes = 1 << 20;
    private static readonly Duration MostPeriod = Duration.FromSeconds(1);
    private static readonly string[] Fields = ["name", "period", "work", "priority", "buffers", "after"];

    /// <summary>Reads one.</summary>
    /// <returns>What is wrong with it, as a sentence without a full stop; null where nothing is.</returns>
    public static string? Read(string path, out AudioGraph? graph)
    {
        graph = null;
        try
        {
            if (new FileInfo(path) is { Exists: true, Length: > MostBytes })
            {
                return $"{path} is too large for a graph";
            }

            var lenient = new JsonDocumentOptions { AllowTrailingCommas = true, CommentHandling = JsonCommentHandling.Skip };
            using JsonDocument document = JsonDocument.Parse(File.ReadAllBytes(path), lenient);
            return Of(document.RootElement, out graph) is { } problem ? $"{path}: {problem}" : null;
        }
        catch (JsonException failure)
        {
            return string.Create(CultureInfo.InvariantCulture, $"{path} is not JSON: line {failure.LineNumber + 1} can't be read");
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return failure.Message.TrimEnd('.');
        }
    }

    private static string? Of(JsonElement root, out AudioGraph? graph)
    {
        graph = null;
        if (root.ValueKind != JsonValueKind.Object
            || !root.TryGetProperty("nodes", out JsonElement nodes) || nodes.ValueKind != JsonValueKind.Array)
        {
            return "a graph is an object with the list \"nodes\"";
        }

        if (root.EnumerateObject().Select(field => field.Name).FirstOrDefault(name => name is not ("nodes" or "process")) is { } other)
        {
            return $"\"{other}\" is not a field of a graph; it has nodes and process";
        }

        string? process = null;
        if (root.TryGetProperty("process", out JsonElement program) && (process = Text(program)) is null)
        {
            return "\"process\" is not the name of a program";
        }

        if (nodes.GetArrayLength() is 0 or > MostNodes)
        {
            return $"a graph has 1 to {MostNodes} nodes";
        }

        List<GraphNode> read = [];
        List<string[]> after = [];
        foreach (JsonElement element in nodes.EnumerateArray())
        {
            if (NodeOf(element, read.Count, read, after) is { } problem)
            {
                return problem;
            }
        }

        string? wrong = Order(read, after, out IReadOnlyList<GraphNode> ordered);
        graph = wrong is null ? new AudioGraph(ordered, process) : null;
        return wrong;
    }

    private static string? NodeOf(JsonElement node, int index, List<GraphNode> read, List<string[]> after)
    {
        string where = $"node {index + 1}";
        if (node.ValueKind != JsonValueKind.Object)
        {
            return $"{where} is not an object";
        }

        if (!node.TryGetProperty("name", out JsonElement named) || Text(named) is not { } name)
        {
            return $"{where} has no \"name\"";
        }

        where = $"node \"{name}\"";
        if (read.Any(one => one.Name == name))
        {
            return $"{where} is there twice";
        }

        if (node.EnumerateObject().Select(field => field.Name).FirstOrDefault(field => !Fields.Contains(field)) is { } other)
        {
            return $"{where}: \"{other}\" is not a field of a node; it has {string.Join(", ", Fields)}";
        }

        (Duration period, Duration work) = default((Duration, Duration));
        string? problem = Time(node, "period", ref period) ?? Time(node, "work", ref work);
        if (problem is not null)
        {
            return $"{where}: {problem}";
        }

        if (period > MostPeriod)
        {
            return $"{where}: a period is at most {ReadableDuration.Of(MostPeriod)}";
        }

        if (!Number(node, "priority", null, 1, 31, out int priority))
        {
            return $"{where}: \"priority\" is not a whole number from 1 to 31";
        }

        if (!Number(node, "buffers", 2, 2, MostBuffers, out int buffers))
        {
            return $"{where}: \"buffers\" is not a whole number from 2 to {MostBuffers}";
        }

        string[] before = [];
        if (node.TryGetProperty("after", out JsonElement list))
        {
            if (list.ValueKind != JsonValueKind.Array || list.EnumerateArray().Any(one => Text(one) is null))
            {
                return $"{where}: \"after\" is not a list of names";
            }

            before = [.. list.EnumerateArray().Select(one => Text(one)!).Distinct()];
        }

        read.Add(new GraphNode(name, period.Nanoseconds, work.Nanoseconds, priority, buffers, []));
        after.Add(before);
        return null;
    }

    /// <summary>Puts indexes in the place of the names that nodes come after.</summary>
    private static string? Order(List<GraphNode> read, List<string[]> after, out IReadOnlyList<GraphNode> ordered)
    {
        List<GraphNode> all = [];
        ordered = all;
        foreach ((GraphNode node, string[] before) in read.Zip(after))
        {
            int[] indexes = [.. before.Select(name => read.FindIndex(one => one.Name == name))];
            if (Array.IndexOf(indexes, -1) is >= 0 and var unknown)
            {
                return $"node \"{node.Name}\" comes after \"{before[unknown]}\", which is not a node";
            }

            if (indexes.FirstOrDefault(one => read[one].PeriodNs != node.PeriodNs, -1) is >= 0 and var slower)
            {
                return $"node \"{node.Name}\" comes after \"{read[slower].Name}\", which has another period";
            }

            all.Add(node with { After = indexes });
        }

        // What comes after nothing that is left can go; where nothing can, there is a ring.
        List<int> left = [.. Enumerable.Range(0, all.Count)];
        while (left.RemoveAll(one => !all[one].After.Any(left.Contains)) > 0)
        {
        }

        return left.Count > 0 ? $"node \"{all[left[0]].Name}\" comes after itself, or after a ring of others" : null;
    }

    private static string? Time(JsonElement node, string field, ref Duration duration) =>
        !node.TryGetProperty(field, out JsonElement value) ? $"it has no \"{field}\""
        : Text(value) is not { } text ? $"\"{field}\" is not a time such as \"2.5ms\""
        : !Duration.TryParse(text, out duration, out string? problem) ? $"\"{field}\": {problem}"
        : duration <= Duration.Zero ? $"\"{field}\" is not a time above 0"
        : null;

    private static bool Number(JsonElement node, string field, int? otherwise, int least, int most, out int number)
    {
        number = otherwise ?? 0;
        return node.TryGetProperty(field, out JsonElement value)
            ? value.ValueKind == JsonValueKind.Number && value.TryGetInt32(out number) && number >= least && number <= most
            : otherwise is not null;
    }

    private static string? Text(JsonElement value) =>
        value.ValueKind == JsonValueKind.String && value.GetString() is { Length: > 0 and <= 260 } text
            && !text.Any(char.IsControl) ? text : null;
}
