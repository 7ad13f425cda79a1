using System.IO.Compression;

namespace Tracer.Etl.Tests.Conformance;

/// <summary>Takes an event; it is valid during the call only.</summary>
internal delegate void ReadEventVisitor(scoped in EtlEvent traceEvent);

/// <summary>Reads the corpus's traces with the product's reader, the gzip ones by decompressing them into memory.</summary>
internal static class TraceVisit
{
    /// <summary>Folders of the corpus with simulated traces; other folders, and what is no .etl file, hold other things.</summary>
    private static readonly string[] Simulated = ["synthetic/", "calibrated/", "reports/", "third/"];

    /// <summary>The real traces and, behind them, the simulated ones by folder: "synthetic/clean.etl.gz".</summary>
    public static string[] Files() =>
    [
        .. RepositoryFiles.InCorpus("*.etl")
            .Concat(RepositoryFiles.InCorpus("*.etl.gz"))
            .Order(StringComparer.Ordinal)
            .Concat(Simulated.SelectMany(folder => RepositoryFiles.InCorpus("*.etl.gz", folder)))
            .Distinct(),
    ];

    public static EtlReader Open(string file)
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), file);
        return file.EndsWith(".gz", StringComparison.Ordinal) ? EtlReader.Open(Decompressed(path), file) : EtlReader.Open(path);
    }

    /// <summary>The bytes of a gzip file, as a stream that can seek.</summary>
    public static MemoryStream Decompressed(string path)
    {
        var bytes = new MemoryStream();
        using (var zip = new GZipStream(File.OpenRead(path), CompressionMode.Decompress))
        {
            zip.CopyTo(bytes);
        }

        bytes.Position = 0;
        return bytes;
    }

    /// <summary>Gives every event to a visitor.</summary>
    public static void Visit(EtlReader reader, EtlOrder order, ReadEventVisitor visit)
    {
        var sink = new Sink(visit);
        Assert.True(reader.Read(order, ref sink));
    }

    private readonly struct Sink(ReadEventVisitor visit) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            visit(in traceEvent);
            return true;
        }
    }
}
