namespace Tracer.Analysis.Machine;

/// <summary>
/// What is known of the machine: the recent past of each CPU; what went on across CPUs up to the time that the thread pass has reached
/// (speeds, locks, page faults), or the early pass (DPC queues); and counts. Memory does not grow with the trace.
/// </summary>
internal sealed class MachineState
{
    /// <summary>A clock with fewer steps within the threshold is too coarse to measure it.</summary>
    private const int StepsOfThreshold = 10;

    private readonly long _longestStepTicks;

    /// <summary>Creates a machine of which nothing is known yet.</summary>
    /// <param name="cpus">Upper limit of the number of logical processors.</param>
    /// <param name="thresholdTicks">Least latency of an episode, in ticks.</param>
    /// <param name="asked">The part of the trace that was asked about; null for all of it.</param>
    public MachineState(
        int cpus, long ticksPerSecond, long thresholdTicks, LossMap losses, PowerHistory power, LockHistory locks, TracePart? asked = null)
    {
        Asked = asked ?? TracePart.Whole;
        Cpus = new CpuHistories(new CpuHistory?[cpus]);
        Lanes = new Lane?[cpus];
        TicksPerSecond = ticksPerSecond;
        Losses = losses;
        Power = power;
        Locks = locks;
        Recorded = new RecordedTimes(cpus);
        RecordedDpcs = new RecordedTimes(cpus);
        ReadyTimes = new ReadyTimes(cpus);
        Queues = new DpcQueues(cpus);
        ClockInterrupts = new ClockInterrupts(cpus);
        Routines = new RoutineCounts(asked);
        ThreadRuns = new ThreadRuns(thresholdTicks);
        _longestStepTicks = thresholdTicks / StepsOfThreshold;
        Steps = NewSteps();
    }

    public CpuHistories Cpus { get; }

    /// <summary>What builds the past of each CPU; null for one without records, and once all was read.</summary>
    public Lane?[] Lanes { get; }

    /// <summary>Frequency of the trace's clock.</summary>
    public long TicksPerSecond { get; }

    /// <summary>
    /// Whether only what one CPU's own records show is judged, because the clocks of CPUs disagree in a way that could not be put right.
    /// </summary>
    public bool IsOneCpuOnly { get; init; }

    /// <summary>
    /// The machine's CPUs of which the trace has no record although they were not parked: any thread may have been there.
    /// </summary>
    public IReadOnlyList<int> SilentCpus { get; init; } = [];

    public LossMap Losses { get; }

    /// <summary>From when to when each CPU has records of what it ran.</summary>
    public RecordedTimes Recorded { get; }

    /// <summary>From when to when each CPU logged DPCs.</summary>
    public RecordedTimes RecordedDpcs { get; }

    /// <summary>Speeds of the CPUs, and how long leaving idle states takes.</summary>
    public PowerHistory Power { get; }

    /// <summary>The spin locks held recently.</summary>
    public LockHistory Locks { get; }

    /// <summary>The DPCs in queues, and those that left them.</summary>
    public DpcQueues Queues { get; }

    /// <summary>When the threads that run were made ready.</summary>
    public ReadyTimes ReadyTimes { get; }

    /// <summary>Where the threads recently ran.</summary>
    public ThreadVisits Visits { get; } = new();

    public HardFaults Faults { get; } = new();

    /// <summary>Hard page faults of <see cref="Asked"/>, by process and file.</summary>
    public FaultCounts FaultCounts { get; } = new();

    /// <summary>Number and times of the runs of each routine.</summary>
    public RoutineCounts Routines { get; }

    /// <summary>Resolution of the time stamps.</summary>
    public ClockSteps Steps { get; }

    public ClockInterrupts ClockInterrupts { get; }

    public LaneCounts Counts { get; } = new();

    /// <summary>The CPUs whose samples show threads that no switch told of, once all was read.</summary>
    public List<int> SwitchlessCpus { get; } = [];

    public TracePart Asked { get; }

    /// <summary>CPU time and switches of each process; filled only where the settings ask for it.</summary>
    public Dictionary<uint, (long Ticks, long Switches)> RunTimes { get; } = [];

    /// <summary>The addresses hit by samples outside idle threads; filled only where the settings ask for it.</summary>
    public SampleCounts Samples { get; } = new();

    public ThreadRuns ThreadRuns { get; }

    /// <summary>The history of a CPU; null where it has no records.</summary>
    /// <param name="number">The CPU's number; any value is allowed.</param>
    public CpuHistory? Cpu(int number) => (uint)number < (uint)Cpus.Length ? Cpus[number] : null;

    /// <summary>Measures the resolution of the time stamps of one CPU.</summary>
    public ClockSteps NewSteps() => new(_longestStepTicks);

    /// <summary>
    /// Adds up what was counted on each CPU and forgets the past of the CPUs, which is most of the memory: all episodes have been analysed.
    /// </summary>
    /// <returns>The memory that the past took, in bytes.</returns>
    public long Complete()
    {
        Routines.Complete(Lanes.OfType<Lane>().Select(lane => lane.Routines));
        foreach (Lane lane in Lanes.OfType<Lane>())
        {
            Counts.Add(lane.Counts);
            if (lane.Counts.AreSwitchesMissing)
            {
                SwitchlessCpus.Add(lane.Past.Cpu);
            }

            Steps.Add(lane.Steps);
            Samples.Add(lane.Samples);
        }

        long bytes = Cpus.Sum(static cpu => cpu?.Bytes ?? 0);
        Array.Clear(Lanes);
        Cpus.Clear();
        return bytes;
    }
}
