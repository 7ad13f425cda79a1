using System.Security.Cryptography;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>
/// Header fields of all events of a file, each field summed up with the event's position as a factor: equal sums mean equal values in
/// equal order, but for coincidence. Of packed files, which are large, the first buffers are read and every fifth event is summed up, for
/// the sake of Python's time: how many events they have is known from their authors.
/// </summary>
internal sealed record HeaderSums(
    string File, long Events, ulong Kinds, ulong Sizes, ulong Times, ulong Opcodes, ulong Versions, ulong Threads, ulong Processes)
{
    /// <summary>How many bytes of a packed file are read, in whole buffers.</summary>
    public const int PackedBytes = 40 * 65536;

    private const int PackedStep = 5;

    private bool IsPacked => File.EndsWith(".gz", StringComparison.Ordinal);

    /// <summary>Of our reader, in the order of the file.</summary>
    public static HeaderSums Ours(string file)
    {
        var sums = new HeaderSums(file, 0, 0, 0, 0, 0, 0, 0, 0);
        using EtlReader reader = TraceVisit.Open(file);
        TraceVisit.Visit(reader, EtlOrder.File, (scoped in EtlEvent traceEvent) => sums = sums.With(in traceEvent));
        return sums;
    }

    private HeaderSums With(scoped in EtlEvent traceEvent)
    {
        ulong factor = (ulong)Events + 1;
        if (IsPacked && (traceEvent.BufferOffset >= PackedBytes || factor % PackedStep != 0))
        {
            return traceEvent.BufferOffset < PackedBytes ? this with { Events = Events + 1 } : this;
        }

        bool isMessage = traceEvent.Kind == EtlHeaderKind.Message;
        bool hasIds = traceEvent.ThreadId != EtlEvent.NotInHeader || traceEvent.ProcessId != EtlEvent.NotInHeader;
        return this with
        {
            Events = Events + 1,
            Kinds = Kinds + (factor * (byte)traceEvent.Kind),
            Sizes = Sizes + (factor * (ulong)traceEvent.Record.Length),
            Times = Times + (factor * (ulong)traceEvent.TimestampTicks),
            Opcodes = Opcodes + (factor * traceEvent.Opcode),
            Versions = Versions + (factor * (isMessage ? 0u : traceEvent.Version)),
            Threads = Threads + (factor * (hasIds ? traceEvent.ThreadId : 0)),
            Processes = Processes + (factor * (hasIds ? traceEvent.ProcessId : 0)),
        };
    }
}

/// <summary>
/// All files of the corpus, read by dissect.etl: small ones now. What it said of the others is stored with their hash, and holds for these
/// bytes alone: it takes Python half a minute, and UPDATE_GOLDEN=1 asks it anew.
/// </summary>
internal static class DissectComparison
{
    /// <summary>What dissect.etl said of each file: its name and hash, and below the sums.</summary>
    public const string StoredFile = "tests/etl/conformance/dissect.txt";

    private const long MostBytesNow = 512 * 1024;

    private const string Script =
        """
        import itertools
        import struct
        import sys
        from dissect.etl import ETL

        def fields(header):
            kind = header._marker.header_type
            opcode = getattr(header, "opcode", 0) or 0
            version = header.version or 0
            if kind in (10, 20, 11, 21):  # Classic headers: opcode, level and version in one word.
                opcode, version = version & 0xFF, version >> 16
            elif kind not in (18, 19):  # Hooks: counters of performance events share the word.
                version &= 0xFF
            thread = getattr(header, "thread_id", 0) or 0
            process = getattr(header, "process_id", 0) or 0
            if thread == process == 0xFFFFFFFF:
                thread = process = 0
            return kind, header.size, header.time_delta or 0, opcode, version, thread, process

        for path in sys.argv[1:]:
            with open(path, "rb") as file:
                trace = ETL(file)
                sums = [0] * 8
                is_packed = path.endswith(".unpacked")
                step = 5 if is_packed else 1
                size = struct.unpack("<I", open(path, "rb").read(4))[0]
                buffers = itertools.islice(trace.buffers(), -(-40 * 65536 // size) if is_packed else None)
                for factor, event in enumerate(itertools.chain.from_iterable(buffers), 1):
                    sums[0] += 1
                    if factor % step:
                        continue
                    for i, value in enumerate(fields(event.header), 1):
                        sums[i] += factor * value
                print(*(value & 0xFFFFFFFFFFFFFFFF for value in sums))
        """;

    private static readonly Lazy<IReadOnlyList<(HeaderSums Ours, HeaderSums Theirs)>> Done = new(Compare);

    /// <summary>What either reader says of every file; skips the test where dissect.etl is absent.</summary>
    public static IReadOnlyList<(HeaderSums Ours, HeaderSums Theirs)> All => Done.Value;

    /// <summary>All answers, as they are stored.</summary>
    public static string Answers() =>
        string.Concat(All.Select(file => $"{file.Theirs.File} {Hash(file.Theirs.File)}\n{Sums(file.Theirs)}\n"));

    private static (HeaderSums Ours, HeaderSums Theirs)[] Compare()
    {
        string[] files = TraceVisit.Files();
        Dictionary<string, HeaderSums> theirs = files.Select(StoredAnswer).OfType<HeaderSums>().ToDictionary(sums => sums.File);
        string folder = Directory.CreateTempSubdirectory("tracer-conformance-").FullName;
        try
        {
            DissectPackages.Run("import dissect.etl");
            string[] asked = [.. files.Where(file => !theirs.ContainsKey(file))];
            string[] lines = DissectPackages.Run(Script, asked.Select((file, i) => Unpacked(file, Path.Combine(folder, $"{i}.unpacked"))))
                .Split('\n');
            for (int i = 0; i < asked.Length; i++)
            {
                theirs.Add(asked[i], Parse(asked[i], lines[i]));
            }

            return [.. files.Select(file => (HeaderSums.Ours(file), theirs[file]))];
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>What is stored of a large file; null of one that is small, not stored, or of other bytes.</summary>
    private static HeaderSums? StoredAnswer(string file)
    {
        string stored = Path.Combine(RepositoryFiles.Root, StoredFile);
        bool isSmall = !file.EndsWith(".gz", StringComparison.Ordinal) && new FileInfo(PathOf(file)).Length <= MostBytesNow;
        if (isSmall || Environment.GetEnvironmentVariable("UPDATE_GOLDEN") == "1" || !File.Exists(stored))
        {
            return null;
        }

        string[] lines = File.ReadAllLines(stored);
        int at = Array.IndexOf(lines, $"{file} {Hash(file)}");
        return at < 0 ? null : Parse(file, lines[at + 1]);
    }

    private static string PathOf(string file) => Path.Combine(RepositoryFiles.Corpus(), file);

    private static string Hash(string file) => Convert.ToHexStringLower(SHA256.HashData(File.ReadAllBytes(PathOf(file))));

    private static string Unpacked(string file, string target)
    {
        string path = PathOf(file);
        if (!file.EndsWith(".gz", StringComparison.Ordinal))
        {
            return path;
        }

        using FileStream plain = File.Create(target);
        TraceVisit.Decompressed(path).CopyTo(plain);
        return target;
    }

    private static string Sums(HeaderSums of) => string.Create(
        CultureInfo.InvariantCulture,
        $"{of.Events} {of.Kinds} {of.Sizes} {of.Times} {of.Opcodes} {of.Versions} {of.Threads} {of.Processes}");

    private static HeaderSums Parse(string file, string line)
    {
        ulong[] sums = [.. line.Split(' ').Select(sum => ulong.Parse(sum, CultureInfo.InvariantCulture))];
        return new HeaderSums(file, (long)sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]);
    }
}
