using System.IO.Compression;
using Tracer.AnalyzerCommand.Common.Copies;
using Tracer.Simulator.Scenarios;

namespace Tracer.Commands.Tests.Common.Copies;

/// <summary>What is the same is told by content: not by name, length or packing, and no more of a file is read than that takes.</summary>
public sealed class RecordedContentTests : IDisposable
{
    private const int Begin = 1 << 16;

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-copies-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Copies_links_and_packed_copies_count_once()
    {
        string trace = Write("a.etl", Content(3 * Begin, 1));
        string[] same = [Write("b.etl", Content(3 * Begin, 1)), Packed("c.etl.gz"), Zipped("d.zip"), At("e.etl")];
        File.CreateSymbolicLink(same[^1], trace);
        (string[] counting, InputCopy[] copies) = RecordedContent.Among([trace, .. same]);
        Assert.Equal([trace], counting);
        Assert.Equal(same.Select(path => new InputCopy(path, trace)), copies);
        Assert.Equal($"{same[0]} holds what {trace} holds, too: it counts once.", copies[0].Warning);
        Assert.Equal([same[2], Write("f.etl", Content(10, 1))], RecordedContent.Among([same[2], At("f.etl"), trace]).Counting);

        string Packed(string name)
        {
            using var packed = new GZipStream(File.Create(At(name)), CompressionLevel.Fastest);
            packed.Write(Content(3 * Begin, 1));
            return At(name);
        }

        string Zipped(string name)
        {
            using ZipArchive archive = ZipFile.Open(At(name), ZipArchiveMode.Create);
            archive.CreateEntryFromFile(trace, "other.etl");
            return At(name);
        }
    }

    [Fact]
    public void A_part_another_end_another_begin_and_what_is_not_there_count_by_themselves()
    {
        byte[] whole = Content(3 * Begin, 1);
        byte[] otherEnd = [.. whole];
        otherEnd[^1] ^= 1;
        string[] different =
        [
            Write("whole.etl", whole), Write("cut.etl", whole[..^1]), Write("cut.etl.gz", whole[..Begin]), Write("end.etl", otherEnd),
            Write("begin.etl", Content(3 * Begin, 2)), At("nowhere.etl"), Write("empty.etl", []), Write("empty2.etl", []), "-",
        ];
        (string[] counting, InputCopy[] copies) = RecordedContent.Among(different);
        Assert.Equal(different, counting);
        Assert.Empty(copies);
    }

    [Fact]
    public void Only_files_that_may_be_copies_are_read_to_their_ends_and_once()
    {
        byte[] whole = Content(8 * Begin, 1);
        Dictionary<string, byte[]> files = new()
        {
            ["one"] = whole, ["copy"] = [.. whole], ["cut"] = whole[..^5], ["other"] = Content(8 * Begin, 2),
        };
        Dictionary<string, long> read = files.Keys.ToDictionary(name => name, _ => 0L);
        (string[] counting, InputCopy[] copies) = RecordedContent.Among(
            [.. files.Keys], name => files[name].Length, name => new CountedStream(files[name], bytes => read[name] += bytes));
        Assert.Equal(["one", "cut", "other"], counting);
        Assert.Equal(new InputCopy("copy", "one"), Assert.Single(copies));
        Assert.Equal([9 * Begin, 9 * Begin, Begin, Begin], read.Values);
    }

    /// <summary>A slice counts with its trace, whichever is named first; beside another trace of its length it counts by itself.</summary>
    [Fact]
    public void A_part_of_a_trace_counts_with_it()
    {
        string whole = Trace("whole.etl", 3);
        string other = Trace("other.etl", 4);
        string part = At("part.etl");
        string second = At("second.etl");
        Slice(part, "0.1s", "0.4s");
        Slice(second, "0.3s", "0.6s");
        Assert.Equal(("", 3), Counted(part, second, other));
        Assert.Equal((part, 2), Counted(whole, part, other));
        Assert.Equal((part + " " + second, 1), Counted(part, whole, second));
        Assert.Equal($"{part} is a part of {whole}: it counts once.", RecordedContent.Among([part, whole]).Copies.Single().Warning);

        (string Parts, int Counting) Counted(params string[] paths)
        {
            (string[] counting, InputCopy[] copies) = RecordedContent.Among(paths);
            return (string.Join(' ', copies.Select(copy => copy.Path)), counting.Length);
        }

        string Trace(string name, ulong seed)
        {
            using FileStream file = File.Create(At(name));
            _ = new ScenarioRun(ScenarioCatalog.Find("clean")!, seed) { Duration = Duration.FromSeconds(1) }.WriteTo(file);
            return At(name);
        }

        void Slice(string to, string from, string until) =>
            Assert.Equal(0, CommandRun.Analyzer("slice", whole, "--from", from, "--to", until, "-o", to).ExitCode);
    }

    private static byte[] Content(int length, int seed)
    {
        byte[] content = new byte[length];
        new Random(seed).NextBytes(content);
        return content;
    }

    private string At(string name) => Path.Combine(_folder, name);

    private string Write(string name, byte[] content)
    {
        File.WriteAllBytes(At(name), content);
        return At(name);
    }

    private sealed class CountedStream(byte[] content, Action<int> read) : MemoryStream(content)
    {
        public override int Read(Span<byte> buffer)
        {
            int count = base.Read(buffer);
            read(count);
            return count;
        }
    }
}
