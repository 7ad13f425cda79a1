using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Says in a report what was asked.</summary>
internal static class AskedSettings
{
    /// <summary>The settings of a request.</summary>
    public static BlameSettings Of(BlameRequest request) => new()
    {
        Threshold = request.Threshold,
        Probe = request.Probe,
        MinPriority = request.MinPriority,
        Process = request.Process,
        Thread = request.Thread,
        Cpus = request.Cpus,
        From = request.From,
        To = request.To,
        Without = request.Without,
        Suspect = request.Suspect,
    };
}
