using Tracer.Analysis.Contents;

namespace Tracer.Analysis.Facts;

/// <summary>
/// What Windows recorded as glitches, and the marks of people for which it recorded none, with the numbers of <c>glitch:N</c>.
/// </summary>
internal static class GlitchesAndMarks
{
    /// <summary>
    /// Both in order of time. Windows' own are numbered from 1 in that order, the marks behind them: who asks for no mark gets the same.
    /// </summary>
    /// <param name="glitches">In order of time.</param>
    /// <param name="marks">In order of time.</param>
    /// <param name="reachTicks">A mark that comes so soon after a glitch is of that.</param>
    public static IReadOnlyList<RecordedGlitch> Of(IReadOnlyList<RecordedGlitch> glitches, IReadOnlyList<TraceMark> marks, long reachTicks)
    {
        IEnumerable<TraceMark> alone = marks.Where(mark => mark.Name != TraceMarks.Capture
            && !glitches.Any(glitch => glitch.Ticks <= mark.Ticks && mark.Ticks - glitch.Ticks <= reachTicks));
        return
        [
            .. glitches.Concat(alone.Select(OfMark)).Select((one, index) => one with { Number = index + 1 }).OrderBy(one => one.Ticks),
        ];
    }

    private static RecordedGlitch OfMark(TraceMark mark) => new(mark.Ticks, false)
    {
        Records = [new GlitchRecord(GlitchKind.Mark, mark.Ticks, 0, 0, null, $"{GlitchKind.Mark.Tells} {mark.Name}".TrimEnd())],
    };
}
