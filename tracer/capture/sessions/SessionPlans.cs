using Tracer.Capture.Ground;

namespace Tracer.Capture.Sessions;

/// <summary>The sessions of the flight recorder, with the sizes of their buffers.</summary>
public static class SessionPlans
{
    public const string RecorderName = SessionPlan.NamePrefix + "Recorder";

    public const string TriggerName = SessionPlan.NamePrefix + "Trigger";

    /// <summary>Name of the session that tells when a process's threads become ready and run.</summary>
    public const string ProcessName = SessionPlan.NamePrefix + "Process";

    /// <summary>Name of the session with the events of other providers that may trigger.</summary>
    public const string EventsName = SessionPlan.NamePrefix + "Events";

    public const string MonitorName = SessionPlan.NamePrefix + "Monitor";

    public const string RundownName = SessionPlan.NamePrefix + "Rundown";

    /// <summary>
    /// The names of all sessions of a capture. The next one stops what a crash left of them, and <c>tracer monitor</c> its own; no session
    /// of another name is ever stopped: a name that begins like ours may be anybody's.
    /// </summary>
    public static IReadOnlyList<string> CaptureNames { get; } = [RecorderName, TriggerName, RundownName, ProcessName, EventsName];

    public static IReadOnlyList<string> OwnNames { get; } = [.. CaptureNames, MonitorName];

    private const int SmallBufferKb = 64;
    private const int SwitchBufferKb = 256;
    private const int LargeBufferKb = 1024;
    private const int BuffersBeforeLargerOnes = 4096;
    private const int LeastBuffersPerCpu = 2;
    private const int TriggerBuffersPerCpu = 4;
    private const int RundownBufferKb = 256;

    /// <summary>The rundown's buffers take this part of the memory at most: they are there for a second or so.</summary>
    private const int RundownMemoryPart = 64;
    private const int LeastRundownBuffers = 16;

    /// <summary>Whether a session is one of ours, however its name is written: Windows looks at no case.</summary>
    /// <returns>True if so.</returns>
    public static bool IsOwn(string name) => OwnNames.Contains(name, StringComparer.OrdinalIgnoreCase);

    /// <param name="covered">What the ring must hold: before the episode, after it, and until we have heard of it.</param>
    /// <param name="ringMb">Size of the ring in MiB; null for <see cref="CaptureRingDefault.Mb"/>.</param>
    public static SessionPlan Recorder(
        MachineSize machine, TimeSpan covered, int? ringMb = null, bool withStacks = true, bool withSpinLocks = false)
    {
        int ringKb = checked(1024 * (ringMb ?? CaptureRingDefault.Mb(machine, covered)));
        int bufferKb = SmallBufferKb;
        while (bufferKb < LargeBufferKb && ringKb / bufferKb > BuffersBeforeLargerOnes)
        {
            bufferKb *= 2;
        }

        return new SessionPlan
        {
            Name = RecorderName,
            Role = SessionRole.Recorder,
            BufferKb = bufferKb,
            Buffers = Math.Max(ringKb / bufferKb, LeastBuffersPerCpu * machine.Cpus),
            Masks = RecordedEvents.MasksOf(withSpinLocks ? RecordedEvents.All : RecordedEvents.Recorder),
            Stacks = withStacks ? RecordedEvents.Stacks : [],
            Providers = RecordedEvents.Providers,
        };
    }

    /// <summary>The trigger session: every CPU fills one buffer while others are on the way to the reader.</summary>
    /// <param name="kinds">What may trigger: one or both of <see cref="TriggerKind.Dpc"/> and <see cref="TriggerKind.Isr"/>.</param>
    public static SessionPlan Trigger(MachineSize machine, IReadOnlyCollection<TriggerKind> kinds) => new()
    {
        Name = TriggerName,
        Role = SessionRole.Trigger,
        BufferKb = SmallBufferKb,
        Buffers = TriggerBuffersPerCpu * machine.Cpus,
        Masks = RecordedEvents.MasksOf(kinds.Select(RecordedEvents.Trigger)),
    };

    /// <summary>The session of <c>--process</c>: every switch of the machine, so that its buffers are larger.</summary>
    public static SessionPlan Process(MachineSize machine) => new()
    {
        Name = ProcessName,
        Role = SessionRole.Trigger,
        BufferKb = SwitchBufferKb,
        Buffers = TriggerBuffersPerCpu * machine.Cpus,
        Masks = RecordedEvents.MasksOf(RecordedEvents.Scheduling),
    };

    /// <summary>The same for <c>--trigger job</c>: what interrupts a job counts as well.</summary>
    public static SessionPlan Jobs(MachineSize machine) =>
        Process(machine) with { Masks = RecordedEvents.MasksOf(RecordedEvents.Jobs) };

    /// <param name="withJobs">Whether the jobs of threads are followed.</param>
    public static SessionPlan Monitor(MachineSize machine, bool withJobs) => new()
    {
        Name = MonitorName,
        Role = SessionRole.Trigger,
        BufferKb = SmallBufferKb,
        Buffers = TriggerBuffersPerCpu * machine.Cpus,
        Masks = RecordedEvents.MasksOf(withJobs ? RecordedEvents.Monitor.Union(RecordedEvents.Jobs) : RecordedEvents.Monitor),
        Providers = RecordedEvents.Glitches,
    };

    /// <summary>The session with the events of providers that may trigger.</summary>
    public static SessionPlan Events(MachineSize machine, IReadOnlyList<ProviderRequest> providers) => new()
    {
        Name = EventsName,
        Role = SessionRole.Events,
        BufferKb = SmallBufferKb,
        Buffers = Math.Max(LeastRundownBuffers, LeastBuffersPerCpu * machine.Cpus),
        Masks = default,
        Providers = providers,
    };

    /// <summary>
    /// Bytes of one rundown. Each record has 32 bytes of header; a process its SID, image name and command line (40 + 68 + 16 bytes, and
    /// 900 characters of UTF-16, since browsers' are long), an image 56 bytes and a path of 80 characters, a thread 88 bytes and a name.
    /// </summary>
    /// <returns>Bytes.</returns>
    public static long RundownBytes(int processes, int images, int threads) => (2048L * processes) + (256L * images) + (160L * threads);

    /// <summary>
    /// The rundown. Windows logs it in one burst, from one CPU, while the session starts and once more while it stops, faster than any
    /// disk: what finds no buffer is lost, and with it the names of images. So there are buffers for all that a thousand processes with 150
    /// images each and ten thousand threads tell, 42 MB, before the first of them is written; as many again may be added.
    /// </summary>
    /// <param name="withConfiguration">Whether the machine is to be described as well.</param>
    public static SessionPlan Rundown(MachineSize machine, string path, bool withConfiguration = false) => new()
    {
        Name = RundownName,
        Role = SessionRole.Rundown,
        BufferKb = RundownBufferKb,
        Buffers = Math.Max(RundownBuffers(machine), LeastBuffersPerCpu * machine.Cpus),
        Masks = RecordedEvents.MasksOf(RecordedEvents.Rundown),
        FilePath = path,
        WithConfiguration = withConfiguration,
    };

    private static int RundownBuffers(MachineSize machine)
    {
        const int Processes = 1_000;
        long bytes = Math.Min(RundownBytes(Processes, 150 * Processes, 10 * Processes), machine.MemoryBytes / RundownMemoryPart);
        return (int)Math.Max(LeastRundownBuffers, (bytes / (1024 * RundownBufferKb)) + 1) + (LeastBuffersPerCpu * machine.Cpus);
    }
}
