namespace Tracer.Capture.Ground;

/// <summary>How large the ring of <c>tracer capture</c> is where <c>--buffer-mb</c> does not say it.</summary>
public static class CaptureRingDefault
{
    /// <summary>
    /// KiB that a busy CPU writes in a second: 256 MiB hold 6 s on 16 CPUs and 1.5 s on 64, with stacks, 4000 switches and 8000 samples
    /// a second and CPU. An estimate: what the ring holds is measured while it runs.
    /// </summary>
    private const int KbPerCpuAndSecond = 2731;

    /// <summary>The ring has room for so many times what has to be covered: a CPU in trouble writes more than others.</summary>
    private const int RoomFactor = 2;

    /// <summary>The smallest ring in MiB.</summary>
    public const int LeastMb = 32;

    /// <summary>The ring takes this part of the memory at most, since it is never paged out.</summary>
    private const int MemoryPart = 20;

    /// <summary>
    /// Default size of the ring: CPUs x seconds x what a busy CPU writes, twice over, but no more than 5 % of the memory. Four CPUs,
    /// 3.75 s: 81 MiB.
    /// </summary>
    public static int Mb(MachineSize machine, TimeSpan covered)
    {
        double wantedMb = machine.Cpus * covered.TotalSeconds * KbPerCpuAndSecond * RoomFactor / 1024;
        double mostMb = (double)machine.MemoryBytes / MemoryPart / (1024 * 1024);
        return (int)Math.Max(1, Math.Min(Math.Max(Math.Ceiling(wantedMb), LeastMb), Math.Floor(mostMb)));
    }
}
