using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>When a culprit has enough of the time for a verdict.</summary>
public class JudgementTests
{
    /// <summary>Of 4 ms alpha.sys has some and beta.sys 500 us: what one driver has does not make the other guilty.</summary>
    [Theory]
    [InlineData(900, Verdict.Unknown)]
    [InlineData(1_200, Verdict.Driver)]
    public void Against_what_nobody_owns_a_driver_stands_alone(int lasts, Verdict verdict)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 1
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image alpha.sys    0xFFFFF800_30000000 0x100000
            image beta.sys     0xFFFFF800_31000000 0x100000
            process 100 audio.exe
            process 200 game.exe
            thread 120 of 100 priority 24
            thread 88 of 200
            500us cpu0 switch 0(0) -> 88(8)
            1000us cpu0 ready 120
            {1_500 + lasts}us cpu0 dpc alpha.sys+0x100 from 1500us
            3500us cpu0 dpc beta.sys+0x100 from 3000us
            5000us cpu0 switch 88(8) -> 120(24) old ready
            5100us cpu0 switch 120(24) -> 0(0)
            """);
        Assert.Equal(
            $"alpha.sys dpc {lasts}us, beta.sys dpc 500us, unexplained {3_500 - lasts}us", BlamedText.Causes(report));
        Assert.Equal(verdict, report.Summary.Verdict);
    }
}
