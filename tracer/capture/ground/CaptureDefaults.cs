namespace Tracer.Capture.Ground;

/// <summary>
/// What <c>tracer capture</c> does where the user says nothing: size of the ring, episodes kept, priority of the probe, distance of
/// samples. Threshold, time before and time after are those of <see cref="Defaults"/>, which the analyzer has as well.
/// </summary>
public static class CaptureDefaults
{
    /// <summary>Episodes kept where no limit says otherwise: bounds the disk of a run that nobody watches.</summary>
    public const int KeepWorst = 10;

    /// <summary>Priority of the probe process's thread: 24 or 28.</summary>
    public const int ProbePriority = 28;

    /// <summary>
    /// KiB that a busy CPU writes in a second: 256 MiB hold 6 s on 16 CPUs and 1.5 s on 64, with stacks, 4000 switches and 8000 samples
    /// a second and CPU. An estimate: what the ring holds is measured while it runs.
    /// </summary>
    public const int KbPerCpuAndSecond = 2731;

    /// <summary>The ring has room for so many times what has to be covered: a CPU in trouble writes more than others.</summary>
    public const int RoomFactor = 2;

    /// <summary>The smallest ring in MiB.</summary>
    public const int LeastRingMb = 32;

    /// <summary>The ring takes this part of the memory at most, since it is never paged out.</summary>
    public const int MemoryPart = 20;

    /// <summary>Distance of samples while we record.</summary>
    public static Duration ProfileInterval { get; } = Duration.FromMilliseconds(1);

    /// <summary>
    /// Default size of the ring: CPUs x seconds x what a busy CPU writes, twice over, but no more than 5 % of the memory. Four CPUs,
    /// 3.75 s: 81 MiB.
    /// </summary>
    public static int RingMb(MachineSize machine, TimeSpan covered)
    {
        double wantedMb = machine.Cpus * covered.TotalSeconds * KbPerCpuAndSecond * RoomFactor / 1024;
        double mostMb = (double)machine.MemoryBytes / MemoryPart / (1024 * 1024);
        return (int)Math.Max(1, Math.Min(Math.Max(Math.Ceiling(wantedMb), LeastRingMb), Math.Floor(mostMb)));
    }
}
