using System.Text.RegularExpressions;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Tests.Decoding;

/// <summary>Events of real files, against what TraceEvent made of them on Windows.</summary>
public partial class RealDecodingTests
{
    // Fields that TraceEvent computes, and names that it keeps to itself.
    private static readonly HashSet<string> Computed =
    [
        "PID", "TID", "PName", "ProceNum", "DataLen", "TotalHeapSize", "TotalPromoted", "ConcurrentCompactMechanisms", "Depth(HeapStats)",
    ];

    [Theory]
    [InlineData("perfview-primitive-types")]
    [InlineData("perfview-gcevents")]
    public void Events_have_the_names_and_values_of_the_baseline(string file)
    {
        string[] baseline =
        [
            .. File.ReadLines(Path.Combine(RepositoryFiles.Corpus(), file + ".baseline.txt"))
                .Where(line => !line.Contains("Windows Kernel", StringComparison.Ordinal)),
        ];
        var samples = baseline.Where(line => line.StartsWith("EVENT", StringComparison.Ordinal))
            .GroupBy(line => BaselineEvent().Match(line).Groups[1].Value)
            .ToDictionary(group => group.Key, group => new Queue<string>(group));
        var counts = new Dictionary<string, int>();
        int compared = 0;
        var decoder = new EventDecoder();
        CorpusEvents.Visit(file + ".etl", (in EtlEvent traceEvent) =>
        {
            if (!traceEvent.IsEventHeader)
            {
                return;
            }

            Assert.True(decoder.TryDescribe(in traceEvent, out EventSchema? schema));
            var text = new FieldText();
            PayloadResult result = decoder.WriteFields(in traceEvent, text);
            Assert.True(result.Outcome == PayloadOutcome.Complete, $"{schema!.FullName}: {result}");
            counts[schema.FullName] = counts.GetValueOrDefault(schema.FullName) + 1;
            if (samples.TryGetValue(schema.FullName, out Queue<string>? lines) && lines.TryPeek(out string? line)
                && line.Contains($" DataLen={traceEvent.Payload.Length};", StringComparison.Ordinal))
            {
                compared += Compare(lines.Dequeue(), text);
            }
        });
        foreach (Match count in baseline.Select(line => BaselineCount().Match(line)).Where(count => count.Success))
        {
            string name = count.Groups[1].Value;
            Assert.Equal(count.Groups[2].Value, counts.GetValueOrDefault(name).ToString(CultureInfo.InvariantCulture));
        }

        Every.Item(samples, sample => Assert.True(sample.Value.Count == 0, $"not compared: {sample.Key}"));
        Assert.True(compared >= 60, $"{compared} values compared");
    }

    [Theory]
    [InlineData("ebpf-for-windows-tracelogging.etl", 13_841)]
    [InlineData("airbus-AMSITrace.etl", 19)]
    [InlineData("perfview-SelfDescribingSingleEvent.etl", 0)]
    public void Every_tracelogging_event_is_consumed_exactly(string file, int events)
    {
        var decoder = new EventDecoder();
        int decoded = 0;
        CorpusEvents.Visit(file, (in EtlEvent traceEvent) =>
        {
            if (traceEvent.Channel != 11)
            {
                return;
            }

            PayloadResult result = decoder.WriteFields(in traceEvent, new FieldText());
            Assert.Equal(new PayloadResult(PayloadOutcome.Complete, traceEvent.Payload.Length, 0), result);
            decoded++;
        });
        Assert.Equal(events, decoded);
        Assert.Equal(0, decoder.TraceLoggingSchemasMalformed);
    }

    [Theory]
    [InlineData("krabsetw-powershell.etl")]
    [InlineData("tx-Process.etl")]
    [InlineData("perfview-gcrundownevents.etl")]
    public void Events_whose_manifest_is_not_in_the_trace_are_unknown(string file)
    {
        var decoder = new EventDecoder();
        CorpusEvents.Visit(file, (in EtlEvent traceEvent) =>
        {
            decoder.Learn(in traceEvent);
            if (traceEvent.IsEventHeader)
            {
                Assert.False(decoder.TryDescribe(in traceEvent, out _));
                Assert.Equal(PayloadOutcome.Unknown, decoder.WriteFields(in traceEvent, new FieldText()).Outcome);
            }
        });
    }

    [Fact]
    public void No_real_event_makes_the_decoder_throw()
    {
        foreach (string file in RepositoryFiles.InCorpus("*.etl"))
        {
            var decoder = new EventDecoder();
            CorpusEvents.Visit(file, (in EtlEvent traceEvent) =>
            {
                decoder.Learn(in traceEvent);
                var text = new FieldText();
                decoder.WriteFields(in traceEvent, text);
                Assert.True(text.IsBalanced);
            });
            Assert.Equal((0, 0, 0), (decoder.Manifests.Malformed, decoder.Manifests.Incomplete, decoder.Metadata.Malformed));
        }
    }

    [Fact]
    public void Learning_from_other_events_allocates_nothing()
    {
        var decoder = new EventDecoder();
        long allocated = 0;
        CorpusEvents.Visit("tx-Process.etl", (in EtlEvent traceEvent) =>
        {
            decoder.Learn(in traceEvent);
            long before = GC.GetAllocatedBytesForCurrentThread();
            decoder.Learn(in traceEvent);
            allocated += GC.GetAllocatedBytesForCurrentThread() - before;
        });
        Assert.Equal(0, allocated);
    }

    /// <returns>How many values of a line were there and equal.</returns>
    private static int Compare(string line, FieldText text)
    {
        Dictionary<string, string> values = text.TopLevel.ToDictionary(field => field.Name, field => field.Value);
        int equal = 0;
        foreach (Match field in BaselineField().Matches(line[line.IndexOf("DataLen=", StringComparison.Ordinal)..]))
        {
            (string name, string expected) = (field.Groups[1].Value, field.Groups[2].Value);
            bool isHeapStatsDepth = name == "Depth" && line.Contains("/HeapStats ", StringComparison.Ordinal);
            bool isAddedByTraceEvent = (name is "TypeName" && line.Contains("FinalizeObject", StringComparison.Ordinal))
                || name is "CompactMechanisms" or "ExpandMechanisms" || (name == "MemoryPressure" && expected.Length == 0);
            if (Computed.Contains(name) || isHeapStatsDepth || isAddedByTraceEvent)
            {
                continue;
            }

            Assert.True(values.TryGetValue(name, out string? value), $"no field {name} in {text}");
            Assert.True(IsSame(expected, value), $"{name}: {expected} in the baseline, {value} here");
            equal++;
        }

        return equal;
    }

    private static bool IsSame(string expected, string value)
    {
        string plain = expected.Replace(",", "", StringComparison.Ordinal);
        if (expected.EndsWith("...", StringComparison.Ordinal))
        {
            // The baseline cuts long values, and writes times and lists of flags its own way.
            string start = expected[..^3];
            return value.StartsWith(start, StringComparison.Ordinal)
                || value.Replace("|", ", ", StringComparison.Ordinal).StartsWith(start, StringComparison.Ordinal)
                || (DateTime.TryParseExact(
                        start[..17], "yy/MM/dd HH:mm:ss", CultureInfo.InvariantCulture, DateTimeStyles.None, out DateTime time)
                    && value.StartsWith(time.ToString("yyyy-MM-ddTHH:mm:ss", CultureInfo.InvariantCulture), StringComparison.Ordinal));
        }

        return plain == value
            || string.Equals(plain, value, StringComparison.OrdinalIgnoreCase) // True and true.
            || (value.Length == 1 && plain == ((int)value[0]).ToString(CultureInfo.InvariantCulture)) // A character.
            || (ulong.TryParse(value, out ulong unsigned) && long.TryParse(plain, out long signed) && (ulong)signed == unsigned)
            || (TryHex(plain, out ulong left) && TryHex(value, out ulong right) && left == right);
    }

    private static bool TryHex(string text, out ulong value)
    {
        value = 0;
        return text.StartsWith("0x", StringComparison.Ordinal)
            && ulong.TryParse(text.AsSpan(2), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out value);
    }

    [GeneratedRegex(@"^EVENT\s+\S+:\s+(.*?) PID=")]
    private static partial Regex BaselineEvent();

    [GeneratedRegex(@"^COUNT (.*):(\d+)$")]
    private static partial Regex BaselineCount();

    [GeneratedRegex(@"(\w+)=([^;]*);")]
    private static partial Regex BaselineField();
}
