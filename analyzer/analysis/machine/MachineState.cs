namespace Tracer.Analysis;

/// <summary>
/// The machine at the point of time that the second reading has come to: what each CPU did lately, idle states and speeds, locks, page
/// faults, and what was counted on the way. Memory does not grow with the trace.
/// </summary>
internal sealed class MachineState
{
    /// <summary>A clock that makes fewer steps in the time of the threshold can't measure it.</summary>
    private const int StepsOfThreshold = 10;

    /// <summary>Makes a machine of which nothing is known yet.</summary>
    /// <param name="cpus">How many logical processors it may have.</param>
    /// <param name="ticksPerSecond">Ticks of a second.</param>
    /// <param name="thresholdTicks">Latency at or above this is an episode, in ticks.</param>
    /// <param name="losses">When records are missing.</param>
    /// <param name="power">Idle states and speeds of the CPUs.</param>
    /// <param name="locks">Who held spin locks.</param>
    public MachineState(int cpus, long ticksPerSecond, long thresholdTicks, LossMap losses, PowerHistory power, LockHistory locks)
    {
        Cpus = new CpuHistory?[cpus];
        Clocks = new SampleClock?[cpus];
        TicksPerSecond = ticksPerSecond;
        Losses = losses;
        Power = power;
        Locks = locks;
        Routines = new RoutineCounts(cpus);
        ThreadRuns = new ThreadRuns(thresholdTicks);
        Steps = new ClockSteps(thresholdTicks / StepsOfThreshold);
    }

    /// <summary>What each CPU did lately; null for one without records.</summary>
    public CpuHistory?[] Cpus { get; }

    /// <summary>When each CPU took samples; null for one without records.</summary>
    public SampleClock?[] Clocks { get; }

    /// <summary>Ticks of a second.</summary>
    public long TicksPerSecond { get; }

    /// <summary>When records are missing.</summary>
    public LossMap Losses { get; }

    /// <summary>Idle states and speeds of the CPUs.</summary>
    public PowerHistory Power { get; }

    /// <summary>Who held spin locks.</summary>
    public LockHistory Locks { get; }

    /// <summary>Hard page faults.</summary>
    public HardFaults Faults { get; } = new();

    /// <summary>How often and how long each routine ran.</summary>
    public RoutineCounts Routines { get; }

    /// <summary>How finely the time stamps are divided.</summary>
    public ClockSteps Steps { get; }

    /// <summary>The routines that serve the clock.</summary>
    public ClockInterrupts ClockInterrupts { get; } = new();

    /// <summary>
    /// ISR and DPC records with a negative duration, or one beyond all reason, or that begin within another one and end behind it.
    /// </summary>
    public long AbsurdRoutines { get; set; }

    /// <summary>Context switches whose old thread is not the one that was switched in before: records are missing between.</summary>
    public long BrokenSwitches { get; set; }

    /// <summary>Context switches.</summary>
    public long Switches { get; set; }

    /// <summary>Events too short for what they claim to be.</summary>
    public long ShortPayloads { get; set; }

    /// <summary>How long the threads of each process had CPUs; filled only where the settings ask for it.</summary>
    public Dictionary<uint, (long Ticks, long Switches)> RunTimes { get; } = [];

    /// <summary>What samples that did not hit an idle thread hit, by address; filled only where the settings ask for it.</summary>
    public SampleCounts Samples { get; } = new();

    /// <summary>The long runs of each thread.</summary>
    public ThreadRuns ThreadRuns { get; }

    /// <summary>Samples of code other than the idle threads'.</summary>
    public long BusySamples { get; set; }

    /// <summary>Those of them that hit the interrupt that takes the samples.</summary>
    public long SamplesOfRecording { get; set; }

    /// <summary>The history of a CPU; null where it has no records.</summary>
    /// <param name="number">Its number; any.</param>
    public CpuHistory? Cpu(int number) => (uint)number < (uint)Cpus.Length ? Cpus[number] : null;

    /// <summary>The interval of a CPU's samples, in ticks; 0 where not known.</summary>
    /// <param name="cpu">The CPU.</param>
    public long SampleIntervalOf(CpuHistory cpu) => Clocks[cpu.Cpu]?.IntervalTicks ?? 0;
}
