using System.Diagnostics;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Doctor;

/// <summary>
/// <c>tracer doctor --self-test</c>: tries on a real machine what could not be tried where this was written, one line each. Undoes what it
/// does.
/// </summary>
/// <param name="driver">What is tried of our driver, last.</param>
/// <param name="readTrace">Counts what is in a trace file.</param>
public sealed class SelfTest(
    ITraceSessions sessions,
    MachineSize size,
    DriverProof driver,
    Func<ITriggerSource> makeProbe,
    Func<string, TraceContents> readTrace,
    string folder,
    TimeSpan? time = null)
{
    private const uint UnitsPerMillisecond = 10_000;
    private const int RealTimePriorities = 16;

    /// <summary>Buffers of a ring that is to be full soon.</summary>
    private const int SmallRingBuffersPerCpu = 2;

    /// <summary>How often to look whether it is.</summary>
    private const int MostLooks = 8;

    /// <summary>What the recorder wants stacks of, in words, in the order of <see cref="RecordedEvents.Stacks"/>.</summary>
    private static readonly string[] StackNames = ["stacks of samples", "stacks of ready threads", "stacks of queued DPCs"];

    /// <summary>A capture that is deaf for longer tells of it.</summary>
    public TimeSpan LongDeafness { get; init; } = TimeSpan.FromSeconds(2);

    private TimeSpan Time { get; } = time ?? TimeSpan.FromSeconds(1);

    /// <summary>Runs all of it; some seconds.</summary>
    public void Run(Action<MachineCheck> told)
    {
        ArgumentNullException.ThrowIfNull(told);
        using (ITriggerSource probe = makeProbe())
        {
            WithProbe(told, probe);
        }

        driver.Run(told); // Without the probe, which logs to the same provider: what is heard then is the driver's.
    }

    private static string Number(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private void WithProbe(Action<MachineCheck> told, ITriggerSource probe)
    {
        bool isProbing = MachineCheck.Try(told, "probe process", () =>
        {
            probe.Start();
            var summary = new WakeupSummary();
            Thread.Sleep(Time);
            probe.Drain(summary);
            return summary.Count == 0
                ? MachineCheck.Failed("it measured nothing", "late wake-ups are what it is for")
                : (CheckOutcome.Ok, Number(
                    $"{summary.Count:#,0} wake-ups, worst {ReadableDuration.Of(summary.Worst)}, ")
                    + $"floor {ReadableDuration.Of(new Duration(probe.FloorNs))}", null);
        });
        MachineCheck.Try(told, "probe priority", () => !isProbing ? (CheckOutcome.Skipped, "the probe does not run", null)
            : (probe as IOwnPriority)?.Priority is not { } priority ? MachineCheck.Failed("not known", "a probe below others measures them")
            : priority < RealTimePriorities
                ? (CheckOutcome.Warn, Number($"{priority}, read back"), "it is not a real-time priority: other threads count as latency")
                : (CheckOutcome.Ok, Number($"{priority}, read back"), null));
        MachineCheck.Try(told, "places for sessions", () => sessions.Places is { } places
            ? (CheckOutcome.Ok, Running() is { } taken ? Number($"{places}, of which {taken.Count} are taken") : Number($"{places}"), null)
            : (CheckOutcome.Warn, Number($"taken for {SessionPlaces.All}"), "Windows does not say (TraceMaxLoggersQuery)"));
        Recorder(told, isProbing ? (probe as IOwnProcess)?.Process : null);
        MachineCheck.Try(told, "ring that wraps", WrappingRing);
        TimeSpan took = default;
        MachineCheck.Try(told, "rundown", () => Rundown(out took));
        TellSlow(told, "slow rundown", took);
        MachineCheck.Try(told, "machine configuration", Configuration);
        MachineCheck.Try(told, "sampling interval", SamplingInterval);
    }

    /// <summary>A recorder as a capture starts it, and what comes out of it.</summary>
    /// <param name="probe">The process of our probe; null where none runs.</param>
    private void Recorder(Action<MachineCheck> told, LeftProcess? probe)
    {
        ITraceSession? recorder = null;
        string path = PathOf("snapshot");
        bool isStarted = MachineCheck.Try(told, "recorder session", () =>
        {
            recorder = sessions.Start(SessionPlans.Recorder(size, Time, CaptureRingDefault.LeastMb));
            return (CheckOutcome.Ok, "started", null);
        });
        try
        {
            if (!isStarted || recorder is null)
            {
                return;
            }

            MachineCheck.Try(told, "kernel events granted", () =>
                !recorder.IsGrantedTold ? (CheckOutcome.Skipped, "Windows does not say: what arrives counts instead", null)
                : RecordedEvents.Missing(recorder.Plan.Masks, recorder.Granted) is { Count: > 0 } missing
                ? (CheckOutcome.Warn, $"not {string.Join(", ", missing)}", "reports say which question they leave open")
                : (CheckOutcome.Ok, "all", null));
            MachineCheck.Try(told, "stacks taken", () => recorder.GrantedStacks.Count < recorder.Plan.Stacks.Count
                ? (CheckOutcome.Warn, Number($"{recorder.GrantedStacks.Count} of {recorder.Plan.Stacks.Count} kinds of event"),
                    "stacks name the driver behind a framework")
                : (CheckOutcome.Ok, Number($"for {recorder.Plan.Stacks.Count} kinds of event"), null));
            Thread.Sleep(Time);
            TraceContents read = new();
            TimeSpan took = default;
            MachineCheck.Try(told, "snapshot", () =>
            {
                long begin = Stopwatch.GetTimestamp();
                recorder.Snapshot(path);
                took = Stopwatch.GetElapsedTime(begin);
                read = readTrace(path);
                return read.Events == 0
                    ? MachineCheck.Failed("no event in it", "a session that delivers nothing has not started")
                    : Timed(Number($"{read.Events:#,0} events in {new FileInfo(path).Length:#,0} bytes"), took);
            });
            TellSlow(told, "slow snapshot", took);
            MachineCheck.Try(told, "recorder's calls", () =>
                recorder.Refusals.Count == 0 && read.Events == 0 ? (CheckOutcome.Skipped, "there is no snapshot", null)
                : recorder.Refusals.Count > 0
                    ? (CheckOutcome.Warn, string.Join("; ", recorder.Refusals), "a capture goes on by another way, or knows less")
                : (CheckOutcome.Ok, "none is refused", null));
            string[] silent = [.. read.Silent.Except(recorder.Missing)];
            string[] off = [.. read.Silent.Intersect(recorder.Missing)];
            MachineCheck.Try(told, "kernel events arriving", () => read.Events == 0 ? (CheckOutcome.Skipped, "there is no snapshot", null)
                : !read.TellsSilent ? (CheckOutcome.Skipped, Number($"{read.Events:#,0} events are too few to tell"), null)
                : silent.Length == 0 && off.Length > 0
                    ? (CheckOutcome.Skipped, $"of every group but what Windows has refused: {string.Join(", ", off)}", null)
                : silent.Length > 0
                    ? (CheckOutcome.Warn, $"nothing of {string.Join(", ", silent)}", "reports say which question they leave open")
                    : (CheckOutcome.Ok, "of every group that a machine always has", null));
            foreach ((StackRequest kind, string name) in RecordedEvents.Stacks.Zip(StackNames))
            {
                long stacks = read.Stacks.GetValueOrDefault(kind);
                MachineCheck.Try(told, name, () => read.Events == 0 ? (CheckOutcome.Skipped, "there is no snapshot", null)
                    : stacks == 0 && !read.WithoutStack.Contains(kind)
                        ? (CheckOutcome.Skipped, "too few such events came to tell", null)
                    : stacks == 0 ? (CheckOutcome.Warn, "none came", "stacks name the driver behind a framework")
                    : (CheckOutcome.Ok, Number($"{stacks:#,0}"), null));
            }

            MachineCheck.Try(told, "real-time events", RealTime);
            MachineCheck.Try(told, "provider events", () => probe is not { } process ? (CheckOutcome.Skipped, "no probe logs any", null)
                : read.Tracer.GetValueOrDefault((uint)process.Id) is not (> 0 and long events)
                    ? MachineCheck.Failed("none of the probe's events is in it", "blame counts latencies from them")
                : (CheckOutcome.Ok, Number($"{events:#,0} of the probe, with their schema"), null));
            MachineCheck.Try(told, "end of the session", () =>
            {
                recorder.Stop();
                return Running() is not { } left ? (CheckOutcome.Skipped, "Windows does not list the sessions that run", null)
                    : left.Any(one => one.Name == recorder.Plan.Name)
                    ? MachineCheck.Failed("it still runs", "it would take memory and one of eight places")
                    : (CheckOutcome.Ok, "stopped", null);
            });
        }
        finally
        {
            recorder?.Dispose();
            File.Delete(path);
        }
    }

    private static (CheckOutcome Outcome, string Finding, string? Why) Timed(string finding, TimeSpan took) =>
        (CheckOutcome.Ok, Number($"{finding}, within {took.TotalMilliseconds:#,0} ms"), null);

    /// <summary>A line of its own: what is slow works all the same.</summary>
    private void TellSlow(Action<MachineCheck> told, string name, TimeSpan took)
    {
        if (took >= LongDeafness)
        {
            told(new MachineCheck(
                name, CheckOutcome.Warn, Number($"{took.TotalMilliseconds:#,0} ms"),
                "what is late meanwhile is not reported: a capture says so"));
        }
    }

    /// <summary>
    /// A ring so small that it is full at once: its second snapshot begins later than the first, and it goes on. So does a ring that a
    /// snapshot empties, which was never full: two snapshots at once tell the one from the other.
    /// </summary>
    private (CheckOutcome Outcome, string Finding, string? Why) WrappingRing()
    {
        string path = PathOf("ring");
        SessionPlan plan = SessionPlans.Recorder(size, Time, CaptureRingDefault.LeastMb);
        try
        {
            using ITraceSession ring = sessions.Start(plan with { Buffers = SmallRingBuffersPerCpu * size.Cpus });
            Thread.Sleep(Time);
            long first = SnapshotOf(ring, path).FirstTicks;
            for (int look = 0; look < MostLooks; look++)
            {
                Thread.Sleep(Time);
                if (SnapshotOf(ring, path) is { Events: > 0 } later && later.FirstTicks > first)
                {
                    return IsKept(ring)
                        ? (CheckOutcome.Ok, Number($"a second snapshot of it has later events: {later.Events:#,0}"), null)
                        : (CheckOutcome.Warn, "a snapshot empties it", "an episode soon after another has less of what was before it");
                }
            }

            return (CheckOutcome.Skipped, "the machine logged too little to fill it", null);
        }
        finally
        {
            File.Delete(path);
        }
    }

    /// <summary>Whether the ring still holds what a snapshot has written.</summary>
    private bool IsKept(ITraceSession ring)
    {
        const int Tries = 3; // Of a machine that is very busy, the ring may have been written anew in between.
        string first = PathOf("ring-first");
        string second = PathOf("ring-second");
        try
        {
            for (int i = 0; i < Tries; i++)
            {
                ring.Snapshot(first);
                ring.Snapshot(second);
                TraceContents before = readTrace(first);
                if (before.Events > 0 && readTrace(second) is { Events: > 0 } after && after.FirstTicks <= before.LastTicks)
                {
                    return true;
                }
            }

            return false;
        }
        finally
        {
            File.Delete(first);
            File.Delete(second);
        }
    }

    private TraceContents SnapshotOf(ITraceSession ring, string path)
    {
        ring.Snapshot(path);
        return readTrace(path);
    }

    private (CheckOutcome Outcome, string Finding, string? Why) Rundown(out TimeSpan took)
    {
        (TraceContents told, took) = RundownOf(withConfiguration: false);
        return told.KernelImages == 0 ? MachineCheck.Failed("it lists no image of the kernel", "code would have no names")
            : told.Lost > 0
                ? (CheckOutcome.Warn, Number($"it lost {told.Lost:#,0} events or buffers"), "some code will have no name")
                : Timed(Number($"{told.KernelImages:#,0} images of the kernel, nothing lost"), took);
    }

    private (CheckOutcome Outcome, string Finding, string? Why) Configuration()
    {
        (TraceContents told, TimeSpan took) = RundownOf(withConfiguration: true);
        return told.Configuration == 0
            ? (CheckOutcome.Warn, "no record of it came", "reports will not name processors, disks and devices")
            : (CheckOutcome.Ok, Number(
                $"{told.Configuration:#,0} records within {took.TotalMilliseconds:#,0} ms, once for each capture"), null);
    }

    private (TraceContents Told, TimeSpan Took) RundownOf(bool withConfiguration)
    {
        string path = PathOf("rundown");
        try
        {
            long begin = Stopwatch.GetTimestamp();
            RundownTaking.Take(sessions, SessionPlans.Rundown(size, path, withConfiguration));
            TimeSpan took = Stopwatch.GetElapsedTime(begin);
            return (readTrace(path), took);
        }
        finally
        {
            File.Delete(path);
        }
    }

    private string PathOf(string part) => Path.Combine(folder, $"tracer-self-test-{part}-{Environment.ProcessId}.etl");

    private (CheckOutcome Outcome, string Finding, string? Why) SamplingInterval()
    {
        const string Untouched = "--profile-interval has no effect here";
        uint before;
        uint other;
        uint set;
        try
        {
            before = sessions.ProfileInterval;
            other = SampleInterval.IsNear(before, UnitsPerMillisecond) ? 2 * UnitsPerMillisecond : UnitsPerMillisecond;
            sessions.ProfileInterval = other;
        }
        catch (EtwException refusal)
        {
            return (CheckOutcome.Warn, refusal.Message, Untouched); // Samples are taken at the machine's own rate then.
        }

        try
        {
            set = sessions.ProfileInterval;
        }
        finally
        {
            sessions.ProfileInterval = before;
        }

        uint after = sessions.ProfileInterval;
        string finding = Number($"{before} before, {other} asked for, {set} set, {after} restored (100 ns)");
        return !SampleInterval.IsNear(after, before)
            ? MachineCheck.Failed(finding, "the whole machine is sampled at another rate now: wpr -resetprofint")
            : !SampleInterval.IsNear(set, other) ? (CheckOutcome.Warn, finding, Untouched)
            : (CheckOutcome.Ok, finding, null);
    }

    /// <returns>Null where Windows does not list them: that is no failure of what is tried.</returns>
    private IReadOnlyList<RunningSession>? Running()
    {
        try
        {
            return sessions.Running();
        }
        catch (EtwException)
        {
            return null;
        }
    }

    private (CheckOutcome Outcome, string Finding, string? Why) RealTime()
    {
        SessionPlan plan = SessionPlans.Trigger(size, [TriggerKind.Dpc, TriggerKind.Isr]);
        var counted = new CountedWork();
        using ITraceSession session = sessions.Start(plan);
        var reader = new Thread(() =>
        {
            try
            {
                sessions.ReadRealTime(plan.Name, counted);
            }
            catch (EtwException failure)
            {
                counted.Problem = failure.Message;
            }
        });
        reader.IsBackground = true;
        reader.Start();
        // Real-time buffers are handed out once a second.
        Thread.Sleep(3 * Time);
        (long dpcs, long isrs) = (counted.Dpcs, counted.Isrs); // What comes only when the session stops is not real time.
        session.Stop();
        reader.Join(Time);
        string finding = Number($"{dpcs:#,0} DPCs and {isrs:#,0} ISRs, {counted.Lost:#,0} lost");
        return counted.Problem is { } problem ? MachineCheck.Failed(problem, "--trigger dpc,isr needs them")
            : dpcs == 0 || isrs == 0 ? MachineCheck.Failed(finding, "--trigger dpc,isr needs them")
            : (CheckOutcome.Ok, finding, null);
    }

    private sealed class CountedWork : IInterruptWorkSink
    {
        public long Dpcs { get; private set; }

        public long Isrs { get; private set; }

        public long Lost { get; private set; }

        public string? Problem { get; set; }

        public void OnWork(in InterruptWork work)
        {
            if (work.IsIsr)
            {
                Isrs++;
            }
            else
            {
                Dpcs++;
            }
        }

        public void OnLost(int count) => Lost += count;
    }
}
