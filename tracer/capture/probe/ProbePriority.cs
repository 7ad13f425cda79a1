namespace Tracer.Capture.Probe;

/// <summary>Priorities of threads by class and level, as Windows computes them ("Scheduling Priorities" in its documentation).</summary>
internal static class ProbePriority
{
    public const int RealTimeBase = 24;

    private const int HighBase = 13;
    private const int NormalBase = 8;

    /// <summary>The level to ask for in the real-time class, where all of -7 to 6 may be used.</summary>
    /// <param name="priority">The priority wanted, 17 to 30.</param>
    public static int Level(int priority) => priority - RealTimeBase;

    /// <summary>The priority that a class and a level give.</summary>
    public static int Of(bool isRealTime, bool isHigh, int level)
    {
        const int TimeCritical = 15;
        const int Idle = -15;
        return isRealTime
            ? level switch
            {
                TimeCritical => 31,
                Idle => 16,
                _ => RealTimeBase + level,
            }
            : level switch
            {
                TimeCritical => 15,
                Idle => 1,
                _ => Math.Clamp((isHigh ? HighBase : NormalBase) + level, 1, 15),
            };
    }
}
