namespace Tracer.Capture.Probe;

/// <summary>One wake-up as the probe sees it, in ticks of the performance counter.</summary>
/// <param name="Set">When the timer was set: just after the call returned.</param>
/// <param name="Due">When it was due: as much later as was asked for. The kernel's own due time is at most this.</param>
/// <param name="Served">First instruction of the thread behind its wait.</param>
internal readonly record struct TimedWakeup(long Set, long Due, long Served);
