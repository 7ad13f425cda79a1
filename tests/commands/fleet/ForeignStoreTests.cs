using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.Data.Sqlite;
using Tracer.Commands.Tests.Fleet.Made;

namespace Tracer.Commands.Tests.Fleet;

/// <summary>
/// Servers that are no ClickHouse, stores that were forged, cases that are none: one sentence each, and nothing counts as added.
/// </summary>
public sealed class ForeignStoreTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-foreign-").FullName;

    private string Cases => MadeCase.File(
        Path.Combine(_folder, "cases.jsonl"), MadeCase.Of(1, 1, 0, [], MadeCase.Chain("nic.sys", Mechanism.Dpc, "nic.sys!Dpc")));

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("")]
    [InlineData("<html><body>It works!</body></html>\n")]
    [InlineData("name\nFloat64\n")]
    [InlineData("word\tnumber\nString\tInt64\nother\t7\n")]
    [InlineData("word\tnumber\nString\tArray(String)\n\n")]
    [InlineData("word\nString\tInt64\nx\t1\n")]
    public async Task An_answer_of_another_server_is_told_in_a_sentence(string body) =>
        await Told("but not as ClickHouse does", async stream => await Answer(stream, body));

    [Fact]
    public async Task An_answer_without_an_end_takes_no_memory() => await Told("a line of more than 1024 KiB", async stream =>
    {
        await stream.WriteAsync("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"u8.ToArray());
        byte[] block = new byte[1 << 16];
        block.AsSpan().Fill((byte)'x');
        for (int i = 0; i < 1000; i++)
        {
            await stream.WriteAsync(block);
        }
    });

    [Fact]
    public void A_forged_store_is_refused_in_a_sentence()
    {
        string store = Path.Combine(_folder, "fleet.db");
        Forge("DROP TABLE chains", "lacks a table");
        Forge(
            "UPDATE cases SET judged = 'many', episodes = 'many'; UPDATE chains SET episodes = 'many', owner = x'00'",
            "something other than what was asked for");
        Forge("PRAGMA user_version = 77", "is a store of version 77");
        Forge("PRAGMA application_id = 1", "is a database, but not a store");

        void Forge(string how, string expected)
        {
            File.Delete(store);
            Assert.Equal(ExitCode.Done, CommandRun.Analyzer("fleet", Cases, "--store", store).ExitCode);
            using (var connection = new SqliteConnection($"Data Source={store};Pooling=False"))
            {
                connection.Open();
                using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // The text is ours.
                command.CommandText = how;
#pragma warning restore CA2100
                command.ExecuteNonQuery();
            }

            (int exitCode, string output, string error) = CommandRun.Analyzer("fleet", "--store", store);
            Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
            Assert.Contains(expected, error, StringComparison.Ordinal);
            Sentence(error);
        }
    }

    [Theory]
    [InlineData("\"id\":\"", "\"id\":\"x", "its id does not have 32 hexadecimal digits")]
    [InlineData("\"episodes\":4,", "\"episodes\":-4,", "below zero")]
    [InlineData("\"chains\":[", "\"chains\":[null,", "A list holds null")]
    [InlineData("\"drivers\":[]", "\"drivers\":[null]", "A list holds null")]
    [InlineData("\"chains\":[", "\"chains\":null,\"x\":[", "its chains has a value that can't stand there")]
    [InlineData("\"episodes\":4,", "\"episodes\":\"x\",", "its episodes has a value that can't stand there")]
    [InlineData("\"episodes\":4,", "", "it lacks 'episodes'")]
    [InlineData("\"machine\":\"machine", "\"machine\":\"\\ud800", "its machine has a value that can't stand there")]
    [InlineData("{\"schema\":", "{\"schema\"<", "it is not JSON: '<' is invalid")]
    public void A_forged_case_is_refused_in_a_sentence(string what, string by, string expected)
    {
        string file = Cases;
        File.WriteAllText(file, File.ReadAllText(file).Replace(what, by, StringComparison.Ordinal));
        (int exitCode, string output, string error) = CommandRun.Analyzer("fleet", file);
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Sentence(error);
    }

    [Fact]
    public void A_case_with_more_chains_than_any_is_refused()
    {
        CaseChain[] chains = [.. Enumerable.Range(0, 50_000).Select(i => MadeCase.Chain($"{i}.sys", Mechanism.Dpc, null))];
        string file = MadeCase.File(Path.Combine(_folder, "many.jsonl"), MadeCase.Of(1, 1, 0, [], chains));
        (int exitCode, _, string error) = CommandRun.Analyzer("fleet", file);
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("it has 50000 chains, and none has more than 20", error, StringComparison.Ordinal);
    }

    [Fact]
    public void Two_that_make_a_store_at_once_both_load()
    {
        string store = Path.Combine(_folder, "two.db");
        string[] files =
        [
            .. Enumerable.Range(1, 4).Select(i => MadeCase.File(Path.Combine(_folder, $"{i}.jsonl"), MadeCase.Of(i, i, 0, []))),
        ];
        (int ExitCode, string Output, string Error)[] ends = new (int, string, string)[files.Length];
        Thread[] threads =
        [
            .. files.Select((file, i) => new Thread(() => ends[i] = CommandRun.Analyzer("fleet", file, "--store", store))),
        ];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        Every.Item(ends, end => Assert.Equal((ExitCode.Done, "analyzer: 1 case added, 0 known before\n"), (end.ExitCode, end.Error)));
        Assert.Contains("4 cases", CommandRun.Analyzer("fleet", "--store", store).Output.Replace("\n", " "), StringComparison.Ordinal);
    }

    private static void Sentence(string error)
    {
        Assert.Single(error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        foreach (string odd in new[] { "System.", "Exception", "   at ", "Sequence contains", "Nullable" })
        {
            Assert.DoesNotContain(odd, error, StringComparison.Ordinal);
        }
    }

    private static async Task Answer(NetworkStream stream, string body)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(body);
        await stream.WriteAsync(Encoding.ASCII.GetBytes($"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {bytes.Length}\r\n\r\n"));
        await stream.WriteAsync(bytes);
    }

    private async Task Told(string expected, Func<NetworkStream, Task> answer)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task serving = ServeAsync(listener, answer);
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;
        (int exitCode, string output, string error) =
            CommandRun.Analyzer("fleet", Cases, "--store", $"clickhouse://127.0.0.1:{port}/tracer");
        listener.Stop();
        await serving;
        Assert.Equal((ExitCode.Failed, ""), (exitCode, output));
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.DoesNotContain("added", error, StringComparison.Ordinal);
        Sentence(error);
    }

    private static async Task ServeAsync(TcpListener listener, Func<NetworkStream, Task> answer)
    {
        try
        {
            while (true)
            {
                using TcpClient client = await listener.AcceptTcpClientAsync();
                NetworkStream stream = client.GetStream();
                _ = await stream.ReadAsync(new byte[1 << 16]);
                await Task.Delay(5); // The rest of the request, in a packet of its own.
                try
                {
                    await answer(stream);
                }
                catch (IOException)
                {
                    // It has read enough.
                }
            }
        }
        catch (Exception over) when (over is SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The test is over.
        }
    }
}
