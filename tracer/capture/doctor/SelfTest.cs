using Tracer.Capture.Driver;
using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Doctor;

/// <summary>
/// <c>tracer doctor --self-test</c>: tries on a real machine what could not be tried where this was written, one line each. Undoes what it
/// does.
/// </summary>
/// <param name="openDriver">Opens our driver; null where it does not run.</param>
/// <param name="readTrace">Counts, in a trace file, all events and those of the Tracer provider that have their schema.</param>
public sealed class SelfTest(
    ITraceSessions sessions,
    MachineSize size,
    Func<DriverClient>? openDriver,
    Func<ITriggerSource> makeProbe,
    Func<string, (long Events, long Tracer)> readTrace,
    string folder,
    TimeSpan? time = null)
{
    private const uint UnitsPerMillisecond = 10_000;

    private TimeSpan Time { get; } = time ?? TimeSpan.FromSeconds(1);

    /// <summary>Runs all of it; some seconds.</summary>
    public void Run(Action<MachineCheck> told)
    {
        ArgumentNullException.ThrowIfNull(told);
        using ITriggerSource probe = makeProbe();
        bool isProbing = Try(told, "probe process", () =>
        {
            probe.Start();
            var summary = new WakeupSummary();
            Thread.Sleep(Time);
            probe.Drain(summary);
            return summary.Count == 0
                ? Failed("it measured nothing", "late wake-ups are what it is for")
                : (CheckOutcome.Ok, Number(
                    $"{summary.Count:#,0} wake-ups, worst {ReadableDuration.Of(summary.Worst)}, ")
                    + $"floor {ReadableDuration.Of(new Duration(probe.FloorNs))}", null);
        });
        Recorder(told, isProbing);
        Try(told, "sampling interval", SamplingInterval);
        Try(told, "real-time events", RealTime);
        if (openDriver is null)
        {
            told(new MachineCheck("driver", CheckOutcome.Skipped, "it does not run: tracer driver install, tracer driver start"));
        }
        else
        {
            Try(told, "driver", () =>
            {
                using DriverClient driver = openDriver();
                DriverStatus status = driver.Status();
                return (CheckOutcome.Ok, Number($"it answers: {status.State}, {status.Cpus} CPUs, {status.ClockHz:#,0} Hz"), null);
            });
        }
    }

    private static (CheckOutcome, string, string?) Failed(string finding, string why) => (CheckOutcome.Fail, finding, why);

    private static bool Try(Action<MachineCheck> told, string name, Func<(CheckOutcome Outcome, string Finding, string? Why)> step)
    {
        (CheckOutcome Outcome, string Finding, string? Why) result;
        try
        {
            result = step();
        }
#pragma warning disable CA1031 // Whatever a step meets is what the user asked for.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            result = (CheckOutcome.Fail, failure.Message, null);
        }

        told(new MachineCheck(name, result.Outcome, result.Finding, result.Why));
        return result.Outcome == CheckOutcome.Ok;
    }

    private static string Number(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>A recorder as a capture starts it, and what comes out of it.</summary>
    private void Recorder(Action<MachineCheck> told, bool isProbing)
    {
        ITraceSession? recorder = null;
        string path = Path.Combine(folder, $"tracer-self-test-{Environment.ProcessId}.etl");
        bool isStarted = Try(told, "recorder session", () =>
        {
            recorder = sessions.Start(SessionPlans.Recorder(size, Time, CaptureDefaults.LeastRingMb));
            return (CheckOutcome.Ok, "started", null);
        });
        try
        {
            if (!isStarted || recorder is null)
            {
                return;
            }

            Try(told, "kernel events granted", () => recorder.Missing is { Count: > 0 } missing
                ? (CheckOutcome.Warn, $"not {string.Join(", ", missing)}", "reports say which question they leave open")
                : (CheckOutcome.Ok, "all", null));
            Try(told, "stacks granted", () => recorder.GrantedStacks.Count < recorder.Plan.Stacks.Count
                ? (CheckOutcome.Warn, Number($"{recorder.GrantedStacks.Count} of {recorder.Plan.Stacks.Count} kinds of event"),
                    "stacks name the driver behind a framework")
                : (CheckOutcome.Ok, Number($"for {recorder.Plan.Stacks.Count} kinds of event"), null));
            Thread.Sleep(Time);
            (long Events, long Tracer) read = default;
            Try(told, "snapshot", () =>
            {
                recorder.Snapshot(path);
                read = readTrace(path);
                return read.Events == 0
                    ? Failed("no event in it", "a session that delivers nothing has not started")
                    : (CheckOutcome.Ok, Number($"{read.Events:#,0} events in {new FileInfo(path).Length:#,0} bytes"), null);
            });
            Try(told, "provider events", () => !isProbing ? (CheckOutcome.Skipped, "no probe logs any", null)
                : read.Tracer == 0 ? Failed("none of the probe's events is in it", "blame counts latencies from them")
                : (CheckOutcome.Ok, Number($"{read.Tracer:#,0} of the probe, with their schema"), null));
            Try(told, "end of the session", () =>
            {
                recorder.Stop();
                return sessions.Running().Any(one => one.Name == recorder.Plan.Name)
                    ? Failed("it still runs", "it would take memory and one of eight places")
                    : (CheckOutcome.Ok, "stopped", null);
            });
        }
        finally
        {
            recorder?.Dispose();
            File.Delete(path);
        }
    }

    private (CheckOutcome Outcome, string Finding, string? Why) SamplingInterval()
    {
        uint before = sessions.ProfileInterval;
        uint other = before == UnitsPerMillisecond ? 2 * UnitsPerMillisecond : UnitsPerMillisecond;
        uint set;
        try
        {
            sessions.ProfileInterval = other;
            set = sessions.ProfileInterval;
        }
        finally
        {
            sessions.ProfileInterval = before;
        }

        uint after = sessions.ProfileInterval;
        string finding = Number($"{before} before, {other} asked for, {set} set, {after} restored (100 ns)");
        return after != before ? Failed(finding, "the whole machine is sampled at another rate now: wpr -resetprofint")
            : set != other ? (CheckOutcome.Warn, finding, "--profile-interval has no effect here")
            : (CheckOutcome.Ok, finding, null);
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
        session.Stop();
        reader.Join(Time);
        return counted.Problem is { } problem ? Failed(problem, "--trigger dpc,isr needs them")
            : counted.Count == 0 ? Failed("no DPC or ISR was told", "--trigger dpc,isr needs them")
            : (CheckOutcome.Ok, Number($"{counted.Count:#,0} DPCs and ISRs, {counted.Lost:#,0} lost"), null);
    }

    private sealed class CountedWork : IInterruptWorkSink
    {
        public long Count { get; private set; }

        public long Lost { get; private set; }

        public string? Problem { get; set; }

        public void OnWork(in InterruptWork work) => Count++;

        public void OnLost(int count) => Lost += count;
    }
}
