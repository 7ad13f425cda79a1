namespace Tracer.Capture.Engine;

/// <summary>An episode that will be written.</summary>
/// <param name="StartQpc">When it began, in ticks of the performance counter.</param>
/// <param name="HeardQpc">When the first measurement that led to it was heard of.</param>
public readonly record struct PendingEpisode(TriggerKind Kind, long StartQpc, long EndQpc, long LatencyNs, int Cpu, long HeardQpc);
