using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>A thread wakes each 2 ms for 3 s, and 100 DPCs of its timer are there: in the rest of the time they are missing.</summary>
public class MissingDpcsTests
{
    [Theory]
    [InlineData("10ms to 208ms", "for 2.8", "from 0.208")]
    [InlineData("2810ms to 3010ms", "for 2.8", "from 0.001")]
    [InlineData("10ms to 108ms, 2910ms to 3010ms", "for 2.8", "from 0.108")]
    public void Dpcs_that_lack_for_a_while_were_not_recorded(string times, string length, string from)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 2
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 4 System
            process 100 audio.exe
            thread 120 of 100 priority 24 affinity 0x1
            1ms cpu0 switch 120(24) -> 0(0)
            1ms cpu1 switch 88(8) -> 0(0)
            every 2ms from 10ms to 3010ms : +0us cpu0 ready 120 from-dpc
            every 2ms from 10ms to 3010ms : +10us cpu0 switch 0(0) -> 120(24)
            every 2ms from 10ms to 3010ms : +300us cpu0 switch 120(24) -> 0(0)
            {string.Join('\n', times.Split(", ").Select(part => $"every 2ms from {part} : +5us cpu0 timer-dpc nt+0x900 from -5us"))}
            """);
        Assert.Equal(Verdict.Unknown, report.Summary.Verdict);
        Assert.Contains("no CPU has a DPC " + length, report.Summary.Conclusion, StringComparison.Ordinal);
        Assert.Contains(from, report.Summary.Conclusion, StringComparison.Ordinal);
    }
}
