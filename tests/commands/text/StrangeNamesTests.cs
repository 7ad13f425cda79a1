using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Text;

/// <summary>
/// Traces that call things what would steer a terminal, forge a line or break JSON: every command in every format prints names that are
/// seen, lines that are its own, and JSON that is valid. And a dump is no longer than its trace warrants.
/// </summary>
public sealed class StrangeNamesTests : IDisposable
{
    private const string Evil = "e\u001b]0;x\u0007\u009b2J\u202e\u200b\u2028\r\nanalyzer: all is well\u0085\ufeff";

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public static TheoryData<string> Commands() => new(
        "info", "info --format json", "dump", "dump --format json", "dump --stacks records", "symbols", "symbols --format json", "blame",
        "blame --format json", "blame --format csv", "blame --style xperf", "blame --style rtla", "episodes", "episodes --format json",
        "blame --suspect e\u001b[2J", "dump --tmf x\u001b[2J", "symbols --symbols x\u202e");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Commands))]
    public void No_command_prints_what_would_mislead(string line)
    {
        string folder = Path.Combine(_folder, "f\u001b[2J\u202e\ng");
        Directory.CreateDirectory(folder);
        var trace = new StrangeTrace { SessionName = Evil };
        trace.AddNames(@"\SystemRoot\" + Evil + ".sys", Evil + ".pdb", Evil);
        trace.Add(Evil, Evil, [0], new TraceLoggingField(Evil, TraceLoggingInType.UInt8));
        byte[] text = [.. Encoding.Unicode.GetBytes(Evil), 0, 0xD8, 0, 0];
        trace.Add("P", "Text", text, new TraceLoggingField("t", TraceLoggingInType.UnicodeString));
        for (int i = 0; i < 200; i++)
        {
            trace.AddDpc(100 + (i * 10_000));
        }

        string path = trace.WriteTo(Path.Combine(folder, "t.etl"));
        string[] words = line.Split(' ');
        string file = Path.Combine(_folder, "out");
        (int exitCode, string output, string error) = CommandRun.Analyzer([words[0], path, .. words[1..]]);
        Assert.InRange(exitCode, 0, 1);
        AssertPrintable(output.Replace("\r\n", "\n", StringComparison.Ordinal), error);
        Assert.DoesNotContain("\nanalyzer: all is well", "\n" + output + error);
        if (words.Contains("json"))
        {
            Every.Item(
                words[0] == "dump" ? output.Split('\n', StringSplitOptions.RemoveEmptyEntries) : [output],
                json => Assert.NotNull(JsonNode.Parse(json)));
        }

        if (exitCode == 0 && words[0] != "info")
        {
            // A file is a report as well.
            Assert.Equal(0, CommandRun.Analyzer([words[0], path, .. words[1..], "-o", file]).ExitCode);
            Assert.Equal(output, File.ReadAllText(file));
        }
    }

    [Theory]
    [InlineData("blame --treshold\u001b[2J")]
    [InlineData("blame t\u001b[2J.etl")]
    [InlineData("dump t\u202e.etl -o \u001b[2J/x")]
    [InlineData("b\u001b[2J")]
    [InlineData("blame t.etl --probe \u202ex")]
    public void Messages_about_a_command_line_are_printable(string line)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer(line.Split(' '));
        Assert.InRange(exitCode, 1, 64);
        AssertPrintable(output, error);
        Assert.Contains("\\u", error);
    }

    [Fact]
    public void Each_key_of_an_object_is_there_once_and_fields_without_names_have_keys()
    {
        TraceLoggingField Byte(string name) => new(name, TraceLoggingInType.UInt8);
        string path = new StrangeTrace()
            .Add("P", "Empty", [1, 2, 3], Byte(""), Byte(""), Byte(""))
            .Add("P", "Same", [1, 2, 3, 4], Byte("a"), Byte("a#2"), Byte("a"), Byte("a"))
            .Add("P", "Nested", [1, 2, 3], TraceLoggingField.Struct("", Byte(""), Byte("x")), Byte("x"))
            .Add("P", "Elements", [2, 0, 7, 8, 1], TraceLoggingField.Struct("s", Byte("")).AsArray(), Byte(""))
            .Add("P", "Many", [.. Enumerable.Range(0, 60).Select(i => (byte)i)], [.. Enumerable.Repeat(Byte("m"), 60)])
            .WriteTo(Path.Combine(_folder, "t.etl"));
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", path, "--format", "json", "--provider", "P");
        Assert.Equal((0, ""), (exitCode, error));
        JsonElement[] events = [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => JsonDocument.Parse(line, new JsonDocumentOptions { AllowDuplicateProperties = false }).RootElement)];
        string[] fields = [.. events.Select(one => one.GetProperty("fields").GetRawText())];
        Assert.Equal("""{"":1,"#2":2,"#3":3}""", fields[0]);
        Assert.Equal("""{"a":1,"a#2":2,"a#3":3,"a#4":4}""", fields[1]);
        Assert.Equal("""{"":{"":1,"x":2},"x":3}""", fields[2]);
        Assert.Equal("""{"s":[{"":7},{"":8}],"":1}""", fields[3]);
        Assert.Equal(60, events[4].GetProperty("fields").EnumerateObject().Count());
        Assert.Equal(59, events[4].GetProperty("fields").GetProperty("m#60").GetInt32());
    }

    [Fact]
    public void Half_of_a_surrogate_pair_is_valid_json()
    {
        byte[] text = [.. Encoding.Unicode.GetBytes("a\ud800b"), 0xD8, 0xDC, 0, 0];
        string path = new StrangeTrace()
            .Add("P", "Text", [0x61, 0, 0, 0xD8, 0x62, 0, 0, 0], new TraceLoggingField("t", TraceLoggingInType.UnicodeString))
            .Add("P", "Text", text, new TraceLoggingField("t", TraceLoggingInType.UnicodeString))
            .WriteTo(Path.Combine(_folder, "t.etl"));
        (int exitCode, string output, _) = CommandRun.Analyzer("dump", path, "--format", "json", "--provider", "P");
        Assert.Equal(0, exitCode);
        Assert.Equal("a\ufffdb", JsonDocument.Parse(output.Split('\n')[0]).RootElement.GetProperty("fields").GetProperty("t").GetString());
        Assert.Contains("t=a\ufffdb\n", CommandRun.Analyzer("dump", path, "--provider", "P").Output);
    }

    /// <summary>What a description gives its events is bounded by what the events are themselves.</summary>
    [Theory]
    [InlineData("text")]
    [InlineData("json")]
    public void A_dump_is_linear_in_its_trace_however_long_the_names_are(string format)
    {
        foreach (int letters in new[] { 100, 1_000, 20_000 })
        {
            string name = new('n', letters);
            long few = Printed(100);
            long many = Printed(200);
            // 1,024 characters for each event and 64 for each byte of its payload, a name that is cut, the rest of the line.
            Assert.InRange(few, 1, 100 * (1024 + (64 * 8) + 256 + 600));
            Assert.InRange((double)many / few, 1.9, 2.1);

            long Printed(int events)
            {
                var trace = new StrangeTrace();
                TraceLoggingField[] fields = [.. Enumerable.Range(0, 2).Select(i => TraceLoggingField.Struct(
                    name, [.. Enumerable.Range(0, 4).Select(j => new TraceLoggingField($"{j}{name}", TraceLoggingInType.UInt8))]))];
                fields = 8L * letters > 60_000 ? [new TraceLoggingField(name, TraceLoggingInType.UInt64)] : fields;
                for (int i = 0; i < events; i++)
                {
                    trace.Add(name, name, new byte[8], fields);
                }

                return Dumped(trace, format).Output.Length;
            }
        }
    }

    /// <summary>Elements of no size at all: a small description, an event of two bytes, text without end.</summary>
    [Theory]
    [InlineData("text", " ... fields left out: ")]
    [InlineData("json", "\"fieldsLeftOut\":")]
    public void What_takes_no_bytes_becomes_little_text_and_the_line_says_so(string format, string said)
    {
        var trace = new StrangeTrace();
        TraceLoggingField one = new TraceLoggingField("n", TraceLoggingInType.UnicodeString).AsArray(1);
        TraceLoggingField bytes = new TraceLoggingField(new string('b', 200), TraceLoggingInType.UInt8).AsArray();
        string letters = new('w', 250);
        TraceLoggingField wide = TraceLoggingField.Struct("w", [.. Enumerable.Range(0, 127).Select(
            j => new TraceLoggingField(string.Create(CultureInfo.InvariantCulture, $"{j}{letters}"), TraceLoggingInType.UInt8))]);
        for (int i = 0; i < 20; i++)
        {
            // 60,000 arrays of texts, the first of which ends at once and the others where the payload does.
            trace.Add("P", "Zero", [0x60, 0xEA, .. new byte[120]], TraceLoggingField.Struct("nothing", one).AsArray());
            trace.Add("P", "Bytes", [0x00, 0x04, .. new byte[1024]], bytes);
            trace.Add("P", "Wide", new byte[127], wide);
        }

        (string output, string error) = Dumped(trace, format);
        Assert.InRange(output.Length, 1, 60 * (1024 + (64 * 1026) + 1_000));
        Assert.Contains(said, output);
        Assert.Contains("would take far more text than they have bytes", error);
        Assert.All(
            format == "json" ? output.Split('\n', StringSplitOptions.RemoveEmptyEntries) : [],
            line => Assert.NotNull(JsonNode.Parse(line)));
    }

    private static void AssertPrintable(params IEnumerable<string> texts)
    {
        foreach (string text in texts)
        {
            string lines = text.Replace('\n', ' ');
            Assert.Equal(PrintableText.Of(lines), lines);
        }
    }

    private (string Output, string Error) Dumped(StrangeTrace trace, string format)
    {
        string path = trace.WriteTo(Path.Combine(_folder, "t.etl"));
        (int exitCode, string output, string error) = CommandRun.Analyzer("dump", path, "--format", format);
        Assert.Equal(0, exitCode);
        return (output, error);
    }
}
