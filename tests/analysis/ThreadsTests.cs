using Tracer.Contract;
using Tracer.Etl;
using Tracer.Tests;

namespace Tracer.Analysis.Tests;

/// <summary>
/// Reports are the same, byte for byte, by any number of threads. bench/equal.sh repeats it with every trace; here are the real ones, up to
/// 1 MB of each, whole and damaged in the middle.
/// </summary>
public class ThreadsTests
{
    private const int MostBytes = 1 << 20;

    public static TheoryData<string> Files() => [.. RepositoryFiles.InCorpus("*.etl")];

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
    }

    private static byte[] Reports(byte[] trace, int threads)
    {
        using var written = new MemoryStream();
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace, writable: false));
        reader.Threads = threads;
        var contents = new TraceContents(() => null);
        contents.Read(reader);
        if (contents.Events > 0)
        {
            ReportJson.Write(written, InfoReportOfTrace.Make("trace", reader, contents), indented: false);
        }

        ReportJson.Write(written, BlameAnalysis.Analyze("trace", reader, new BlameRequest()).Report, indented: false);
        return written.ToArray();
    }
}
