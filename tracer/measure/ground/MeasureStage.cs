namespace Tracer.Measure.Ground;

/// <summary>What a measurement runs on: the machine, how long, and with which settings of its threads.</summary>
public sealed class MeasureStage
{
    private long _allocated;
    private long _backward;

    internal MeasureStage(IMeasureMachine machine, MeasureRequest request, Duration duration, CancellationToken stop)
    {
        (Machine, Request, Stop) = (machine, request, stop);
        Time = new TickTime(machine.TicksPerSecond);
        Length = Time.ToTicks(duration.Nanoseconds);
    }

    public IMeasureMachine Machine { get; }

    public MeasureRequest Request { get; }

    public CancellationToken Stop { get; }

    /// <summary>How long to measure, in ticks.</summary>
    public long Length { get; }

    /// <summary>Bytes that measuring threads allocated while they measured.</summary>
    public long AllocatedBytes => Interlocked.Read(ref _allocated);

    /// <summary>How often the counter went backward.</summary>
    public long BackwardSteps => Interlocked.Read(ref _backward);

    internal TickTime Time { get; }

    /// <summary>Runs one body on a thread with the settings that were asked for.</summary>
    internal void RunAlone(Action body) =>
        Run(new MeasureThread("thread", Request.Priority, Request.Cpu, body));

    /// <summary>
    /// Runs threads together; what they allocate is counted. May be called again: settings of the same name are told once.
    /// </summary>
    internal void Run(params IReadOnlyList<MeasureThread> threads)
    {
        IReadOnlyList<SettingState> own = Machine.Run([.. threads.Select(thread => thread with { Body = Counted(thread.Body) })]);
        Settings = [.. Settings, .. own.Where(one => !Settings.Any(before => before.Name == one.Name))];
    }

    /// <summary>Runs a thread that may allocate: what it does is not fine enough for a collection to matter.</summary>
    internal void RunUncounted(MeasureThread thread) => Settings = Machine.Run(thread);

    /// <summary>Notes a wake-up, where each is kept by itself. Allocates nothing.</summary>
    /// <param name="due">When the thread should have run, in ticks.</param>
    internal void NoteWakeup(long due, long ran) => Request.Wakeups?.Note(due, ran, Machine.CurrentCpu);

    internal IReadOnlyList<SettingState> Settings { get; private set; } = [];

    private Action Counted(Action body) => () =>
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        body();
        Interlocked.Add(ref _allocated, GC.GetAllocatedBytesForCurrentThread() - before);
    };

    /// <summary>Notes that the counter went backward. Allocates nothing.</summary>
    internal void NoteBackward() => Interlocked.Increment(ref _backward);
}

/// <summary>What was asked for, of every measurement.</summary>
public sealed record MeasureRequest
{
    public required Duration Duration { get; init; }

    /// <summary>How long the same is done before, so that code is compiled and caches are warm.</summary>
    public required Duration WarmUp { get; init; }

    /// <summary>The class of the measuring threads.</summary>
    public MeasurePriority Priority { get; init; }

    /// <summary>The CPU that they are bound to; null for any.</summary>
    public int? Cpu { get; init; }

    /// <summary>Whether a setting that the system refuses ends it.</summary>
    public bool MustHaveSettings { get; init; }

    /// <summary>Whether idle CPUs are to stay awake.</summary>
    public bool StaysAwake { get; init; }

    /// <summary>How fine the system's timers are asked to be, in milliseconds, where that is a setting.</summary>
    public int TimerMilliseconds { get; init; } = 1;

    /// <summary>Where random numbers begin.</summary>
    public long Seed { get; init; } = 1;

    /// <summary>Where a process runs that answers, a host and a port with a colon between them; null to start one here.</summary>
    public string? Peer { get; init; }

    /// <summary>Measures beside where a driver sees more; null to measure without.</summary>
    public IMeasureDriver? Driver { get; init; }

    /// <summary>Takes each wake-up by itself; null where nobody wants them.</summary>
    public WakeupLog? Wakeups { get; init; }

    /// <summary>What was asked for as the report lists it.</summary>
    public IReadOnlyList<MeasureParameter> Parameters { get; init; } = [];
}

public interface IMeasurement
{
    string Name { get; }

    /// <summary>Measures. Called once.</summary>
    void Run(MeasureStage stage);

    /// <summary>Tells what came out, when it has run.</summary>
    MeasureResult ToResult();
}

/// <summary>What came out of a measurement.</summary>
/// <param name="Sentence">The most important of it, one sentence.</param>
public sealed record MeasureResult(string Sentence)
{
    public IReadOnlyList<MeasureFigure> Figures { get; init; } = [];

    public IReadOnlyList<MeasureTable> Tables { get; init; } = [];

    public IReadOnlyList<MeasureSeries> Series { get; init; } = [];

    public IReadOnlyList<string> Notes { get; init; } = [];
}
