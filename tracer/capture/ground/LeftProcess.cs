namespace Tracer.Capture.Ground;

/// <summary>A process of ours, as the state file names it.</summary>
/// <param name="StartedUtc">When it started: an id may be another's by now.</param>
public sealed record LeftProcess(int Id, DateTime StartedUtc);
