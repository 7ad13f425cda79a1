using Tracer.Analysis.Facts;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Facts;

public class RuntimePausesTests
{
    private const string Text = """
        900us cpu0 suspend 100
        1000us cpu0 suspend 200
        1500us cpu0 restarted 100
        2000us cpu0 restarted 200
        2100us cpu0 restarted 200
        3000us cpu0 suspend 100 reason 6
        3120us cpu0 restart 100
        3200us cpu0 restarted 100
        4000us cpu0 suspend 100 reason 5
        4200us cpu0 restarted 100
        5000us cpu0 suspend 100
        """;

    [Fact]
    public void A_pause_is_from_suspension_to_restart_of_a_process_and_for_a_collection()
    {
        RuntimePauses pauses = Read(Text);
        Assert.Equal([(900, 1500), (3000, 3200)], pauses.Of(100).Select(InMicroseconds));
        Assert.Equal([(1000, 2000)], pauses.Of(200).Select(InMicroseconds));
        Assert.Empty(pauses.Of(300));
        Assert.Equal(3, pauses.Count);
    }

    [Fact]
    public void The_parts_within_a_stretch_are_cut_to_it()
    {
        RuntimePauses pauses = Read(Text);
        Assert.Equal([(1000, 1500), (3000, 3100)], pauses.Within(100, At(1000), At(3100)).Select(InMicroseconds));
        Assert.Empty(pauses.Within(100, At(1500), At(3000)));
    }

    [Theory]
    [InlineData(950, 1510, true)] // Left in it, ready when it ended.
    [InlineData(3050, 3120, true)] // When the threads are let go, and while that goes on.
    [InlineData(3050, 3195, true)]
    [InlineData(3050, 3000, false)] // Before.
    [InlineData(850, 1500, false)] // It had left before: for something else.
    [InlineData(950, 2600, false)] // Ready long after it ended.
    [InlineData(100, 1500, false)] // Left long before it began.
    [InlineData(1600, 1700, false)] // After it.
    public void A_thread_was_held_by_a_pause_that_it_left_in_and_that_it_came_back_from(int left, int ready, bool isHeld) =>
        Assert.Equal(isHeld, Read(Text).Held(100, At(left), At(ready), slackTicks: 300) is not null);

    [Fact]
    public void The_pauses_of_a_real_program_are_those_that_PerfView_lists()
    {
        using EtlReader reader = EtlReader.Open(Path.Combine(RepositoryFiles.Corpus(), "perfview-gcevents.etl"));
        TraceFacts facts = TraceFacts.Read(reader);
        double[] milliseconds = [.. facts.RuntimePauses.Of(179_596)
            .Select(pause => reader.Header.Clock.NanosecondsOf(pause.EndTicks - pause.StartTicks) / 1e6)];
        Assert.Equal(2, milliseconds.Length);
        Assert.InRange(milliseconds[0], 0.785, 0.789); // 11,608.145 - 11,607.358
        Assert.InRange(milliseconds[1], 0.540, 0.544); // 11,608.709 - 11,608.167
    }

    private static RuntimePauses Read(string text)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(ScenarioFile.Write(ScenarioText.Read("pauses", text))));
        return TraceFacts.Read(reader).RuntimePauses;
    }

    private static long At(int microseconds) => ScenarioShape.UsualStart + (microseconds * 10L);

    private static (int, int) InMicroseconds(TickSpan span) =>
        ((int)((span.StartTicks - ScenarioShape.UsualStart) / 10), (int)((span.EndTicks - ScenarioShape.UsualStart) / 10));
}
