namespace Tracer.AnalyzerCommand.Common;

/// <summary>When memory that is not used any more is collected.</summary>
internal static class Collector
{
    /// <summary>
    /// What a command may take before anything is collected, in bytes, and so much more for each processor: together with the program what
    /// an answer over a long trace needs at once, so that no process gets larger by it than the longest traces make it.
    /// </summary>
    private const long FreeBytes = 48 << 20;
    private const long FreeBytesOfProcessor = 16 << 20;
    private const long MostFreeBytes = 128 << 20;

    /// <summary>Of these for objects below 85 KB; most is for blocks.</summary>
    private const long FreeSmallBytes = 14 << 20;

    /// <summary>
    /// Collects nothing before much was taken: most commands end before. Without it blocks, of which .NET lets only 3 MB gather at first,
    /// have everything collected again and again while little is garbage.
    /// </summary>
    public static void BeginLate()
    {
        long bytes = Math.Min(MostFreeBytes, FreeBytes + (FreeBytesOfProcessor * Environment.ProcessorCount));
        if (long.TryParse(Environment.GetEnvironmentVariable("TRIMS_NOGC"), out long t)) { bytes = t << 20; }
        if (bytes == 0) { return; }
        try
        {
            GC.TryStartNoGCRegion(bytes, bytes - FreeSmallBytes);
        }
        catch (ArgumentOutOfRangeException)
        {
            // The heap may not grow so large here.
        }
    }
}
