using System.CommandLine;
using System.CommandLine.Parsing;
using System.Diagnostics;
using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Capture.Triggers;

namespace Tracer.TracerCommand.Commands.Probe;

/// <summary>
/// <c>tracer probe</c>: the process that measures wake-ups. <c>tracer capture</c> starts it with <c>--memory</c>; by hand it measures for a
/// while and prints what it saw. Hidden: no part of the contract.
/// </summary>
internal static class ProbeCommand
{
    public static Command Create()
    {
        Option<string?> memory = new("--memory") { Description = "Shared memory of the capture that starts this.", HelpName = "NAME" };
        Option<int> parent = new("--parent") { Description = "Process with which this one ends.", HelpName = "PID" };
        Option<int[]> cpus = new("--cpus")
        {
            Description = "CPUs to measure [default: all].",
            HelpName = "LIST",
            CustomParser = ParseCpus,
            DefaultValueFactory = _ => [],
        };
        Option<Duration?> threshold = DurationOption.Create(
            "--threshold", "Latency from which a wake-up is an episode.", Defaults.Threshold);
        Option<Duration?> period = DurationOption.Create("--period", "Least time between wake-ups.", ProbeSettings.DefaultPeriod);
        Option<Duration?> duration = DurationOption.Create("--duration", "How long to measure by hand.", Duration.FromSeconds(10));
        Option<int> priority = new("--priority")
        {
            Description = "Priority of its threads, 24 or 28.",
            HelpName = "N",
            DefaultValueFactory = _ => ProbeSettings.HighPriority,
        };
        var command = new ExampleCommand(
            "probe",
            "Measure how late threads wake up, and print it: what 'tracer capture --trigger wakeup' watches.",
            "tracer probe --duration 30s")
        {
            memory, parent, cpus, threshold, period, duration, priority,
        };
        command.Hidden = true;
        command.SetAction(parse =>
        {
            if (!OperatingSystem.IsWindows())
            {
                parse.InvocationConfiguration.Error.WriteLine(
                    "tracer: probe needs Windows; elsewhere 'tracer simulate' makes traces with late wake-ups");
                return ExitCode.Failed;
            }

            var settings = new ProbeSettings
            {
                Threshold = parse.GetValue(threshold)!.Value,
                Period = parse.GetValue(period)!.Value,
                Priority = parse.GetValue(priority),
                Cpus = parse.GetValue(cpus)!,
                ParentId = parse.GetValue(parent),
            };
            return parse.GetValue(memory) is { } name
                ? ProbeEntry.Run(settings, name)
                : MeasureByHand(settings, parse.GetValue(duration)!.Value, parse.InvocationConfiguration);
        });
        return command;
    }

    private static int MeasureByHand(ProbeSettings settings, Duration duration, InvocationConfiguration console)
    {
        using var trigger = WakeupTrigger.ForThisMachine(settings);
        var seen = new WakeupSummary();
        try
        {
            trigger.Start();
            if (ProbeFloor.Refusal(settings.Threshold, new Duration(trigger.FloorNs)) is { } refusal)
            {
                console.Error.WriteLine($"tracer: {refusal}");
                return ExitCode.Failed;
            }

            var measured = Stopwatch.StartNew();
            do
            {
                Thread.Sleep(20);
                trigger.Drain(seen);
            }
            while (measured.Elapsed.TotalNanoseconds < duration.Nanoseconds);
        }
        catch (CaptureException failure)
        {
            console.Error.WriteLine($"tracer: {failure.Message}");
            return ExitCode.Failed;
        }

        trigger.Dispose();
        foreach ((CaptureNoteLevel _, string text) in trigger.TakeRemarks())
        {
            console.Output.WriteLine(text);
        }

        seen.Print(console.Output, settings.Threshold);
        return seen.Worst >= settings.Threshold ? ExitCode.OverThreshold : ExitCode.Done;
    }

    private static int[] ParseCpus(ArgumentResult result)
    {
        List<int> cpus = [];
        foreach (string word in result.Tokens[0].Value.Split(','))
        {
            const int MostCpu = EtlBufferHeader.MaximumProcessors - 1;
            if (!int.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out int cpu) || cpu > MostCpu)
            {
                result.AddError($"--cpus: '{word}' is not a CPU; numbers from 0 to {MostCpu} with commas are expected");
                return [];
            }

            cpus.Add(cpu);
        }

        return [.. cpus.Distinct()];
    }
}
