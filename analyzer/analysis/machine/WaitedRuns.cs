namespace Tracer.Analysis.Machine;

/// <summary>
/// Finds the runs of ISRs and DPCs of a CPU during which a measured thread was ready and waited for it: a long routine does no harm if no
/// thread waited. Examines only the latest runs before the end of a wait, so that its counts are lower bounds.
/// </summary>
internal sealed class WaitedRuns(int cpu)
{
    /// <summary>Number of latest runs that are examined.</summary>
    private const int Kept = 1024;

    private readonly Ring<Run> _runs = new(1 << 20);

    /// <summary>Number of the first run that ends after the latest wait.</summary>
    private long _next;

    /// <summary>Number of the first run of the round at hand.</summary>
    private long _begun;

    /// <summary>Whether a wait reached back beyond the examined runs, so that some may be missing.</summary>
    public bool IsCut { get; private set; }

    /// <summary>Adds a run that has just ended; runs come in the order of their ends.</summary>
    /// <param name="netTicks">Length of the run without what interrupted it.</param>
    public void Ran(long startTicks, long endTicks, long netTicks, RunFacts facts)
    {
        facts.Watched++;
        _runs.Add(new Run { StartTicks = startTicks, EndTicks = endTicks, Facts = facts });
        if (netTicks > facts.LongestTicks)
        {
            facts.LongestTicks = netTicks;
            facts.LongestAtTicks = startTicks;
            facts.LongestCpu = cpu;
            facts.LongestWaitTicks = 0;
        }
    }

    /// <summary>Adds a measured thread's wait for the CPU; later runs may have been added already.</summary>
    public void Waited(long readyTicks, long ranTicks)
    {
        long next = FirstAfter(ranTicks);
        for (long number = next - 1; number >= Math.Max(_runs.First, next - Kept); number--)
        {
            ref Run run = ref _runs[number];
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
            if (run.StartTicks == facts.LongestAtTicks)
            {
                facts.LongestWaitTicks = Math.Max(facts.LongestWaitTicks, ranTicks - readyTicks);
            }
        }

        IsCut |= next > Kept;
    }

    /// <summary>Number of the first run that ends after a time: waits come in order of time, so that it is near the last one.</summary>
    private long FirstAfter(long ticks)
    {
        _next = Math.Max(_next, _runs.First);
        while (_next < _runs.Next && _runs[_next].EndTicks <= ticks)
        {
            _next++;
        }

        while (_next > _runs.First && _runs[_next - 1].EndTicks > ticks)
        {
            _next--;
        }

        return _next;
    }

    /// <summary>A round begins: the waits to come end in the round before it, or later.</summary>
    public void BeginRound()
    {
        _runs.ForgetBefore(_begun - Kept);
        _begun = _runs.Next;
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

    /// <summary>Adds those of the same routine on another CPU. Of several longest runs the first counts.</summary>
    public void Add(RunFacts other)
    {
        Watched += other.Watched;
        Waited += other.Waited;
        if (other.LongestTicks > LongestTicks || (other.LongestTicks == LongestTicks && other.LongestAtTicks < LongestAtTicks))
        {
            (LongestTicks, LongestAtTicks, LongestCpu, LongestWaitTicks) =
                (other.LongestTicks, other.LongestAtTicks, other.LongestCpu, other.LongestWaitTicks);
        }
    }
}
