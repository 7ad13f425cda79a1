using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>What keeps a trace without an episode from showing that there was none.</summary>
public class EarnedNoneTests
{
    /// <summary>A thread is made ready at 100 ms, and the records end before it ran.</summary>
    [Theory]
    [InlineData(500, Verdict.Unknown)]
    [InlineData(499, Verdict.None)]
    public void A_wait_that_has_no_end_is_unknown_from_the_threshold_on(int waits, Verdict verdict)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 2
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 100 audio.exe
            thread 120 of 100 priority 24 affinity 0x1
            process 200 work.exe
            thread 210 of 200 priority 31 affinity 0x1
            calm cpu0 from 1ms thread 120(24)
            100ms cpu0 switch 0(0) -> 210(31)
            100ms cpu1 ready 120
            {100_000 + waits}us cpu1 switch 0(0) -> 88(8)
            """);
        Assert.Equal(verdict, report.Summary.Verdict);
        Assert.Equal(
            verdict == Verdict.Unknown, report.Summary.Conclusion.Contains("had not run 500 us later", StringComparison.Ordinal));
    }

    /// <summary>Who asks for a thread is told whether it is there at all.</summary>
    [Theory]
    [InlineData(210u, "no wait of thread 210 for a CPU was measured")]
    [InlineData(211u, "it names no thread 211, and no wait of one was measured")]
    public void A_thread_that_waited_for_nothing_is_told_from_one_that_is_not_there(uint thread, string why)
    {
        BlameReport report = BlamedText.Of(
            """
            cpus 1
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 100 audio.exe
            thread 120 of 100 priority 24
            process 200 work.exe
            thread 210 of 200 priority 8
            calm cpu0 from 1ms thread 120(24)
            """,
            request => request with { Thread = thread });
        Assert.Equal(Verdict.Unknown, report.Summary.Verdict);
        Assert.Contains(why, report.Summary.Conclusion, StringComparison.Ordinal);
    }
}
