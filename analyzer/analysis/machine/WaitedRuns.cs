namespace Tracer.Analysis.Machine;

/// <summary>
/// Finds the runs of ISRs and DPCs during which a measured thread was ready and waited for their CPU: a long routine does no harm if no
/// thread waited. Examines only the latest runs of each CPU, so that its counts are lower bounds.
/// </summary>
/// <param name="cpus">Upper limit of the number of CPUs.</param>
internal sealed class WaitedRuns(int cpus)
{
    /// <summary>Number of runs of a CPU that are kept for examination; a power of two.</summary>
    private const int Kept = 1024;

    private readonly Run[]?[] _runs = new Run[]?[cpus];
    private readonly long[] _counts = new long[cpus];

    /// <summary>Whether a wait reached back beyond the kept runs, so that some may be missing.</summary>
    public bool IsCut { get; private set; }

    /// <summary>Adds a run that has just ended; the runs of one CPU come in the order of their ends.</summary>
    /// <param name="netTicks">Length of the run without what interrupted it.</param>
    public void Ran(int cpu, long startTicks, long endTicks, long netTicks, RunFacts facts)
    {
        Run[] runs = _runs[cpu] ??= new Run[Kept];
        facts.Watched++;
        runs[_counts[cpu]++ & (Kept - 1)] = new Run { StartTicks = startTicks, EndTicks = endTicks, Facts = facts };
        if (netTicks > facts.LongestTicks)
        {
            facts.LongestTicks = netTicks;
            facts.LongestAtTicks = startTicks;
            facts.LongestCpu = cpu;
            facts.LongestWaitTicks = 0;
        }
    }

    /// <summary>Adds a measured thread's wait for a CPU, when the wait ends.</summary>
    public void Waited(int cpu, long readyTicks, long ranTicks)
    {
        if (_runs[cpu] is not { } runs)
        {
            return;
        }

        for (long number = _counts[cpu] - 1; number >= Math.Max(0, _counts[cpu] - Kept); number--)
        {
            ref Run run = ref runs[number & (Kept - 1)];
            if (run.EndTicks <= readyTicks)
            {
                return;
            }

            if (run.StartTicks >= ranTicks)
            {
                continue;
            }

            RunFacts facts = run.Facts!;
            facts.Waited += run.IsWaited ? 0 : 1;
            run.IsWaited = true;
            if (run.StartTicks == facts.LongestAtTicks && cpu == facts.LongestCpu)
            {
                facts.LongestWaitTicks = Math.Max(facts.LongestWaitTicks, ranTicks - readyTicks);
            }
        }

        IsCut |= _counts[cpu] > Kept;
    }

    private struct Run
    {
        public long StartTicks;
        public long EndTicks;
        public RunFacts? Facts;
        public bool IsWaited;
    }
}

/// <summary>Facts about a routine's runs beyond the statistics of their times. Times in ticks.</summary>
internal sealed class RunFacts
{
    /// <summary>Number of runs that were checked for waits; those in threads are not.</summary>
    public long Watched { get; set; }

    /// <summary>Number of runs during which a measured thread waited for the CPU.</summary>
    public long Waited { get; set; }

    /// <summary>Net time of the longest run.</summary>
    public long LongestTicks { get; set; } = -1;

    public long LongestAtTicks { get; set; } = long.MinValue;

    public int LongestCpu { get; set; }

    /// <summary>The longest wait of a measured thread for the CPU during a run; 0 where no thread waited.</summary>
    public long LongestWaitTicks { get; set; }
}
