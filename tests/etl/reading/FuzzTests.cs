using System.Diagnostics;
using System.Globalization;
using Tracer.Etl.Tests.Writing;
using Tracer.Tests;

namespace Tracer.Etl.Tests.Reading;

/// <summary>
/// Damaged traces by the thousand. Few by default; tests/etl/fuzz.sh reads 100,000. TRACER_FUZZ_FILES says how many, TRACER_FUZZ_SEED
/// which, and TRACER_FUZZ_REPORT names a file that the figures are added to.
/// </summary>
[Collection(Alone.Name)]
public class FuzzTests
{
    private const int DefaultFiles = 1000;
    private const int DefaultSeed = 20_261_121;

    /// <summary>Real files are cut after so many bytes, at a buffer's end: many small ones find more than few large ones.</summary>
    private const int BaseBytes = 72 * 1024;

    [Fact]
    public void Whatever_a_file_holds_reading_it_ends_soon_takes_little_memory_and_throws_nothing_else()
    {
        int files = Number("TRACER_FUZZ_FILES", DefaultFiles);
        int seed = Number("TRACER_FUZZ_SEED", DefaultSeed);
        List<FuzzBase> bases = Bases();
        double worstSeconds = 0;
        long worstHeld = 0;
        var watch = Stopwatch.StartNew();
        for (int i = 0; i < files; i++)
        {
            byte[] file = new TraceMutator(bases, new Random(seed + i)).Next(out string name);
            try
            {
                (double seconds, long held) = FuzzReading.Read(file, isSpooled: (seed + i) % 16 == 0);
                worstSeconds = i == 0 ? 0 : Math.Max(worstSeconds, seconds); // The first is compiled while it is read.
                worstHeld = Math.Max(worstHeld, held);
            }
            catch (Exception fault)
            {
                throw new InvalidOperationException(
                    $"TRACER_FUZZ_FILES=1 TRACER_FUZZ_SEED={seed + i} shows it again: {name}, {file.Length} bytes", fault);
            }
        }

        Report(string.Create(
            CultureInfo.InvariantCulture,
            $"files {files}, seed {seed}, bases {bases.Count}, seconds {watch.Elapsed.TotalSeconds:f0}, slowest file {worstSeconds:f3} s, "
            + $"most heap held {worstHeld / 1024.0 / 1024.0:f1} MiB"));
    }

    private static int Number(string variable, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? number
            : otherwise;

    private static void Report(string figures)
    {
        TestContext.Current.SendDiagnosticMessage(figures);
        if (Environment.GetEnvironmentVariable("TRACER_FUZZ_REPORT") is { Length: > 0 } path)
        {
            File.AppendAllText(path, figures + "\n");
        }
    }

    private static List<FuzzBase> Bases()
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
}
