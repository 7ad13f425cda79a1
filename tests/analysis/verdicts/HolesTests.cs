using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>For how long a CPU may be silent at an end of the trace, and an episode be hidden there.</summary>
public class HolesTests
{
    private const string Silent = "a CPU has records of its earlier work only; of CPU 1";

    /// <summary>The last record of all comes at 700.3 ms. An idle CPU may log nothing for 200 ms.</summary>
    [Theory]
    [InlineData(500_300, false)]
    [InlineData(500_299, true)]
    public void A_CPU_that_was_silent_for_longer_than_an_idle_one_has_no_records(int last, bool isMissing)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 2
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image nic.sys      0xFFFFF800_30000000 0x100000
            process 100 audio.exe
            thread 120 of 100 priority 24
            thread 130 of 100 priority 24
            100us cpu0 switch 120(24) -> 0(0)
            100us cpu1 switch 130(24) -> 0(0)
            every 7ms from 7ms to 700ms : +0us cpu0 ready 120
            every 7ms from 7ms to 700ms : +10us cpu0 switch 0(0) -> 120(24)
            every 7ms from 7ms to 700ms : +50us cpu0 switch 120(24) -> 0(0)
            every 7ms from 7ms to 700ms : +300us cpu0 dpc nic.sys+0x100 from +290us
            every 7ms from 8ms to 498ms : +0us cpu1 ready 130
            every 7ms from 8ms to 498ms : +10us cpu1 switch 0(0) -> 130(24)
            every 7ms from 8ms to 498ms : +50us cpu1 switch 130(24) -> 0(0)
            {last}us cpu1 dpc nic.sys+0x100 from {last - 10}us
            """);
        Assert.Equal(isMissing ? Verdict.Unknown : Verdict.None, report.Summary.Verdict);
        Assert.Equal(isMissing, report.Summary.Conclusion.Contains(Silent, StringComparison.Ordinal));
    }

    /// <summary>Records of a CPU are lost on which no victim was seen: that hides nothing, unless it is what is asked about.</summary>
    [Theory]
    [InlineData(null, false)]
    [InlineData(0, false)]
    [InlineData(1, true)]
    public void What_a_CPU_without_a_victim_lost_hides_nothing(int? asked, bool isMissing)
    {
        BlameReport report = BlamedText.Of(
            $"""
            cpus 2
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image nic.sys      0xFFFFF800_30000000 0x100000
            process 100 audio.exe
            thread 120 of 100 priority 24
            process 200 work.exe
            thread 210 of 200
            100us cpu0 switch 120(24) -> 0(0)
            100us cpu1 switch 0(0) -> 210(8)
            every 1ms from 1ms to 70ms : +300us cpu1 dpc nic.sys+0x100 from +290us
            every 7ms from 7ms to 70ms : +0us cpu0 ready 120
            every 7ms from 7ms to 70ms : +10us cpu0 switch 0(0) -> 120(24)
            every 7ms from 7ms to 70ms : +50us cpu0 switch 120(24) -> 0(0)
            every 7ms from 7ms to 70ms : +300us cpu0 dpc nic.sys+0x100 from +290us
            loss cpu1 from 10.1ms to 40ms events 5
            buffer 1024
            """,
            request => request with { Cpus = asked is { } cpu ? [cpu] : null });
        Assert.Equal(isMissing, report.Summary.Conclusion.Contains("the session lost events; of CPU 1", StringComparison.Ordinal));
    }

    [Fact]
    public void Where_a_ring_holds_no_record_at_all_nothing_is_said_of_a_CPU()
    {
        BlameReport report = BlamedText.Of("""
            cpus 1
            mode circular
            """);
        Assert.Equal((Verdict.Unknown, 0), (report.Summary.Verdict, report.Episodes.Count));
    }
}
