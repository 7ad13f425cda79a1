using System.IO.Compression;
using Tracer.Adversary;
using Tracer.Etl.Tests.Reading;

namespace Tracer.Commands.Tests.Fuzzing;

/// <summary>
/// The traces that damaged ones are made of: hostile families, our samples, real traces; small ones, and some of megabytes.
/// </summary>
internal static class FuzzBases
{
    private const int SmallBytes = 12 * 1024;
    private const int LargeBytes = 2 * 1024 * 1024;
    private const int BombBytes = 400;
    private const int RealBytes = 40 * 1024;

    /// <param name="withLarge">Those of megabytes, too.</param>
    public static List<FuzzBase> Make(bool withLarge)
    {
        List<FuzzBase> bases = [];
        foreach (AdversaryFamily family in AnalysisFamilies.All)
        {
            bases.Add(new FuzzBase(family.Name, family.Make(SmallBytes)));
            Add(bases, withLarge, family.Name + ", large", () => family.Make(LargeBytes));
        }

        foreach (AdversaryFamily family in ReadingFamilies.All)
        {
            bool isBomb = family.Name.StartsWith("bomb", StringComparison.Ordinal);
            bases.Add(FuzzBase.OfAny(family.Name, family.Make(isBomb ? BombBytes : SmallBytes)));
            Add(bases, withLarge && !isBomb, family.Name + ", large", () => family.Make(LargeBytes));
        }

        string samples = Path.Combine(RepositoryFiles.Root, "samples");
        foreach (string path in Directory.EnumerateFiles(samples, "*.etl").Order(StringComparer.Ordinal))
        {
            byte[] bytes = File.ReadAllBytes(path);
            bases.Add(Cut(Path.GetFileName(path), bytes));
            Add(bases, withLarge, Path.GetFileName(path) + ", whole", () => bytes);
        }

        foreach (string file in RepositoryFiles.InCorpus("*.etl").Concat(RepositoryFiles.InCorpus("*.etl.gz"))
            .Where(file => !file.StartsWith('(')))
        {
            byte[] bytes = Read(Path.Combine(RepositoryFiles.Corpus(), file));
            bases.Add(Cut(file, bytes));
            Add(bases, withLarge && bytes.Length > 1024 * 1024, file + ", large", () => bytes[..Math.Min(bytes.Length, LargeBytes)]);
        }

        return bases;
    }

    private static void Add(List<FuzzBase> bases, bool isWanted, string name, Func<byte[]> make)
    {
        if (isWanted)
        {
            bases.Add(FuzzBase.OfAny(name, make()));
        }
    }

    /// <summary>The first whole buffers; a part of the first where that is large.</summary>
    private static FuzzBase Cut(string name, byte[] bytes)
    {
        int end = 0;
        while (end + 4 <= bytes.Length && BitConverter.ToInt32(bytes, end) is >= 72 and var size
            && end + size <= Math.Min(bytes.Length, RealBytes))
        {
            end += size;
        }

        return end > 0 ? new FuzzBase(name, bytes[..end]) : FuzzBase.OfAny(name, bytes[..Math.Min(bytes.Length, RealBytes)]);
    }

    private static byte[] Read(string path)
    {
        if (!path.EndsWith(".gz", StringComparison.Ordinal))
        {
            return File.ReadAllBytes(path);
        }

        using var zip = new GZipStream(File.OpenRead(path), CompressionMode.Decompress);
        using var bytes = new MemoryStream();
        zip.CopyTo(bytes);
        return bytes.ToArray();
    }
}
