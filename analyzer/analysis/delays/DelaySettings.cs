using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

/// <summary>What counts as a delay: whose waits are measured, and their least length. Times in ticks of the trace's clock.</summary>
internal sealed record DelaySettings
{
    /// <summary>Frequency of the trace's clock.</summary>
    public required long TicksPerSecond { get; init; }

    /// <summary>Least latency of an episode.</summary>
    public required long ThresholdTicks { get; init; }

    /// <summary>A wait that appears longer than this has a damaged time stamp.</summary>
    public required long LongestWaitTicks { get; init; }

    /// <summary>A gap longer than this ends a stretch at ISR or DPC level.</summary>
    public required long LevelGapTicks { get; init; }

    /// <summary>Whether wake-ups of threads are probes.</summary>
    public required bool WantsThreads { get; init; }

    /// <summary>Whether records tell when threads are made ready; else a beat is learnt from when they run.</summary>
    public bool HasReadies { get; init; } = true;

    /// <summary>Whether jobs of threads are probes.</summary>
    public bool WantsJobs { get; init; }

    /// <summary>The threads that Windows' records of glitches are about; null where there are no such records.</summary>
    public GlitchThreads? Glitches { get; init; }

    /// <summary>
    /// The deadline that a thread had set itself for a job, by thread id and when the job should run, ran and was done; null where it had
    /// set none.
    /// </summary>
    public Func<uint, long, long, long, long?>? OwnDeadlineOf { get; init; }

    /// <summary>The length of the victims' beat, where the user knows it; else null.</summary>
    public long? PeriodTicks { get; init; }

    /// <summary>How long after it should run a job should be done, where the user knows; else null: with the thread's next beat.</summary>
    public long? DeadlineTicks { get; init; }

    /// <summary>Whether a thread that hogs the CPU and starves threads of lower priority makes an episode.</summary>
    public required bool WantsHogs { get; init; }

    /// <summary>Whether stretches at ISR or DPC level are episodes.</summary>
    public required bool WantsLevels { get; init; }

    /// <summary>Whether a thread's wake-ups are probes, by thread id, its priority when it ran, and time.</summary>
    public required Func<uint, int, long, bool> IsVictim { get; init; }

    /// <summary>
    /// The CPUs that a thread may use, one bit each, by its id and time; null, or null from it, where that is not known.
    /// </summary>
    public Func<uint, long, ulong?>? AffinityOf { get; init; }

    /// <summary>
    /// The runtime's pause that a thread waited for, by thread id, the time it left its CPU, and the time it was ready again. Null where no
    /// runtime logged pauses.
    /// </summary>
    public required Func<uint, long, long, TickSpan?>? PauseOf { get; init; }

    /// <summary>Receives when the threads of measured wake-ups are made ready.</summary>
    public required MeasuredReadies MeasuredReadies { get; init; }

    /// <summary>A thread that leaves its CPU sooner than this after it was switched in was held up at its first steps.</summary>
    public required long FirstStepsTicks { get; init; }

    /// <summary>Whether a thread may run on one of some CPUs, which are in order; a header may name thousands.</summary>
    public bool MayRunOnAny(IReadOnlyList<int> cpus, uint thread, long ticks)
    {
        if (cpus.Count == 0 || cpus[^1] >= sizeof(ulong) * 8 || AffinityOf?.Invoke(thread, ticks) is not { } affinity)
        {
            return cpus.Count > 0;
        }

        for (int i = 0; i < cpus.Count; i++)
        {
            if (((affinity >> cpus[i]) & 1) != 0)
            {
                return true;
            }
        }

        return false;
    }
}
