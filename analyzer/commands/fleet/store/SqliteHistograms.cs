using System.Text;
using System.Text.Json;
using Microsoft.Data.Sqlite;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// Histograms in SQLite: a text <c>{"BUCKET":NUMBER,...}</c> each. They are added up as they are read, by a function of ours: SQLite's own
/// way to group would sort the buckets of all cases.
/// </summary>
internal static class SqliteHistograms
{
    /// <summary>The subquery of <see cref="FleetWord.Buckets"/>.</summary>
    public static readonly string Buckets = $"""
        (SELECT json_extract(each.value, '$[0]') AS kind, json_extract(each.value, '$[1]') AS source,
            json_extract(each.value, '$[2]') AS bucket, json_extract(each.value, '$[3]') AS number
        FROM (SELECT {Function}(kind, source, counts) AS merged FROM {FleetTable.Latencies.Name}) AS sums, json_each(sums.merged) AS each)
        """;

    /// <summary>What SQLite says where a histogram is none.</summary>
    public const string Damaged = "damaged histogram";

    private const string Function = "added_histograms";

    public static void AddTo(SqliteConnection connection) =>
        connection.CreateAggregate<string, string, string, Dictionary<(string Kind, string Source), Dictionary<int, long>>?, string>(
            Function, null, Added, Merged, isDeterministic: true);

    public static string Text((long Bucket, long Count)[] buckets)
    {
        var text = new StringBuilder("{");
        foreach ((long bucket, long count) in buckets)
        {
            text.Append(text.Length > 1 ? "," : "").Append(CultureInfo.InvariantCulture, $"\"{bucket}\":{count}");
        }

        return text.Append('}').ToString();
    }

    private static Dictionary<(string Kind, string Source), Dictionary<int, long>> Added(
        Dictionary<(string Kind, string Source), Dictionary<int, long>>? sums, string kind, string source, string counts)
    {
        sums ??= [];
        if (!sums.TryGetValue((kind, source), out Dictionary<int, long>? sum))
        {
            sums.Add((kind, source), sum = []);
        }

        try
        {
            Add(counts, sum);
        }
        catch (Exception fault) when (fault is JsonException or FormatException or OverflowException or ArgumentException)
        {
            throw new FormatException(Damaged, fault);
        }

        return sums;
    }

    private static void Add(string counts, Dictionary<int, long> sum)
    {
        var reader = new Utf8JsonReader(Encoding.UTF8.GetBytes(counts));
        int bucket = -1;
        while (reader.Read())
        {
            if (reader.TokenType == JsonTokenType.PropertyName)
            {
                bucket = int.Parse(reader.ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture);
            }
            else if (reader.TokenType == JsonTokenType.Number)
            {
                long known = sum.GetValueOrDefault(bucket);
                sum[bucket] = known + Math.Clamp(reader.GetInt64(), 0, long.MaxValue - known);
            }
        }
    }

    private static string Merged(Dictionary<(string Kind, string Source), Dictionary<int, long>>? sums)
    {
        using var text = new MemoryStream();
        using (var json = new Utf8JsonWriter(text))
        {
            json.WriteStartArray();
            foreach (((string kind, string source), Dictionary<int, long> sum) in sums ?? [])
            {
                foreach ((int bucket, long number) in sum)
                {
                    json.WriteStartArray();
                    json.WriteStringValue(kind);
                    json.WriteStringValue(source);
                    json.WriteNumberValue(bucket);
                    json.WriteNumberValue(number);
                    json.WriteEndArray();
                }
            }

            json.WriteEndArray();
        }

        return Encoding.UTF8.GetString(text.GetBuffer(), 0, (int)text.Length);
    }
}
