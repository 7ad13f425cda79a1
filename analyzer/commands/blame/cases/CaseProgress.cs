using System.Diagnostics;
using Tracer.AnalyzerCommand.Common.Cases;

namespace Tracer.AnalyzerCommand.Commands.Blame.Cases;

/// <summary>
/// Tells on standard error how many of many traces are judged, and how long the rest will take: every few seconds where somebody looks on,
/// every minute in the log of a batch job.
/// </summary>
internal sealed class CaseProgress
{
    private static readonly TimeSpan OnTerminal = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan InLog = TimeSpan.FromMinutes(1);

    private readonly TextWriter _error;
    private readonly int _all;
    private readonly CaseEstimate _estimate;
    private readonly long _started = Stopwatch.GetTimestamp();
    private long _last = Stopwatch.GetTimestamp();
    private int _done;
    private int _failed;

    /// <param name="jobs">How many are judged at once.</param>
    public CaseProgress(IReadOnlyCollection<CaseInput> inputs, int jobs, TextWriter error)
    {
        _error = error;
        _all = inputs.Count;
        _estimate = new CaseEstimate(inputs, jobs);
    }

    /// <param name="hasFailed">Whether nothing could be judged in it.</param>
    public void Done(CaseInput input, bool hasFailed)
    {
        TimeSpan elapsed = Stopwatch.GetElapsedTime(_started);
        _estimate.Done(input, elapsed);
        _done++;
        _failed += hasFailed ? 1 : 0;
        if (Stopwatch.GetElapsedTime(_last) >= (Terminal.AreMessagesSeen ? OnTerminal : InLog))
        {
            _last = Stopwatch.GetTimestamp();
            _error.WriteLine($"analyzer: {Line(_done, _all, _failed, _estimate.Left(elapsed))}");
        }
    }

    /// <summary>How far it is.</summary>
    /// <param name="failed">Of those judged, how many could not be.</param>
    /// <param name="left">How long the rest will take; null where that is not known.</param>
    public static string Line(int done, int all, int failed, TimeSpan? left) => string.Create(
        CultureInfo.InvariantCulture,
        $"{done} of {all} traces done{(failed > 0 ? $", {failed} of them not judged" : "")}"
        + $"{(left is { } known ? $"; {Readable(known)} left" : "")}");

    private static string Readable(TimeSpan left) => left.TotalMinutes < 1
        ? string.Create(CultureInfo.InvariantCulture, $"{Math.Ceiling(left.TotalSeconds):0} s")
        : left.TotalHours < 2
            ? string.Create(CultureInfo.InvariantCulture, $"{left.TotalMinutes:0} min")
            : string.Create(CultureInfo.InvariantCulture, $"{left.TotalHours:0.0} h");
}
