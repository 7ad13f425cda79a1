using System.IO.Compression;
using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Contract.Tests.Latency;

/// <summary>Our encoding against histograms that another implementation recorded and encoded (tests/hdr).</summary>
public class HdrEncodingTests
{
    private static readonly string Folder = Path.Combine(RepositoryFiles.Root, "tests", "hdr");

    public static TheoryData<string> Names => [.. Vectors().Select(vector => vector[0])];

    /// <summary>Columns: name, values, percentiles 50 90 99 99.9, encoding.</summary>
    private static IEnumerable<string[]> Vectors() =>
        File.ReadLines(Path.Combine(RepositoryFiles.Root, "tests", "contract", "latency", "golden-vectors.txt"))
            .Select(line => line.Split('\t'));

    [Theory]
    [MemberData(nameof(Names))]
    public void What_others_recorded_is_what_we_record(string name)
    {
        string[] vector = Vectors().Single(one => one[0] == name);
        HdrHistogram ours = HdrHistogramTests.Of(Numbers(vector[1]));
        HdrHistogram? theirs = HdrEncoding.Decode(vector[3]);
        Assert.NotNull(theirs);
        Assert.Equal(ours.Layout, theirs.Layout);
        Assert.Equal(Counts(ours), Counts(theirs));
        Assert.Equal(Numbers(vector[2]), new[] { 50, 90, 99, 99.9 }.Select(ours.AtPercentile));
        if (ours.Count > 0)
        {
            // Index offset and ratio are 0 and 1.0 as in Java's encoding; JavaScript ignores them and writes a whole 1 into both.
            byte[] inner = Inner(HdrEncoding.Encode(ours));
            Assert.Equal("00000000", Convert.ToHexString(inner.AsSpan(8, 4)));
            Assert.Equal("3FF0000000000000", Convert.ToHexString(inner.AsSpan(32, 8)));
            byte[] expected = Inner(vector[3]);
            inner.AsSpan(8, 4).CopyTo(expected.AsSpan(8));
            inner.AsSpan(32, 8).CopyTo(expected.AsSpan(32));
            Assert.Equal(expected, inner);
        }
    }

    [Fact]
    public void What_is_encoded_is_decoded() => Prop.ForAll(
        ArbMap.Default.ArbFor<uint[]>(),
        values =>
        {
            HdrHistogram ours = HdrHistogramTests.Of(values.Select(value => (long)value));
            return HdrEncoding.Decode(HdrEncoding.Encode(ours)) is { } read && Counts(read).SequenceEqual(Counts(ours));
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void No_text_makes_decoding_throw()
    {
        Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), bytes => HdrEncoding.Decode(Convert.ToBase64String(bytes)) is null)
            .QuickCheckThrowOnFailure();
        byte[] good = Convert.FromBase64String(HdrEncoding.Encode(HdrHistogramTests.Of([5, 5000, 5_000_000])));
        for (int at = 0; at < good.Length; at++)
        {
            foreach (byte value in (byte[])[0, 1, 0x7F, 0x80, 0xFF])
            {
                byte[] bad = [.. good];
                bad[at] = value;
                _ = HdrEncoding.Decode(Convert.ToBase64String(bad));
            }
        }
    }

    /// <summary>A report that others write may claim what its histogram contradicts: then it is not merged.</summary>
    [Fact]
    public void A_distribution_whose_numbers_contradict_its_histogram_is_refused()
    {
        LatencyDistribution good = LatencyDistributions.Of(
            LatencyKind.Dpc, LatencySource.Driver, LatencyPart.All, HdrHistogramTests.Of([1001, 5003, 70_007]));
        Assert.True(HdrHistogramTests.AreSame(
            LatencyDistributions.HistogramOf(good)!, HdrHistogramTests.Of([1001, 5003, 70_007])));
        LatencyDistribution[] bad =
        [
            good with { Count = 4 },
            good with { Minimum = new Duration(999) },
            good with { Maximum = new Duration(90_000) },
            good with { Total = new Duration(3) },
            good with { Histogram = "HISTFAAAA" },
        ];
        Every.Item(bad, one => Assert.Null(LatencyDistributions.HistogramOf(one)));
    }

    [Fact]
    public void The_percentile_text_and_the_log_are_as_stored()
    {
        HdrHistogram histogram = HdrHistogramTests.Of(Enumerable.Range(1, 10_000).Select(value => 1000L + ((long)value * value)));
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        HdrPercentileText.Write(histogram, 1, text);
        HdrLog.WriteHeader("a test", new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc), text);
        HdrLog.Write("a, b", 0, 1.5, HdrHistogramTests.Of([2000]), text);
        GoldenText.AssertEqual("tests/contract/latency/texts.txt", text.ToString());
    }

    /// <summary>What we write, as HdrHistogram's own JavaScript reads it; its percentile text is ours, letter by letter.</summary>
    [Fact]
    public void Tools_of_others_read_what_we_write()
    {
        Assert.SkipUnless(Fetched(), "no node, or npm could not fetch the package of tests/hdr/package-lock.json");
        HdrHistogram[] ours =
        [
            HdrHistogramTests.Of([1]),
            HdrHistogramTests.Of([2047, 2048, 4095, 4096, 3_600_000_000_000]),
            HdrHistogramTests.Of(Enumerable.Range(1, 10_000).Select(value => 1000L + ((long)value * value))),
        ];
        string encoded = Path.Combine(Path.GetTempPath(), $"tracer-hdr-{Environment.ProcessId}.txt");
        try
        {
            File.WriteAllLines(encoded, ours.Select(HdrEncoding.Encode));
            string[] read = ChildProcess.Output("node", Path.Combine(Folder, "check.mjs"), encoded).Trim().Split('\n');
            Assert.Equal(ours.Length, read.Length);
            for (int i = 0; i < ours.Length; i++)
            {
                using var theirs = JsonDocument.Parse(read[i]);
                JsonElement root = theirs.RootElement;
                Assert.Equal(ours[i].Count, root.GetProperty("count").GetInt64());
                Assert.Equal(
                    new[] { 0, 50, 90, 99, 99.9, 99.99, 99.999, 100 }.Select(ours[i].AtPercentile),
                    root.GetProperty("percentiles").EnumerateArray().Select(value => value.GetInt64()));
                using var text = new StringWriter(CultureInfo.InvariantCulture);
                HdrPercentileText.Write(ours[i], 1, text);
                Assert.Equal(root.GetProperty("text").GetString(), text.ToString());
            }
        }
        finally
        {
            File.Delete(encoded);
        }
    }

    private static bool Fetched()
    {
        if (Directory.Exists(Path.Combine(Folder, "node_modules", "hdr-histogram-js")))
        {
            return true;
        }

        try
        {
            return !OperatingSystem.IsWindows()
                && ChildProcess.Run("npm", "ci", "--prefix", Folder, "--no-audit", "--no-fund", "--ignore-scripts").ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false;
        }
    }

    private static IEnumerable<long> Numbers(string list) =>
        list.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(number => long.Parse(number, CultureInfo.InvariantCulture));

    private static IEnumerable<(int Index, long Count)> Counts(HdrHistogram histogram)
    {
        for (int index = histogram.NextCounted(0); index >= 0; index = histogram.NextCounted(index + 1))
        {
            yield return (index, histogram.CountAt(index));
        }
    }

    private static byte[] Inner(string base64)
    {
        const int OuterBytes = 8;
        using var zip = new ZLibStream(
            new MemoryStream(Convert.FromBase64String(base64)[OuterBytes..]), CompressionMode.Decompress);
        using var inner = new MemoryStream();
        zip.CopyTo(inner);
        return inner.ToArray();
    }
}
