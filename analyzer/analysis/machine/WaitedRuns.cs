namespace Tracer.Analysis;

/// <summary>
/// Finds the runs of ISRs and DPCs during which a measured thread was ready and waited for their CPU: a routine may take long, and yet do
/// no harm because nobody waited. Looks back at the latest runs of each CPU only, so it counts at least, never too many.
/// </summary>
/// <param name="cpus">How many CPUs there may be.</param>
internal sealed class WaitedRuns(int cpus)
{
    /// <summary>Runs of a CPU that are looked back at; a power of two.</summary>
    private const int Kept = 1024;

    private readonly Run[]?[] _runs = new Run[]?[cpus];
    private readonly long[] _counts = new long[cpus];

    /// <summary>Whether a wait was longer than what is kept, so that runs may be missing.</summary>
    public bool IsCut { get; private set; }

    /// <summary>Takes a run that has just ended; of a CPU they come by their ends.</summary>
    /// <param name="cpu">Where.</param>
    /// <param name="startTicks">Its start.</param>
    /// <param name="endTicks">Its end.</param>
    /// <param name="netTicks">Its time without what interrupted it.</param>
    /// <param name="facts">What is known of its routine.</param>
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

    /// <summary>Takes a measured thread's wait for a CPU, when it ends.</summary>
    /// <param name="cpu">The CPU it runs on.</param>
    /// <param name="readyTicks">When it became ready.</param>
    /// <param name="ranTicks">When it was switched in.</param>
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

/// <summary>What is known of a routine's runs beyond their times; ticks.</summary>
internal sealed class RunFacts
{
    /// <summary>Runs that were watched: those in threads are not.</summary>
    public long Watched { get; set; }

    /// <summary>Runs during which a measured thread waited for the CPU.</summary>
    public long Waited { get; set; }

    /// <summary>The longest run, net.</summary>
    public long LongestTicks { get; set; } = -1;

    /// <summary>When that began.</summary>
    public long LongestAtTicks { get; set; } = long.MinValue;

    /// <summary>Where.</summary>
    public int LongestCpu { get; set; }

    /// <summary>The longest wait of a measured thread for the CPU while it ran; 0 where nobody waited.</summary>
    public long LongestWaitTicks { get; set; }
}
