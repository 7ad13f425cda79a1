namespace Tracer.Analysis.Machine;

/// <summary>
/// The state of the machine at the time that the second reading has reached: the recent past of each CPU, idle states and speeds, locks,
/// page faults, and counts so far. Memory does not grow with the trace.
/// </summary>
internal sealed class MachineState
{
    /// <summary>A clock with fewer steps within the threshold is too coarse to measure it.</summary>
    private const int StepsOfThreshold = 10;

    /// <summary>Creates a machine of which nothing is known yet.</summary>
    /// <param name="cpus">Upper limit of the number of logical processors.</param>
    /// <param name="thresholdTicks">Least latency of an episode, in ticks.</param>
    /// <param name="asked">The part of the trace that was asked about; null for all of it.</param>
    public MachineState(
        int cpus, long ticksPerSecond, long thresholdTicks, LossMap losses, PowerHistory power, LockHistory locks, TracePart? asked = null)
    {
        Asked = asked ?? TracePart.Whole;
        Cpus = new CpuHistory?[cpus];
        Clocks = new SampleClock?[cpus];
        TicksPerSecond = ticksPerSecond;
        Losses = losses;
        Power = power;
        Locks = locks;
        Recorded = new RecordedTimes(cpus);
        Routines = new RoutineCounts(cpus, asked);
        ThreadRuns = new ThreadRuns(thresholdTicks);
        Steps = new ClockSteps(thresholdTicks / StepsOfThreshold);
    }

    /// <summary>The recent past of each CPU; null for one without records.</summary>
    public CpuHistory?[] Cpus { get; }

    /// <summary>Tells when samples of each CPU are due; null for one without records.</summary>
    public SampleClock?[] Clocks { get; }

    /// <summary>Frequency of the trace's clock.</summary>
    public long TicksPerSecond { get; }

    /// <summary>
    /// Whether only what one CPU's own records show is judged, because the clocks of CPUs disagree in a way that could not be put right.
    /// </summary>
    public bool IsOneCpuOnly { get; init; }

    public LossMap Losses { get; }

    /// <summary>From when to when each CPU has records of what it ran.</summary>
    public RecordedTimes Recorded { get; }

    /// <summary>Idle states and speeds of the CPUs.</summary>
    public PowerHistory Power { get; }

    /// <summary>The spin locks held recently.</summary>
    public LockHistory Locks { get; }

    public HardFaults Faults { get; } = new();

    /// <summary>Hard page faults of <see cref="Asked"/>, by process and file.</summary>
    public FaultCounts FaultCounts { get; } = new();

    /// <summary>Number and times of the runs of each routine.</summary>
    public RoutineCounts Routines { get; }

    /// <summary>Resolution of the time stamps.</summary>
    public ClockSteps Steps { get; }

    public ClockInterrupts ClockInterrupts { get; } = new();

    /// <summary>
    /// ISR and DPC records with a negative or impossibly long duration, or that begin within another one and end after it.
    /// </summary>
    public long AbsurdRoutines { get; set; }

    /// <summary>Context switches whose old thread is not the one last switched in: records are missing between the two.</summary>
    public long BrokenSwitches { get; set; }

    /// <summary>Number of context switches.</summary>
    public long Switches { get; set; }

    public TracePart Asked { get; }

    /// <summary>Number of events in <see cref="Asked"/>; 0 where that is the whole trace.</summary>
    public long AskedEvents { get; set; }

    /// <summary>Number of context switches in <see cref="Asked"/>.</summary>
    public long AskedSwitches { get; set; }

    /// <summary>Events too short for their type.</summary>
    public long ShortPayloads { get; set; }

    /// <summary>CPU time and switches of each process; filled only where the settings ask for it.</summary>
    public Dictionary<uint, (long Ticks, long Switches)> RunTimes { get; } = [];

    /// <summary>The addresses hit by samples outside idle threads; filled only where the settings ask for it.</summary>
    public SampleCounts Samples { get; } = new();

    public ThreadRuns ThreadRuns { get; }

    /// <summary>Number of samples that did not hit an idle thread.</summary>
    public long BusySamples { get; set; }

    /// <summary>How many of the busy samples hit the profile interrupt itself.</summary>
    public long SamplesOfRecording { get; set; }

    /// <summary>The history of a CPU; null where it has no records.</summary>
    /// <param name="number">The CPU's number; any value is allowed.</param>
    public CpuHistory? Cpu(int number) => (uint)number < (uint)Cpus.Length ? Cpus[number] : null;

    /// <summary>Forgets the past of the CPUs, which is most of the memory: all episodes have been analysed.</summary>
    /// <returns>The memory that they took, in bytes.</returns>
    public long ForgetHistories()
    {
        long bytes = Cpus.Sum(static cpu => cpu?.Bytes ?? 0);
        Array.Clear(Cpus);
        return bytes;
    }

    /// <summary>The sample interval of a CPU, in ticks; 0 where it is not known.</summary>
    public long SampleIntervalOf(CpuHistory cpu) => Clocks[cpu.Cpu]?.IntervalTicks ?? 0;
}
