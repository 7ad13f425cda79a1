using System.Text;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>A thread that comes behind its beat: whether something kept it, or its timer did what timers do.</summary>
public class LateByBeatTests
{
    /// <summary>
    /// Nothing shows why it came late. A beat of whole ticks of 15.625 ms may miss one of these; another beat has ticks of a millisecond,
    /// and may miss two. An eighth of a millisecond is a quarter of the threshold: so far may a beat, and a tick, be off.
    /// </summary>
    [Theory]
    [InlineData(31_250, 15_750, Verdict.None)]
    [InlineData(31_250, 15_751, Verdict.Unknown)]
    [InlineData(31_375, 15_750, Verdict.None)]
    [InlineData(31_376, 15_750, Verdict.Unknown)]
    [InlineData(31_125, 15_750, Verdict.None)]
    [InlineData(31_124, 15_750, Verdict.Unknown)]
    [InlineData(31_376, 2_125, Verdict.None)]
    [InlineData(31_376, 2_126, Verdict.Unknown)]
    [InlineData(20_000, 2_125, Verdict.None)]
    [InlineData(20_000, 2_126, Verdict.Unknown)]
    public void A_timer_may_miss_one_tick_of_its_clock(int period, int late, Verdict verdict) =>
        Assert.Equal(verdict, Blame(period, late, isBack: true, explained: 0).Summary.Verdict);

    /// <summary>
    /// Who is back on the beat was late, whatever explains it: somebody is named if he has enough of it. Who is not back may have slept:
    /// four fifths must be explained.
    /// </summary>
    [Theory]
    [InlineData(true, 2_000, Verdict.Driver)]
    [InlineData(true, 500, Verdict.Unknown)]
    [InlineData(false, 3_200, Verdict.Driver)]
    [InlineData(false, 3_190, Verdict.None)]
    public void What_its_cpu_did_must_explain_it(bool isBack, int explained, Verdict verdict)
    {
        BlameReport report = Blame(20_000, 4_000, isBack, explained);
        Assert.Equal(verdict, report.Summary.Verdict);
        Assert.Equal(verdict == Verdict.None ? 0 : 1, report.Summary.Episodes);
        Assert.Equal(verdict == Verdict.Driver ? "nic.sys" : null, report.Summary.Culprit);
    }

    /// <summary>Thread 120 comes at a beat thirty times; the twenty-fifth time it is late.</summary>
    private static BlameReport Blame(int period, int late, bool isBack, int explained)
    {
        var text = new StringBuilder("""
            cpus 1
            ask probe thread
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image nic.sys 0xFFFFF800_20000000 0x100000
            process 100 audio.exe
            thread 120 of 100 priority 24
            1ms cpu0 switch 120(24) -> 0(0)

            """);
        for (int i = 1; i <= 30; i++)
        {
            int due = (period * i) + (i > 25 && !isBack ? late + 300 : 0);
            int at = due + (i == 25 ? late : 0);
            text.Append(CultureInfo.InvariantCulture, $"""
                {at}us cpu0 ready 120
                {at + 5}us cpu0 switch 0(0) -> 120(24)
                {at + 15}us cpu0 switch 120(24) -> 0(0)

                """);
            if (i == 25 && explained > 0)
            {
                text.Append(CultureInfo.InvariantCulture, $"{due + explained}us cpu0 dpc nic.sys+0x100 from {due - 2}us\n");
            }
        }

        return BlamedText.Of(text.ToString());
    }
}
