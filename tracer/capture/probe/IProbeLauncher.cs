using Tracer.Capture.Ground;

namespace Tracer.Capture.Probe;

/// <summary>Starts probe processes; a fake runs them on a thread.</summary>
internal interface IProbeLauncher
{
    /// <param name="settings">How it is to measure; its CPUs are named, and so is its parent.</param>
    /// <returns>The process; to be disposed when it has ended.</returns>
    ILaunchedProbe Start(ProbeSettings settings, string memoryName);
}

/// <summary>A probe process that was started.</summary>
internal interface ILaunchedProbe : IDisposable
{
    LeftProcess Process { get; }

    bool WaitForExit(TimeSpan time);

    /// <summary>Ends it at once.</summary>
    void Kill();
}
