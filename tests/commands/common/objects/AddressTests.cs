using System.Text;

namespace Tracer.Commands.Tests.Common.Objects;

/// <summary>Traces and cases at addresses of an object store.</summary>
public sealed class AddressTests
{
    private const string Key = "?sig=secret";

    private static readonly string Sample = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");

    [Fact]
    public void A_trace_at_an_address_has_the_case_that_it_has_as_a_file_and_the_case_goes_to_another_address()
    {
        using var server = new ObjectServer();
        server["/a/first.etl"] = File.ReadAllBytes(Sample);
        (_, string expected, _) = CommandRun.Analyzer("blame", Sample, "--format", "cases");
        (int exitCode, string output, _) = CommandRun.Analyzer(
            "blame", $"{server.Address}moved/a/first.etl{Key}", "--format", "cases", "-o", $"{server.Address}moved/out.jsonl{Key}");
        Assert.Equal((ExitCode.Done, ""), (exitCode, output));
        Assert.Equal(expected, Encoding.UTF8.GetString(server["/out.jsonl"]!));
        Assert.Contains("PUT /out.jsonl BlockBlob", server.Asked);
    }

    [Fact]
    public void A_redirect_to_another_host_is_followed_only_where_that_is_asked_for()
    {
        using var server = new ObjectServer();
        server["/first.etl"] = File.ReadAllBytes(Sample);
        string[] line = ["blame", $"{server.Address}elsewhere/first.etl{Key}", "--format", "cases"];
        (int exitCode, string output, string error) = CommandRun.Analyzer(line);
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains(
            "redirects to another host, localhost, which is not followed; --follow-redirects follows", error, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", output + error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer([.. line, "--follow-redirects"]).ExitCode);
        line = ["blame", Sample, "--format", "cases", "-o", $"{server.Address}elsewhere/out.jsonl{Key}"];
        Assert.Equal(ExitCode.Failed, CommandRun.Analyzer(line).ExitCode);
        Assert.Null(server["/out.jsonl"]);
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer([.. line, "--follow-redirects"]).ExitCode);
        Assert.NotNull(server["/out.jsonl"]);
    }

    [Fact]
    public void An_address_may_stand_in_a_file_so_that_no_list_of_processes_has_it()
    {
        using var server = new ObjectServer();
        server["/first.etl"] = File.ReadAllBytes(Sample);
        string folder = Directory.CreateTempSubdirectory("tracer-addresses-").FullName;
        string traces = Path.Combine(folder, "in");
        string cases = Path.Combine(folder, "out");
        File.WriteAllText(traces, $"{server.Address}first.etl{Key}\n");
        File.WriteAllText(cases, $"{server.Address}out.jsonl{Key}\n");
        (int exitCode, _, _) = CommandRun.Analyzer("blame", "@" + traces, "--format", "cases", "-o", "@" + cases);
        Assert.Equal(ExitCode.Done, exitCode);
        Assert.NotNull(server["/out.jsonl"]);
        (exitCode, _, string error) = CommandRun.Analyzer("blame", "@" + traces, "--format", "cases", "-o", "@" + traces + "-not-there");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("not-there", error, StringComparison.Ordinal);
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public void A_server_that_is_busy_for_a_while_is_asked_again()
    {
        using var server = new ObjectServer();
        server["/first.etl"] = File.ReadAllBytes(Sample);
        server.Fail(1);
        string[] line = ["blame", $"{server.Address}first.etl{Key}", "--format", "cases", "-o", $"{server.Address}out.jsonl{Key}"];
        Assert.Equal(ExitCode.Done, CommandRun.Analyzer(line).ExitCode);
        Assert.Equal(2, server.Asked.Count(asked => asked.StartsWith("GET", StringComparison.Ordinal)));
    }

    [Fact]
    public void A_trace_that_no_server_gave_is_tried_again_and_counts_once()
    {
        using var server = new ObjectServer();
        server["/first.etl"] = File.ReadAllBytes(Sample);
        server["/none.etl"] = "no trace at all"u8.ToArray();
        server["/late.etl"] = File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "masked-interrupts.etl"));
        string folder = Directory.CreateTempSubdirectory("tracer-again-").FullName;
        string cases = Path.Combine(folder, "cases.jsonl");
        string[] line =
        [
            "blame", $"{server.Address}late.etl?sig=over", $"{server.Address}first.etl{Key}", $"{server.Address}none.etl{Key}", "--format",
            "cases", "-o", cases, "--resume",
        ];
        Assert.Equal(ExitCode.Failed, CommandRun.Analyzer(line).ExitCode);
        Assert.Equal(["unreachable", "none", "unreadable"], Kinds());
        (_, string report, string told) = CommandRun.Analyzer("fleet", cases);
        Assert.Contains("1 of 2 cases judged", report, StringComparison.Ordinal);
        Assert.Contains("1 trace that no server gave left out", told, StringComparison.Ordinal);

        line[1] = $"{server.Address}late.etl{Key}";
        int asked = server.Asked.Count();
        (int exitCode, _, string error) = CommandRun.Analyzer(line);
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("2 traces of 3 judged by an earlier run", error, StringComparison.Ordinal);
        Assert.Contains("1 trace that no server gave to an earlier run: tried again", error, StringComparison.Ordinal);
        Assert.Equal(["none", "unreadable", "none"], Kinds());
        Assert.Equal(["GET /late.etl"], server.Asked.Skip(asked));
        Assert.Contains("3 traces of 3 judged by an earlier run", CommandRun.Analyzer(line).Error, StringComparison.Ordinal);
        Directory.Delete(folder, recursive: true);

        string[] Kinds() =>
            [.. File.ReadLines(cases).Select(one => ReportJson.Read<CaseReport>(Encoding.UTF8.GetBytes(one)).Problem?.Kind ?? "none")];
    }

    [Fact]
    public void What_an_address_opens_with_is_in_no_message_and_no_case()
    {
        using var server = new ObjectServer();
        (int exitCode, string output, string error) = CommandRun.Analyzer(
            "blame", $"{server.Address}gone.etl{Key}", "--format", "cases", "--with-names");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("gone.etl: the server does not have it (404)", error, StringComparison.Ordinal);
        Assert.Contains("\"unreachable\"", output, StringComparison.Ordinal);
        (int refused, _, string told) = CommandRun.Analyzer(
            "blame", Sample, "--format", "cases", "-o", $"{server.Address}out.jsonl?sig=wrong-secret");
        Assert.Equal(ExitCode.Failed, refused);
        Assert.Contains("presigned for PUT", told, StringComparison.Ordinal);
        (_, _, string elsewhere) = CommandRun.Analyzer("info", $"{server.Address}gone.etl{Key}");
        Assert.Contains("only 'analyzer blame --format cases' reads addresses", elsewhere, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", output + error + told + elsewhere, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("s3://bucket/a.etl", "presigned")]
    [InlineData("https://me:secret@host/a.etl", "name and password")]
    public void Addresses_that_are_not_taken_are_wrong_usage(string address, string expected)
    {
        foreach (string[] line in new string[][] { [address, "--format", "cases"], [Sample, "--format", "cases", "-o", address] })
        {
            (int exitCode, _, string error) = CommandRun.Analyzer(["blame", .. line]);
            Assert.Equal(ExitCode.WrongUsage, exitCode);
            Assert.Contains(expected, error, StringComparison.Ordinal);
            Assert.DoesNotContain("secret", error, StringComparison.Ordinal);
        }

        (int status, _, string told) = CommandRun.Analyzer("blame", Sample, "-o", address);
        Assert.Equal(ExitCode.WrongUsage, status);
        Assert.DoesNotContain("secret", told, StringComparison.Ordinal);
    }
}
