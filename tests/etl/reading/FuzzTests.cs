using System.Diagnostics;
using Tracer.Adversary;
using Tracer.Etl.Tests.Conformance;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>
/// Damaged traces by the thousand. Few by default; tests/etl/fuzz.sh reads 100,000. TRACER_FUZZ_FILES says how many, TRACER_FUZZ_SEED
/// which, TRACER_FUZZ_LARGE=1 that some are made of large ones, as where all is tried, and TRACER_FUZZ_REPORT names a file that the figures
/// are added to.
/// </summary>
[Collection(Alone.Name)]
[Trait("Speed", "slow")]
public class FuzzTests
{
    private const int DefaultFiles = 90;
    private const int DefaultSeed = 20_261_121;

    /// <summary>Real files are cut after so many bytes, at a buffer's end: many small ones find more than few large ones.</summary>
    private const int BaseBytes = 72 * 1024;

    /// <summary>Larger ones, where all is tried, stand for the files that people have: some of their megabytes.</summary>
    private const int LargeBytes = 4 * 1024 * 1024;

    [Fact]
    public void Whatever_a_file_holds_reading_it_ends_soon_takes_little_memory_and_throws_nothing_else()
    {
        int files = Setting.Number("TRACER_FUZZ_FILES", Selection.Cases(DefaultFiles));
        int seed = Setting.Number("TRACER_FUZZ_SEED", DefaultSeed);
        bool withLarge = Selection.IsAll || files > DefaultFiles || Setting.Number("TRACER_FUZZ_LARGE", 0) == 1;
        List<FuzzBase> bases = Bases(withLarge);
        var worst = new Worst();
        var watch = Stopwatch.StartNew();
        for (int i = 0; i < files; i++)
        {
            byte[] file = new TraceMutator(bases, new Random(seed + i)).Next(out string name);
            try
            {
                FuzzCost cost = FuzzReading.Read(file, isSpooled: (seed + i) % 16 == 0);
                if (i > 0)
                {
                    worst.Add(cost); // The first is compiled while it is read.
                }
            }
            catch (Exception fault)
            {
                throw new InvalidOperationException(
                    $"TRACER_FUZZ_FILES=1 TRACER_FUZZ_LARGE={(withLarge ? 1 : 0)} TRACER_FUZZ_SEED={seed + i} shows it again: "
                        + $"{name}, {file.Length} bytes", fault);
            }
        }

        FuzzReport.Add(string.Create(
            CultureInfo.InvariantCulture,
            $"files {files}, seed {seed}, bases {bases.Count}, seconds {watch.Elapsed.TotalSeconds:f0}, {worst}"));
    }

    private static List<FuzzBase> Bases(bool withLarge)
    {
        List<FuzzBase> bases = SmallBases();
        foreach (AdversaryFamily family in ReadingFamilies.All)
        {
            bool isBomb = family.Name.StartsWith("bomb", StringComparison.Ordinal);
            bases.Add(FuzzBase.OfAny(family.Name, family.Make(isBomb ? 2000 : 64 * 1024)));
            if (withLarge && !isBomb)
            {
                bases.Add(FuzzBase.OfAny(family.Name + ", large", family.Make(1024 * 1024)));
            }
        }

        if (withLarge)
        {
            AddLarge(bases);
        }

        return bases;
    }

    private static void AddLarge(List<FuzzBase> bases)
    {
        foreach (bool compress in (bool[])[false, true])
        {
            var shape = new TraceShape { Compress = compress, Events = 60_000, BufferBytes = 65_536, Cpus = 8, Inversions = true };
            bases.Add(new FuzzBase($"large, compressed {compress}", WrittenTrace.Of(shape)));
            bases.Add(new FuzzBase($"large, tiny buffers, compressed {compress}", WrittenTrace.Of(shape with { BufferBytes = 1024 })));
        }

        foreach (string file in TraceVisit.Files().Where(file => !file.StartsWith('(')))
        {
            byte[] bytes = file.EndsWith(".gz", StringComparison.Ordinal)
                ? TraceVisit.Decompressed(Path.Combine(RepositoryFiles.Corpus(), file)).ToArray()
                : File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file));
            int end = bytes.Length <= LargeBytes ? bytes.Length : LargeBytes / (1024 * 1024) * (1024 * 1024);
            if (end > 1024 * 1024)
            {
                bases.Add(FuzzBase.OfAny(file, bytes[..end]));
            }
        }
    }

    private static List<FuzzBase> SmallBases()
    {
        List<FuzzBase> bases = [];
        foreach (bool compress in (bool[])[false, true])
        {
            var shape = new TraceShape { Compress = compress, Events = 600, Inversions = true };
            bases.Add(new FuzzBase($"written, compressed {compress}", WrittenTrace.Of(shape)));
            bases.Add(new FuzzBase($"noise, compressed {compress}", WrittenTrace.Of(shape with { Noise = true, Cpus = 7 })));
            bases.Add(new FuzzBase($"wide, compressed {compress}", WrittenTrace.Of(shape with { Cpus = 300, Events = 60 })));
        }

        bases.Add(new FuzzBase("ring", WrittenTrace.Of(new TraceShape { RingBuffers = 5, Events = 1000 })));
        foreach (string file in RepositoryFiles.InCorpus("*.etl"))
        {
            string path = Path.Combine(RepositoryFiles.Corpus(), file);
            byte[] bytes = File.ReadAllBytes(path);
            List<StoredBuffer> buffers = StoredFile.Buffers(bytes);
            int end = buffers.Select(buffer => buffer.At + buffer.Size).Where(place => place <= BaseBytes).DefaultIfEmpty(0).Max();
            if (end > buffers[0].Size || bytes.Length <= 2 * BaseBytes)
            {
                bases.Add(new FuzzBase(file, end > buffers[0].Size ? bytes[..end] : bytes));
            }
        }

        return bases;
    }

    /// <summary>The most of everything, by file and by byte of those that are large enough for that to mean something.</summary>
    private sealed class Worst
    {
        private const int BytesToDivideBy = 256 * 1024;

        private double _seconds;
        private double _microsecondsOfAByte;
        private long _held;
        private double _heldOfAByte;
        private long _work;
        private double _workOfAByte;

        public void Add(in FuzzCost cost)
        {
            _seconds = Math.Max(_seconds, cost.Seconds);
            _held = Math.Max(_held, cost.HeldBytes);
            _work = Math.Max(_work, cost.Work);
            if (cost.Bytes >= BytesToDivideBy)
            {
                _microsecondsOfAByte = Math.Max(_microsecondsOfAByte, 1e6 * cost.Seconds / cost.Bytes);
                _heldOfAByte = Math.Max(_heldOfAByte, cost.HeldBytes / (double)cost.Bytes);
                _workOfAByte = Math.Max(_workOfAByte, cost.Work / (double)cost.Bytes);
            }
        }

        public override string ToString() => string.Create(
            CultureInfo.InvariantCulture,
            $"slowest file {_seconds:f3} s, most heap held {_held / 1024.0 / 1024.0:f1} MiB, "
                + $"most work {_work / 1e6:f0} million; of files of "
            + $"256 KiB and more: {_microsecondsOfAByte:f3} us, {_heldOfAByte:f1} bytes held and work {_workOfAByte:f0} for a byte");
    }
}
