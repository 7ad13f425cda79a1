using System.Diagnostics;
using System.Globalization;
using Tracer.CommandLine;

namespace Tracer.AnalyzerCommand;

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
    private readonly long _allBytes;
    private readonly long _started = Stopwatch.GetTimestamp();
    private long _last = Stopwatch.GetTimestamp();
    private long _bytes;
    private int _done;
    private int _failed;

    /// <summary>Begins.</summary>
    /// <param name="inputs">The traces that are to be judged.</param>
    /// <param name="error">For messages.</param>
    public CaseProgress(IReadOnlyCollection<CaseInput> inputs, TextWriter error)
    {
        _error = error;
        _all = inputs.Count;
        _allBytes = inputs.Sum(input => input.Bytes);
    }

    /// <summary>A trace is judged.</summary>
    /// <param name="input">Which.</param>
    /// <param name="hasFailed">Whether nothing could be judged in it.</param>
    public void Done(CaseInput input, bool hasFailed)
    {
        _done++;
        _bytes += input.Bytes;
        _failed += hasFailed ? 1 : 0;
        if (Stopwatch.GetElapsedTime(_last) >= (Terminal.AreMessagesSeen ? OnTerminal : InLog))
        {
            _last = Stopwatch.GetTimestamp();
            double part = _allBytes > 0 ? (double)_bytes / _allBytes : (double)_done / Math.Max(1, _all);
            _error.WriteLine($"analyzer: {Line(_done, _all, _failed, Stopwatch.GetElapsedTime(_started), part)}");
        }
    }

    /// <summary>How far it is.</summary>
    /// <param name="done">Traces judged.</param>
    /// <param name="all">Traces in all.</param>
    /// <param name="failed">Of those judged, how many could not be.</param>
    /// <param name="elapsed">Since the beginning.</param>
    /// <param name="part">How much of the work is done, 0 to 1.</param>
    public static string Line(int done, int all, int failed, TimeSpan elapsed, double part)
    {
        string left = part > 0 ? $"; {Readable(elapsed * ((1 - part) / part))} left" : "";
        return string.Create(
            CultureInfo.InvariantCulture, $"{done} of {all} traces done{(failed > 0 ? $", {failed} of them not judged" : "")}{left}");
    }

    private static string Readable(TimeSpan left) => left.TotalMinutes < 1
        ? string.Create(CultureInfo.InvariantCulture, $"{Math.Ceiling(left.TotalSeconds):0} s")
        : left.TotalHours < 2
            ? string.Create(CultureInfo.InvariantCulture, $"{left.TotalMinutes:0} min")
            : string.Create(CultureInfo.InvariantCulture, $"{left.TotalHours:0.0} h");
}
