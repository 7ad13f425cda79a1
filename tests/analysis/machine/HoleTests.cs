using Tracer.Analysis.Contents;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>What is said of a trace in which records are missing although nothing counts them as lost.</summary>
public class HoleTests
{
    /// <summary>
    /// A thread is there before and behind a time in which no CPU logs anything: up to 2 s it ran, beyond that nobody knows.
    /// </summary>
    [Theory]
    [InlineData("2.00001s", "2.00002s", 2_000_010L)]
    [InlineData("2.00002s", "2.00003s", null)]
    public void A_hole_of_more_than_two_seconds_ends_a_threads_run(string next, string left, long? microseconds)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 1
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 100 work.exe
            thread 120 of 100
            0.01ms cpu0 switch 0(0) -> 120(8)
            {next} cpu0 sample 0x401000 thread 120
            {left} cpu0 switch 120(8) -> 0(0)
            """);
        Assert.Equal(
            microseconds is { } ran ? [Duration.FromMicroseconds(ran)] : [],
            report.Profile!.Processes.Where(process => process.Process == "work.exe")
                .Select(process => process.Time));
    }

    /// <summary>Up to one switch in a hundred that does not follow from the one before, a gap is believed.</summary>
    [Theory]
    [InlineData(100, true)]
    [InlineData(99, false)]
    public void A_gap_proves_nothing_where_more_than_one_switch_in_a_hundred_is_missing(int switches, bool isAnswerable)
    {
        // Every second switch is back to the idle thread; the last comes from a thread that was never let in.
        string all = string.Join('\n', Enumerable.Range(0, switches - 1).Select(i =>
            $"{10 + i}us cpu0 switch " + (i % 2 == 0 ? "0(0) -> 120(8)" : "120(8) -> 0(0)")));
        Scenario scenario = ScenarioText.Read("told", $"""
            cpus 1
            interval 1ms
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 100 work.exe
            thread 120 of 100
            1us cpu0 sample 0x401000 thread 120
            {all}
            900us cpu0 switch 999(8) -> 0(0)

            expect
            verdict none
            """);
        using EtlReader reader = EtlReader.Open(new MemoryStream(ScenarioFile.Write(scenario)));
        var contents = new TraceContents(static () => null);
        contents.Read(reader);
        TraceQuestion question = InfoReportOfTrace.Make("told.etl", reader, contents).Questions
            .Single(question => question.Question.StartsWith("Did a CPU stop", StringComparison.Ordinal));
        Assert.Equal((isAnswerable, isAnswerable ? 0 : 1), (question.Answerable, question.Missing.Count));
    }
}
