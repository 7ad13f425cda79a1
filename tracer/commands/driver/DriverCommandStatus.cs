using System.CommandLine;
using System.Text;
using Tracer.Capture.Driver.Install;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Driver;

/// <summary><c>tracer driver status</c>: what the driver can do here, what it does, and how late wake-ups were.</summary>
internal static class DriverCommandStatus
{
    private const int NameColumn = 14;

    /// <summary>What each capability means, by its name in the report.</summary>
    private static readonly (string Name, string Words)[] Capabilities =
    [
        ("timer-high-resolution", "high-resolution timers"),
        ("log-events", "events through ETW"),
        ("count-smi", "the CPU's SMI counter"),
        ("apic", "the local APIC's timer"),
        ("sample-pit", "samples from the PIT"),
        ("sample-nmi", "samples from NMIs"),
    ];

    /// <param name="machine">The machine; null for one without Windows.</param>
    public static Command Create(DriverMachine? machine)
    {
        Option<TextOrJson> format = ScreenFormat.Option("How to print [default: text].");
        var command = new ExampleCommand(
            "status",
            "Say whether the driver is installed, loaded and running, what it can do on this machine, why a start was refused, and how "
            + "late wake-ups were.",
            "tracer driver status",
            "tracer driver status --format json")
        {
            format,
        };
        command.SetAction(parse => DriverCommand.OnWindows(machine, parse, (windows, output) =>
        {
            DriverService service = windows.Driver();
            DriverReport report = DriverReporting.Of(service.Find(), windows.OpenClient);
            if (parse.GetValue(format) == TextOrJson.Json)
            {
                using var json = new MemoryStream();
                ReportJson.Write(json, report, indented: true);
                PrintableWriter.Before(output).WriteLines(Encoding.UTF8.GetString(json.GetBuffer(), 0, (int)json.Length));
                output.WriteLine();
            }
            else
            {
                Print(report, output);
                if (report.Path is { } path && !service.IsInPlace(path))
                {
                    Line(output, "file", "lies where others than administrators may write; 'tracer driver install' fixes that");
                }
            }

            return ExitCode.Done;
        }));
        return command;
    }

    /// <summary>How a run was asked for, as part of a sentence.</summary>
    public static string Run(DriverRunReport driver) => string.Create(
        CultureInfo.InvariantCulture,
        $"{driver.Mode ?? "unknown"} mode, every {ReadableDuration.Of(driver.Period)}, threshold {ReadableDuration.Of(driver.Threshold)}, "
        + $"{driver.Cpus} {(driver.Cpus == 1 ? "CPU" : "CPUs")}, clock {driver.Clock ?? "unknown"} at {driver.ClockHz:#,0} Hz");

    /// <summary>What a run counted, as part of a sentence.</summary>
    public static string Counts(DriverRunReport driver) => string.Create(
        CultureInfo.InvariantCulture,
        $"{driver.Probes:#,0} wake-ups, {driver.OverThreshold:#,0} at or above {ReadableDuration.Of(driver.Threshold)}, "
        + $"worst {ReadableDuration.Of(driver.Worst, "not known")}, {driver.Dropped:#,0} records lost");

    private static void Print(DriverReport report, TextWriter output)
    {
        Line(output, "driver", report.Service switch
        {
            DriverServiceState.NotInstalled => "not installed; 'tracer driver install' registers it",
            DriverServiceState.Stopped => $"installed, not loaded: {report.Path}; 'tracer driver start' loads it",
            DriverServiceState.Changing => $"being loaded or unloaded: {report.Path}",
            _ => $"loaded: {report.Path}",
        });
        if (report.Driver is not { } driver)
        {
            return;
        }

        Line(output, "can use", Words(driver.Capabilities, isThere: true));
        Line(output, "can't use", Words(driver.Capabilities, isThere: false));
        if (driver.Refusal is { } refusal)
        {
            Line(output, "refused", refusal);
        }

        Line(output, "run", driver.IsRunning ? Run(driver) : "none is on");
        if (driver.Probes > 0 || driver.IsRunning)
        {
            Line(output, "counted", Counts(driver));
            Line(output, "floor", ReadableDuration.Of(driver.Floor, "not measured yet"));
            Line(output, "clock ticks", driver.Tick is { } tick ? "every " + ReadableDuration.Of(tick) : "none, or not known");
            if (driver.TimerCpu is { } timerCpu)
            {
                string late = Counted.Of((long)Math.Min(driver.LateTimers, long.MaxValue), "time");
                Line(output, "timer", string.Create(CultureInfo.InvariantCulture, $"last on CPU {timerCpu}, {late} late by the threshold"));
            }

            if (driver.Own is { } own && driver.OwnShare is { } share)
            {
                Line(output, "own CPU time", string.Create(
                    CultureInfo.InvariantCulture, $"{ReadableDuration.Of(own)}, {100 * share:0.###} % of all CPUs"));
            }

            if (driver.LongestLock is { } longest)
            {
                Line(output, "longest lock", ReadableDuration.Of(longest));
            }

            if (driver.Discarded > 0)
            {
                Line(output, "discarded", string.Create(
                    CultureInfo.InvariantCulture, $"{driver.Discarded:#,0} (the machine slept, or changed its power state)"));
            }

            if (driver.UnmeasuredCpus > 0)
            {
                Line(output, "unmeasured", Counted.Of(driver.UnmeasuredCpus, "CPU") + " added since the run began");
            }

            Line(output, "ETW events", driver.EventsLogged.ToString("#,0", CultureInfo.InvariantCulture));
        }

        if (report.Latencies.Count > 0)
        {
            output.WriteLine();
            output.WriteLine($"{"latency",-NameColumn}{"count",12}{"p50",12}{"p99",12}{"p99.9",12}{"longest",12}");
        }

        foreach (PhaseLatencies phase in report.Latencies)
        {
            string name = phase.Priority is { } priority
                ? string.Create(CultureInfo.InvariantCulture, $"  at {priority}")
                : phase.Phase;
            output.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{name,-NameColumn}{phase.Count,12:#,0}{ReadableDuration.Of(phase.P50),12}{ReadableDuration.Of(phase.P99),12}"
                + $"{ReadableDuration.Of(phase.P999),12}{ReadableDuration.Of(phase.Max),12}"));
        }
    }

    private static void Line(TextWriter output, string name, string text) => output.WriteLine($"{name,-NameColumn}{text}");

    private static string Words(IReadOnlyList<string> capabilities, bool isThere)
    {
        string[] words = [.. Capabilities.Where(one => capabilities.Contains(one.Name) == isThere).Select(one => one.Words)];
        return words.Length == 0 ? "-" : string.Join(", ", words);
    }
}
