using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Doctor;

/// <summary>
/// The driver's part of the self-test: it is installed, loaded, run, heard through ETW, stopped, unloaded and removed, one line each. What
/// was installed or loaded before is so afterwards, and a run of somebody else is left alone.
/// </summary>
/// <param name="readTrace">Counts what is in a trace file.</param>
/// <param name="folder">Where a trace may be written.</param>
public sealed class DriverProof(
    DriverMachine machine, ITraceSessions sessions, MachineSize size, Func<string, TraceContents> readTrace, string folder)
{
    private const string NoDriver = "none is installed: 'tracer doctor --self-test --driver FILE' installs one for as long as it takes";
    private const string Listed =
        "it is on Driver Verifier's list, which counts from the next restart on: whether there was one is not known";
    private const string NotVerified =
        "Driver Verifier does not watch it: 'verifier /standard /driver TracerLatency.sys' and a restart; 'verifier /reset' undoes it";

    /// <summary>The driver to install for it; null for the one that is installed.</summary>
    public string? File { get; init; }

    /// <summary>Whether it is on Driver Verifier's list, which Windows reads when it starts; null where that is not known.</summary>
    public bool? IsVerified { get; init; }

    /// <summary>How long it is to run.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Runs all of it. Whatever fails is a warning: a capture needs no driver.</summary>
    public void Run(Action<MachineCheck> outer)
    {
        ArgumentNullException.ThrowIfNull(outer);
        Action<MachineCheck> told = check => outer(check.Outcome == CheckOutcome.Fail ? check with { Outcome = CheckOutcome.Warn } : check);
        DriverService driver = machine.Driver();
        (bool isOurs, bool isLoadedByUs) = (false, false);
        bool isThere = MachineCheck.Try(told, "driver installed", () =>
        {
            if (driver.Find() is { } found)
            {
                return (CheckOutcome.Ok, $"{found.Path}, as it was before", null);
            }

            if (File is null)
            {
                return (CheckOutcome.Skipped, NoDriver, null);
            }

            try
            {
                DriverInstallation done = driver.Install(File);
                isOurs = true;
                return (CheckOutcome.Ok, done.Path, null);
            }
            catch (DriverException refusal)
            {
                return (CheckOutcome.Skipped, refusal.Message, null); // A file that nobody signed says nothing of Windows.
            }
        });
        try
        {
            bool isLoaded = Step(told, "driver loaded", isThere, () =>
            {
                isLoadedByUs = driver.Load();
                return (CheckOutcome.Ok, isLoadedByUs ? "the kernel took it" : "it was before", null);
            });
            Runs(told, isLoaded);
        }
        finally
        {
            Step(told, "driver unloaded", isThere && (isLoadedByUs || isOurs), () => driver.Unload()
                ? (CheckOutcome.Ok, "gone from the kernel", null)
                : (CheckOutcome.Skipped, "it was not loaded", null));
            Step(told, "driver removed", isOurs, () =>
                driver.Uninstall() is { } path && !System.IO.File.Exists(path) && driver.Find() is null
                ? (CheckOutcome.Ok, "neither its file nor its service is left", null)
                : MachineCheck.Failed("its file or its service is still there", "'tracer driver uninstall' removes both"));
        }
    }

    /// <summary>A step that needs those before it.</summary>
    private static bool Step(
        Action<MachineCheck> told, string name, bool isPossible, Func<(CheckOutcome Outcome, string Finding, string? Why)> step) =>
        MachineCheck.Try(told, name, isPossible ? step : () => (CheckOutcome.Skipped, "nothing for this step to do", null));

    private static string Number(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>A run with every wake-up logged, beside a recorder; by Driver Verifier's watch it has a line of its own.</summary>
    private void Runs(Action<MachineCheck> told, bool isLoaded)
    {
        const string Plain = "driver's wake-ups";
        const string Verified = "driver under Verifier";
        const string Stopped = "driver's run ends";
        bool isVerified = IsVerified == true;
        using DriverClient? client = isLoaded ? Opened() : null;
        bool hasRun = false;
        foreach ((string name, bool isTried) in (ReadOnlySpan<(string, bool)>)[(Plain, !isVerified), (Verified, isVerified)])
        {
            MachineCheck.Try(told, name, () => !isTried
                ? (CheckOutcome.Skipped, isVerified
                    ? "Driver Verifier watches it: 'verifier /reset' and a restart end that"
                    : NotVerified,
                    null)
                : client is null ? (CheckOutcome.Skipped, "it is not loaded", null)
                : Ran(client, isTried && isVerified));
        }

        Step(told, Stopped, hasRun, () =>
        {
            DriverStatus last = client!.Stop() ?? client.Status();
            return last.State == DriverState.Running
                ? MachineCheck.Failed("the run goes on", "it would go on measuring, and cost time")
                : (CheckOutcome.Ok, Number($"{last.Probes:#,0} wake-ups in all, {last.Dropped:#,0} records lost"), null);
        });

        (CheckOutcome Outcome, string Finding, string? Why) Ran(DriverClient running, bool isListed)
        {
            (CheckOutcome outcome, string finding, string? why) = Heard(running);
            hasRun |= outcome == CheckOutcome.Ok;
            return outcome == CheckOutcome.Ok && isListed ? (CheckOutcome.Skipped, $"{finding}; {Listed}", why) : (outcome, finding, why);
        }

        DriverClient? Opened()
        {
            DriverClient? opened = null;
            MachineCheck.Try(told, "driver answers", () =>
            {
                opened = machine.OpenClient();
                DriverStatus status = opened.Status();
                return (CheckOutcome.Ok, Number($"{status.State}, {status.Cpus} CPUs, {status.ClockHz:#,0} Hz"), null);
            });
            return opened;
        }
    }

    private (CheckOutcome Outcome, string Finding, string? Why) Heard(DriverClient client)
    {
        if (client.Status().State == DriverState.Running)
        {
            return (CheckOutcome.Skipped, "somebody's run is on: 'tracer driver stop' ends it", null);
        }

        string path = Path.Combine(folder, $"tracer-driver-proof-{Environment.ProcessId}.etl");
        try
        {
            using ITraceSession recorder = sessions.Start(SessionPlans.Recorder(size, Time, CaptureRingDefault.LeastMb));
            client.Start(new DriverRunPlan { AllWakeups = true });
            Thread.Sleep(Time);
            DriverStatus status = client.Status();
            recorder.Snapshot(path);
            long heard = readTrace(path).Tracer;
            return status.Probes == 0 ? MachineCheck.Failed("it measured nothing", "late wake-ups are what it is for")
                : heard == 0
                    ? MachineCheck.Failed(
                        Number($"it measured {status.Probes:#,0}, and none is in the trace"), "blame counts latencies from them")
                    : (CheckOutcome.Ok, Number($"{status.Probes:#,0} measured, ")
                        + $"worst {ReadableDuration.Of(new Duration((long)Math.Min(status.WorstNs, long.MaxValue)))}, "
                        + Number($"{heard:#,0} events of it in a trace beside"), null);
        }
        finally
        {
            System.IO.File.Delete(path);
        }
    }
}
