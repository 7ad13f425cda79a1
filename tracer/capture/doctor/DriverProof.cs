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
    private const string NotLoaded = "it is not loaded";

    /// <summary>The driver to install for it; null for the one that is installed.</summary>
    public string? File { get; init; }

    /// <summary>How long it is to run.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Runs all of it. Whatever fails is a warning: a capture needs no driver.</summary>
    public void Run(Action<MachineCheck> outer)
    {
        ArgumentNullException.ThrowIfNull(outer);
        Action<MachineCheck> told = check => outer(check.Outcome == CheckOutcome.Fail ? check with { Outcome = CheckOutcome.Warn } : check);
        DriverService driver = machine.Driver();
        (bool isOurs, bool isThere, bool isLoadedByUs, bool isLoaded) = (false, false, false, false);
        MachineCheck.Try(told, "driver installed", () =>
        {
            if (driver.Find() is { } found)
            {
                isThere = true;
                return (CheckOutcome.Skipped, $"{found.Path} was there before: that it can be installed was not tried", null);
            }

            if (File is null)
            {
                return (CheckOutcome.Skipped, NoDriver, null);
            }

            try
            {
                DriverInstallation done = driver.Install(File);
                (isOurs, isThere) = (true, true);
                return (CheckOutcome.Ok, done.Path, null);
            }
            catch (DriverException refusal)
            {
                return (CheckOutcome.Skipped, refusal.Message, null); // A file that nobody signed says nothing of Windows.
            }
        });
        var verifier = new VerifierWatch(machine.Verified);
        (CheckOutcome Outcome, string Finding, string? Why) verified = (CheckOutcome.Skipped, NotLoaded, null);
        bool isUnloaded = false;
        try
        {
            Step(told, "driver loaded", isThere, () =>
            {
                isLoadedByUs = driver.Load();
                isLoaded = true;
                return isLoadedByUs
                    ? (CheckOutcome.Ok, "the kernel took it", null)
                    : (CheckOutcome.Skipped, "it was loaded before: that the kernel takes it was not tried", null);
            });
            verifier.LookWhileLoaded(isLoaded ? driver : null);
            verified = Runs(told, isLoaded, verifier);
        }
        finally
        {
            isUnloaded = Step(told, "driver unloaded", isThere && (isLoadedByUs || isOurs), () => driver.Unload()
                ? (CheckOutcome.Ok, "gone from the kernel", null)
                : (CheckOutcome.Skipped, "it was not loaded", null));
            MachineCheck.Try(told, "driver under Verifier", () => verifier.Judge(verified, isUnloaded));
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

    /// <summary>A run with every wake-up logged, beside a recorder. By Driver Verifier's watch it is no run as others have it.</summary>
    /// <returns>What a run by Driver Verifier's watch came to.</returns>
    private (CheckOutcome Outcome, string Finding, string? Why) Runs(Action<MachineCheck> told, bool isLoaded, VerifierWatch verifier)
    {
        (CheckOutcome Outcome, string Finding, string? Why) ran = (CheckOutcome.Skipped, NotLoaded, null);
        using DriverClient? client = isLoaded ? Opened() : null;
        if (client is not null)
        {
            MachineCheck.Try(check => ran = (check.Outcome, check.Finding, check.Why), "", () => Heard(client));
        }

        MachineCheck.Try(told, "driver's wake-ups", () => verifier.IsOn && client is not null
            ? (CheckOutcome.Skipped, "Driver Verifier watches it: 'verifier /reset' and a restart end that", null)
            : ran);
        bool hasRun = ran.Outcome == CheckOutcome.Ok;
        bool hasEnded = Step(told, "driver's run ends", hasRun, () =>
        {
            DriverStatus last = client!.Stop() ?? client.Status();
            return last.State == DriverState.Running
                ? MachineCheck.Failed("the run goes on", "it would go on measuring, and cost time")
                : (CheckOutcome.Ok, Number($"{last.Probes:#,0} wake-ups in all, {last.Dropped:#,0} records lost"), null);
        });
        return hasRun && !hasEnded ? (CheckOutcome.Fail, $"{ran.Finding}; its run did not end when it was told", ran.Why) : ran;

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
            long heard = readTrace(path).DriverWakeups;
            return status.Probes == 0 ? MachineCheck.Failed("it measured nothing", "late wake-ups are what it is for")
                : heard == 0
                    ? MachineCheck.Failed(
                        Number($"it measured {status.Probes:#,0}, and none is in the trace"), "blame counts latencies from them")
                    : (CheckOutcome.Ok, Number($"{status.Probes:#,0} measured, ")
                        + $"worst {ReadableDuration.Of(new Duration((long)Math.Min(status.WorstNs, long.MaxValue)))}, "
                        + Number($"{heard:#,0} of them in a trace beside"), null);
        }
        finally
        {
            System.IO.File.Delete(path);
        }
    }
}
