using System.Diagnostics;

namespace Tracer.Symbols.Tests.Pdb;

/// <summary>
/// Damaged PDBs by the thousand. Few by default; tests/symbols/fuzz.sh reads 100,000. TRACER_FUZZ_FILES says how many, TRACER_FUZZ_SEED
/// which, and TRACER_FUZZ_REPORT names a file that the figures are added to.
/// </summary>
[Collection(Alone.Name)]
public class PdbFuzzTests
{
    private const int DefaultFiles = 1000;
    private const int DefaultSeed = 20_261_121;

    [Fact]
    public void Whatever_a_file_holds_reading_it_ends_soon_takes_little_memory_and_throws_nothing()
    {
        int files = Setting.Number("TRACER_FUZZ_FILES", DefaultFiles);
        int seed = Setting.Number("TRACER_FUZZ_SEED", DefaultSeed);
        List<PdbFuzzBase> bases = Bases();
        double worstSeconds = 0;
        long worstHeld = 0;
        long found = 0;
        var watch = Stopwatch.StartNew();
        for (int i = 0; i < files; i++)
        {
            byte[] file = new PdbMutator(bases, new Random(seed + i)).Next(out string name);
            try
            {
                (double seconds, long held, int foundHere) = PdbFuzzReading.Read(file);
                worstSeconds = i == 0 ? 0 : Math.Max(worstSeconds, seconds); // The first is compiled while it is read.
                worstHeld = Math.Max(worstHeld, held);
                found += foundHere;
            }
            catch (Exception fault)
            {
                throw new InvalidOperationException(
                    $"TRACER_FUZZ_FILES=1 TRACER_FUZZ_SEED={seed + i} shows it again: {name}, {file.Length} bytes", fault);
            }
        }

        FuzzReport.Add(string.Create(
            CultureInfo.InvariantCulture,
            $"PDB: files {files}, seed {seed}, bases {bases.Count}, seconds {watch.Elapsed.TotalSeconds:f0}, slowest file "
            + $"{worstSeconds:f3} s, most heap held {worstHeld / 1024.0 / 1024.0:f1} MiB, addresses found {found}"));
        Assert.InRange(found, files == 1 ? 0 : files, long.MaxValue);
    }

    /// <summary>
    /// Hand-made ones in small pages, so that containers are damaged too; where the tools are, those of a linker; and the corpus.
    /// </summary>
    private static List<PdbFuzzBase> Bases()
    {
        List<PdbFuzzBase> bases = [];
        foreach (HandMadePdb made in (HandMadePdb[])[HandMadeTests.Small(), HandMadeTests.Varied()])
        {
            bases.Add(new($"made, pages in order, {bases.Count}", made.ToArray(512)));
            bases.Add(new($"made, pages scattered, {bases.Count}", made.ToArray(512, new Random(4))));
        }

        if (LlvmTools.AreHere("clang-16", "lld-link-16"))
        {
            bases.AddRange(((string[])["x64", "x86", "x64 split", "x64 folded"]).Select(
                name => new PdbFuzzBase(name, File.ReadAllBytes(PdbFixture.Of(name).PdbPath))));
        }

        bases.AddRange(
            from file in RepositoryFiles.InCorpus("pdb/*.pdb")
            where file.EndsWith(".pdb", StringComparison.Ordinal) && !file.EndsWith("-portable.pdb", StringComparison.Ordinal)
            select new PdbFuzzBase(file, File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), "pdb", file))));

        return bases;
    }
}
