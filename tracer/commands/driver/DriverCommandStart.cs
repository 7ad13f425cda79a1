using System.CommandLine;
using System.CommandLine.Parsing;
using System.Runtime.InteropServices;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Driver.Modules;

namespace Tracer.TracerCommand.Commands.Driver;

/// <summary><c>tracer driver start</c>: loads the driver, starts a run, and records it where that is asked for.</summary>
internal static class DriverCommandStart
{
    /// <summary>Windows ends a process whose console is closed after five seconds anyway.</summary>
    private static readonly TimeSpan TimeToEnd = TimeSpan.FromSeconds(5);

    private static readonly DriverRunPlan Default = new();
    private static readonly NamedChoice<ProbeMode> Modes = new(("timer", ProbeMode.Timer), ("apic", ProbeMode.Apic));

    /// <param name="machine">The machine; null for one without Windows.</param>
    public static Command Create(DriverMachine? machine)
    {
        Option<Duration?> threshold = DurationOption.Create(
            "--threshold", "Latency from which a wake-up is an episode.", Default.Threshold);
        Option<Duration?> period = DurationOption.Create("--period", "From one wake-up to the next.", Default.Period);
        Option<byte[]?> priorities = new("--priority")
        {
            Description = $"Priorities of the measured threads, 1 to 31, at most {DriverAbi.MaxPriorities} [default: 28,24].",
            HelpName = "LIST",
            CustomParser = ParsePriorities,
        };
        Option<ProbeMode> mode = Modes.Option(
            "--mode", "What makes the interrupt: a timer of Windows, or the local APIC (laboratory driver) [default: timer].");
        Option<bool> all = new("--all-wakeups") { Description = "Record every wake-up, not only those at or above the threshold." };
        Option<string?> record = new("--record")
        {
            Description = "Record the run until Ctrl+C, or for --duration, and end it; 'tracer import FILE' makes a trace of it.",
            HelpName = "FILE",
        };
        Option<Duration?> duration = DurationOption.Create("--duration", "How long to record.");
        var command = new ExampleCommand(
            "start",
            "Load the driver and start a run. It goes on until 'tracer driver stop'; with --record, until the recording ends.",
            "tracer driver start",
            "tracer driver start --threshold 1ms --period 2ms --priority 28",
            "tracer driver start --all-wakeups --record wakeups.bin --duration 10s")
        {
            threshold, period, priorities, mode, all, record, duration,
        };
        command.Validators.Add(result => Check(result, [threshold, period, duration], duration, record));
        command.SetAction(parse => DriverCommand.OnWindows(machine, parse, (windows, output) =>
        {
            var plan = new DriverRunPlan
            {
                Threshold = parse.GetValue(threshold) ?? Default.Threshold,
                Period = parse.GetValue(period) ?? Default.Period,
                // The library gives an empty array where nothing was given.
                Priorities = parse.GetValue(priorities) is { Length: > 0 } list ? list : Default.Priorities,
                Mode = parse.GetResult(mode) is null ? Default.Mode : parse.GetValue(mode),
                AllWakeups = parse.GetValue(all),
                // A run that is not recorded outlives this program; a recording that dies takes its run with it.
                Stay = parse.GetValue(record) is null,
            };
            return parse.GetValue(record) is { } file
                ? Record(windows, plan, file, parse.GetValue(duration), output)
                : Start(windows, plan, output);
        }));
        return command;
    }

    private static int Start(DriverMachine machine, DriverRunPlan plan, TextWriter output)
    {
        machine.Driver().Load();
        using DriverClient client = machine.OpenClient();
        DriverStatus status = client.Start(plan);
        output.WriteLine("run started: " + DriverCommandStatus.Run(DriverReporting.Of(in status)));
        output.WriteLine("'tracer driver status' shows how it goes, 'tracer driver stop' ends it");
        return ExitCode.Done;
    }

    private static int Record(DriverMachine machine, DriverRunPlan plan, string file, Duration? duration, TextWriter output)
    {
        IReadOnlyList<ModuleRecord> modules = ModuleRecords.Of(machine.Modules.List());
        machine.Driver().Load();
        using DriverClient client = machine.OpenClient();
        using var cancellation = new CancellationTokenSource();
        using var isOver = new ManualResetEventSlim();
        // Whatever ends it, what was recorded is kept. Windows ends a process whose console is closed as soon as the handler returns.
        using IDisposable handling = Interruption.Handle(signal =>
        {
            bool isFirst = !cancellation.IsCancellationRequested;
            cancellation.Cancel();
            return isFirst && (signal is PosixSignal.SIGINT or PosixSignal.SIGQUIT || isOver.Wait(TimeToEnd));
        });
        using var recorded = new OutputFile(file);
        if (duration is { } length)
        {
            cancellation.CancelAfter(TimeSpan.FromTicks(Math.Max(1, length.Nanoseconds / TimeSpan.NanosecondsPerTick)));
        }

        var recording = DriverRecording.Write(client, plan, modules, recorded.Content, cancellation.Token);
        recorded.Keep();
        isOver.Set();
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{file}: {recording.Wakeups:#,0} wake-ups, {recording.Episodes:#,0} episodes, {modules.Count} modules, "
            + $"{recording.Dropped:#,0} records lost; 'tracer import {file}' makes a trace of it"));
        return ExitCode.Done;
    }

    private static byte[]? ParsePriorities(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        string[] parts = text.Split(',');
        byte[] priorities = new byte[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            if (!byte.TryParse(parts[i], NumberStyles.None, CultureInfo.InvariantCulture, out priorities[i]) || priorities[i] is 0 or > 31)
            {
                result.AddError($"--priority: '{text}' is not a list of priorities from 1 to 31, such as 28,24");
                return null;
            }
        }

        if (priorities.Length > DriverAbi.MaxPriorities)
        {
            result.AddError($"--priority: at most {DriverAbi.MaxPriorities} priorities, not {priorities.Length}");
            return null;
        }

        return priorities;
    }

    private static void Check(CommandResult result, Option<Duration?>[] durations, Option<Duration?> duration, Option<string?> record)
    {
        foreach (Option<Duration?> option in durations)
        {
            // What is no duration at all has its own message: asking for the value would throw.
            if (Duration.TryParse(Written(option), out Duration length, out _) && length <= Duration.Zero)
            {
                result.AddError($"{option.Name}: a time above 0 is expected");
            }
        }

        if (Written(duration) is not null && Written(record) is null)
        {
            result.AddError("--duration needs --record: a run that is not recorded goes on until 'tracer driver stop'");
        }

        string? Written(Option option) => result.GetResult(option)?.Tokens is [Token token] ? token.Value : null;
    }
}
