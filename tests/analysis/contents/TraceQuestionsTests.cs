using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Tests.Contents;

/// <summary>What a trace can answer takes each kind of record that the answer rests on.</summary>
public class TraceQuestionsTests
{
    [Theory]
    [InlineData(true, true, new string[0])]
    [InlineData(true, false, new[] { "DPC" })]
    [InlineData(false, true, new[] { "INTERRUPT" })]
    [InlineData(false, false, new[] { "DPC", "INTERRUPT" })]
    public void Which_routine_ran_too_long_takes_records_of_both_kinds(bool hasIsrs, bool hasDpcs, string[] missing)
    {
        RecordedKinds has = AllKinds.Has with { IsrDpc = hasIsrs || hasDpcs };
        TraceQuestion first = TraceQuestions.Of(has, hasIsrs, hasDpcs, true, true, true, false)[0];
        Assert.Equal("Which interrupt or deferred routine ran too long, and whose is it?", first.Question);
        Assert.Equal((missing.Length == 0, string.Join(", ", missing)), (first.Answerable, string.Join(", ", first.Missing)));
    }
}
