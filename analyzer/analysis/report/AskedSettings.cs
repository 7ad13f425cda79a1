using Tracer.Analysis.Request;

namespace Tracer.Analysis.Report;

/// <summary>Says in a report what was asked.</summary>
internal static class AskedSettings
{
    /// <summary>The settings of a request; times count as the report's other times do.</summary>
    public static BlameSettings Of(BlameRequest request) => new()
    {
        Threshold = request.Threshold,
        Probe = request.Probe,
        MinPriority = request.MinPriority,
        Process = request.Process,
        Thread = request.Thread,
        Period = request.Period,
        Deadline = request.Deadline,
        Cpus = request.Cpus,
        From = request.Shown(request.From),
        To = request.Shown(request.To),
        At = request.Shown(request.At),
        Zero = request.Zero,
        Without = request.Without,
        Suspect = request.Suspect,
    };
}
