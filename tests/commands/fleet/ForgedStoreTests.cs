using Microsoft.Data.Sqlite;
using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Commands.Tests.Fleet;

/// <summary>
/// Stores that somebody wrote: each column holds in turn what it never should, and files are cut and have bits turned over. A report or
/// one sentence comes, never a crash.
/// </summary>
[Collection(Alone.Name)]
[Trait("Speed", "slow")]
public sealed class ForgedStoreTests : IDisposable
{
    private const int DefaultFiles = 60;
    private const int Seed = 20_261_129;

    private static readonly string[] Values =
    [
        "NULL", "'many'", "''", "x'00ff'", "-9223372036854775808", "9223372036854775807", "9223372036854775", "1e308",
        "'{\"1\":99999999999999999999}'", "'{\"99999999999\":1}'", "'{\"2147483647\":9223372036854775807}'",
        "replace(hex(zeroblob(50000)), '00', 'ab')",
    ];

    private static readonly string[][] Options =
        [[], ["--format", "json", "--since", "2025-03-04"], ["--format", "csv", "--table", "latencies"], ["--by", "time"]];

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-forged-").FullName;

    private string Store => Path.Combine(_folder, "fleet.db");

    public static TheoryData<string> Tables => [.. FleetTable.All.Select(table => table.Name)];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Tables))]
    public void Whatever_a_column_holds_a_report_or_a_sentence_comes(string name)
    {
        byte[] whole = Made();
        List<string> failures = [];
        int turn = 0;
        FleetTable table = FleetTable.All.Single(one => one.Name == name);
        foreach ((string column, string value) in table.Columns.SelectMany(column => Values.Select(value => (column.Name, value))))
        {
            File.WriteAllBytes(Store, whole);
            Change($"CREATE TABLE free AS SELECT * FROM {name}; DROP TABLE {name}; ALTER TABLE free RENAME TO {name}; "
                + $"UPDATE {name} SET {column} = {value}");
            Tell(failures, $"{column} = {value}", Options[turn++ % Options.Length]);
        }

        Assert.True(failures.Count == 0, string.Join('\n', failures));
    }

    [Fact]
    public void Damaged_stores_are_read_or_refused_in_a_sentence()
    {
        byte[] whole = Made();
        int files = Setting.Number("TRACER_FUZZ_FLEET_FILES", Selection.Cases(DefaultFiles));
        int seed = Setting.Number("TRACER_FUZZ_SEED", Seed);
        List<string> failures = [];
        for (int i = 0; i < files; i++)
        {
            var random = new Random(seed + i);
            byte[] file = [.. whole];
            if (random.Next(3) == 0)
            {
                file = file[..random.Next(file.Length)];
            }
            else
            {
                for (int bits = random.Next(1, 40); bits > 0; bits--)
                {
                    file[random.Next(file.Length)] ^= (byte)(1 << random.Next(8));
                }
            }

            File.WriteAllBytes(Store, file);
            File.Delete(Store + "-journal");
            Tell(failures, $"TRACER_FUZZ_FLEET_FILES=1 TRACER_FUZZ_SEED={seed + i}", Options[random.Next(Options.Length)]);
        }

        Assert.True(failures.Count == 0, string.Join('\n', failures));
    }

    private void Tell(List<string> failures, string what, string[] options)
    {
        (int exitCode, _, string error) = CommandRun.Analyzer(["fleet", "--store", Store, .. options]);
        string[] odd = ["System.", "Exception", "   at ", "Sequence contains", "Nullable", "(Parameter", "LineNumber", "internal error"];
        if (exitCode is not (ExitCode.Done or ExitCode.Failed) || odd.Any(error.Contains)
            || error.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length != (exitCode == ExitCode.Done ? 0 : 1))
        {
            failures.Add($"{what}, {string.Join(' ', options)}: status {exitCode}: {error}");
        }
    }

    private byte[] Made()
    {
        string cases = MadeCase.File(
            Path.Combine(_folder, "cases.jsonl"),
            [.. Enumerable.Range(1, 12).Select(i => MadeCase.Of(
                i, i % 5, i, [("nic.sys", $"{i % 2}.0")], MadeCase.Chain("nic.sys", Mechanism.Dpc, "nic.sys!Dpc", beat: i)))]);
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer("fleet", cases, "--store", Store).ExitCode);
        return File.ReadAllBytes(Store);
    }

    private void Change(string how)
    {
        using var connection = new SqliteConnection($"Data Source={Store};Pooling=False");
        connection.Open();
        using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // The text is ours.
        command.CommandText = how;
#pragma warning restore CA2100
        command.ExecuteNonQuery();
    }
}
