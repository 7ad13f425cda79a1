namespace Tracer.AnalyzerCommand.Common;

/// <summary>When memory that is not used any more is collected.</summary>
internal static class Collector
{
    /// <summary>
    /// What a command may take before anything is collected, in bytes. With as much an answer over a long trace takes no more memory in all
    /// than with none; with 64 MB it does (bench/blame.md).
    /// </summary>
    private const long FreeBytes = 48 << 20;

    /// <summary>Of these for objects below 85 KB; most is for blocks.</summary>
    private const long FreeSmallBytes = 14 << 20;

    /// <summary>
    /// Collects nothing before much was taken: most commands end before. Without it blocks, of which .NET lets only 3 MB gather at first,
    /// have everything collected again and again while little is garbage.
    /// </summary>
    public static void BeginLate()
    {
        try
        {
            GC.TryStartNoGCRegion(FreeBytes, FreeBytes - FreeSmallBytes);
        }
        catch (ArgumentOutOfRangeException)
        {
            // The heap may not grow so large here.
        }
    }
}
