using System.Text;
using System.Text.RegularExpressions;
using Microsoft.Data.Sqlite;

namespace Tracer.Commands.Tests.Export;

/// <summary>The queries of docs/use/export.md, as they stand there, on the database of a sample.</summary>
public sealed partial class SqliteQueriesTests : IDisposable
{
    private const string Answers = "tests/commands/export/queries.txt";

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-export-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Each_of_the_ten_has_its_answer()
    {
        string[] queries = [.. Query().Matches(File.ReadAllText("docs/use/export.md")).Select(match => match.Groups[1].Value.Trim())];
        Assert.Equal(10, queries.Length);
        using SqliteConnection database = Database("samples/nic-behind-ndis.etl");
        var answers = new StringBuilder();
        foreach (string query in queries)
        {
            string[] rows = Rows(database, query);
            Assert.True(rows.Length > 1, query); // The first names the columns.
            answers.Append(query).Append("\n\n").AppendJoin('\n', rows).Append("\n\n");
        }

        GoldenText.AssertEqual(Answers, answers.ToString());
    }

    [Fact]
    public void The_parts_of_each_episode_add_up()
    {
        using SqliteConnection database = Database("samples/masked-interrupts.etl");
        string[] rows = Rows(database, """
            SELECT e.latency_ns - e.unexplained_ns - (SELECT COALESCE(SUM(c.ns), 0) FROM causes c WHERE c.episode = e.id) AS rest
            FROM episodes e
            """);
        Every.Item(rows.Skip(1), rest => Assert.Equal("0", rest));
        Assert.Equal(["integrity_check", "ok"], Rows(database, "PRAGMA integrity_check"));
    }

    private SqliteConnection Database(string trace)
    {
        string path = Path.Combine(_folder, "x.sqlite");
        (int exitCode, _, string error) = CommandRun.Analyzer("export", trace, "--format", "sqlite", "-o", path);
        Assert.Equal((0, ""), (exitCode, error));
        var connection = new SqliteConnection($"Data Source={path};Mode=ReadOnly;Pooling=False");
        connection.Open();
        return connection;
    }

    private static string[] Rows(SqliteConnection database, string query)
    {
        using SqliteCommand command = database.CreateCommand();
#pragma warning disable CA2100 // The queries are those of our own document.
        command.CommandText = query;
#pragma warning restore CA2100
        using SqliteDataReader reader = command.ExecuteReader();
        int[] columns = [.. Enumerable.Range(0, reader.FieldCount)];
        List<string> rows = [string.Join(" | ", columns.Select(reader.GetName))];
        while (reader.Read())
        {
            rows.Add(string.Join(" | ", columns.Select(i => reader.IsDBNull(i)
                ? "null"
                : Convert.ToString(reader.GetValue(i), CultureInfo.InvariantCulture))));
        }

        return [.. rows];
    }

    [GeneratedRegex("```sql\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Query();
}
