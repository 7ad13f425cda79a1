namespace Tracer.Capture.Ground;

/// <summary>
/// A trigger source that runs a process of its own: the state file names it, so that a crash of ours does not leave it running.
/// </summary>
public interface IOwnProcess
{
    /// <summary>The process; null where it does not run.</summary>
    LeftProcess? Process { get; }
}
