using Tracer.Analysis.Contents;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Tests;

/// <summary>
/// Reports are the same, byte for byte, by any number of threads. bench/equal.sh repeats it with every trace; here are the real ones, up to
/// 1 MB of each, whole and damaged in the middle. Counted event by event, the contents are the same, too.
/// </summary>
public class ThreadsTests
{
    private const int MostBytes = 1 << 20;

    public static TheoryData<string> Files() => [.. Selection.Some(RepositoryFiles.InCorpus("*.etl"), 1, parts: 4)];

    [Theory]
    [MemberData(nameof(Files))]
    public void One_two_and_seven_threads_make_the_same_reports(string file)
    {
        byte[] trace = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file));
        trace = trace[..Math.Min(trace.Length, MostBytes)];
        AssertSame(trace);
        trace.AsSpan(trace.Length / 2, Math.Min(trace.Length / 8, 500)).Fill(0xA5);
        AssertSame(trace);
    }

    private static void AssertSame(byte[] trace)
    {
        byte[] one = Reports(trace, 1);
        Assert.Equal(one, Reports(trace, 2));
        Assert.Equal(one, Reports(trace, 7));
        using EtlReader counted = EtlReader.Open(new MemoryStream(trace, writable: false));
        using EtlReader oneByOne = EtlReader.Open(new MemoryStream(trace, writable: false));
        Assert.Equal(Contents(counted, counted), Contents(oneByOne, new OneByOne(oneByOne)));
    }

    private static byte[] Reports(byte[] trace, int threads)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace, writable: false));
        reader.Threads = threads;
        using var written = new MemoryStream();
        written.Write(Contents(reader, reader));
        ReportJson.Write(written, BlameAnalysis.Analyze("trace", reader, new BlameRequest()).Report, indented: false);
        return written.ToArray();
    }

    private static byte[] Contents(EtlReader reader, IEtlReader asked)
    {
        using var written = new MemoryStream();
        var contents = new TraceContents(() => null);
        contents.Read(asked);
        if (contents.Events > 0)
        {
            ReportJson.Write(written, InfoReportOfTrace.Make("trace", reader, contents), indented: false);
        }

        return written.ToArray();
    }

    /// <summary>Gives the events of a reader one by one, and has no other way.</summary>
    private sealed class OneByOne(EtlReader reader) : IEtlReader
    {
        public EtlFileHeader Header => reader.Header;

        public TraceHealth Health => reader.Health;

        public bool Read<TSink>(EtlOrder order, ref TSink sink)
            where TSink : IEtlEventSink, allows ref struct => reader.Read(order, ref sink);

        public void Dispose() => reader.Dispose();
    }
}
