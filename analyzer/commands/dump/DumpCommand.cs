using System.CommandLine;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Symbols;
using Tracer.AnalyzerShared.Inputs;
using Tracer.AnalyzerShared.Options;
using Tracer.Etl.Decoding;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary><c>analyzer dump</c>: the events of a trace, decoded, by time.</summary>
internal static class DumpCommand
{
    public static Command Create()
    {
        Argument<string> trace = TraceArgument.Create();
        Option<OutputFormat> format = OutputFormats.Option();
        Option<string[]> provider = new("--provider")
        {
            Description = "Only events of this provider: a GUID, a name, a kernel group such as PerfInfo, or kernel; * and ? stand for "
                + "any text.",
            HelpName = "NAME",
        };
        Option<string[]> name = new("--name") { Description = "Only events of this name; * and ? stand for any text.", HelpName = "NAME" };
        var times = new TimeOptions("events from this time on", "events up to this time");
        Option<NumberList?> cpu = NumberList.Option("--cpu", "Only events of these CPUs: 0,2-4.");
        Option<NumberList?> pid = NumberList.Option(
            "--pid", "Only events whose header names one of these processes; most kernel events name none.");
        Option<long?> limit = new("--limit") { Description = "Stop after this many events.", HelpName = "N" };
        Option<DumpedStacks> stacks = DumpedStacksOption.Create();
        Option<bool> listProviders = new("--list-providers")
        {
            Description = "Print the providers of the events instead of the events, each with its count: these are the names for "
                + "--provider.",
        };
        Option<bool> microseconds = new("--us")
        {
            Description = "Text with times in microseconds instead of seconds, and without the line that names the columns.",
        };
        Option<string?> file = ReportOutput.Option();
        Option<string[]> tmf = TraceArgument.MessageFormatsOption();
        var symbols = new SymbolOptions();
        limit.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<long?>() < 0)
            {
                result.AddError("--limit: a number of at least 0 is expected");
            }
        });
        var command = new ExampleCommand(
            "dump",
            "Print the events of a trace in order of time, with the names of their fields.",
            "analyzer dump trace.etl --provider PerfInfo --from 1s --to 1.5s",
            "analyzer dump trace.etl --name CSwitch --cpu 0 --format json",
            "analyzer dump trace.etl --list-providers",
            "analyzer dump trace.etl --provider Microsoft-Windows-DotNETRuntime --name 'GC/*'")
        {
            trace, format, provider, name, cpu, pid, limit, stacks, listProviders, microseconds, file, tmf,
        };
        foreach (Option option in times.All.Concat(symbols.All))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            string path = TraceInputs.Single(parse, trace, out string? several);
            string[] formats = parse.GetValue(tmf) ?? [];
            string? target = parse.GetValue(file);
            string? problem = several
                ?? times.Problem(parse)
                ?? symbols.Problem(parse)
                ?? ReportOutput.Problem(target, TraceArgument.MessageFormatFiles(path, formats).Prepend(path));
            if (problem is not null)
            {
                return WrongUsage.Tell("dump", problem, parse.InvocationConfiguration.Error);
            }

            using SymbolSession session = symbols.Open(parse, path, parse.InvocationConfiguration.Error);
            using EtlReader reader = TraceArgument.Open(path);
            reader.Settle(eventTimes: false);
            TraceClock clock = reader.Header.Clock;
            if (!reader.IsClockKnown && times.Times(parse) != new RequestedTimes())
            {
                parse.InvocationConfiguration.Error.WriteLine(
                    $"analyzer: {path}: times have no meaning here: {UnjudgedTrace.WhyWithoutClock(reader)}");
                return ExitCode.Failed;
            }

            FoundTimes found;
            try
            {
                found = times.Find(parse, reader);
            }
            catch (MeaninglessRequestException meaningless)
            {
                parse.InvocationConfiguration.Error.WriteLine($"analyzer: {path}: {meaningless.Message}");
                return ExitCode.WrongUsage;
            }

            var filter = new DumpFilter
            {
                Providers = parse.GetValue(provider) ?? [],
                Names = parse.GetValue(name) ?? [],
                Cpus = parse.GetValue(cpu),
                Processes = parse.GetValue(pid),
                FromTicks = found.From is { } first ? clock.TicksAt(first.Nanoseconds) : long.MinValue,
                ToTicks = found.To is { } last ? clock.TicksAt(last.Nanoseconds) : long.MaxValue,
                Zero = found.Zero,
            };
            var decoder = new EventDecoder(TraceArgument.MessageFormats(path, formats));
            using var output = new ReportOutput(target, parse.InvocationConfiguration.Output);
            var run = new DumpRun
            {
                Reader = reader,
                Decoder = decoder,
                Names = session.Names,
                Filter = filter,
                Format = parse.GetValue(format),
                InMicroseconds = parse.GetValue(microseconds),
                Stacks = parse.GetValue(stacks),
                Limit = parse.GetValue(limit) ?? long.MaxValue,
                Output = output.Writer,
            };
            Func<long> dump = parse.GetValue(listProviders) ? run.PrintProviders : run.PrintEvents;
            // Lines that scroll by are progress enough.
            long events = output.Scrolls ? dump() : ReadingProgress.Show(path, () => reader.Progress, dump);
            DamageWarning.Write(path, reader, parse.InvocationConfiguration.Error, run.Health);
            run.Warnings.ForEach(warning => parse.InvocationConfiguration.Error.WriteLine($"analyzer: warning: {path}: {warning}"));
            session.TellProblems();
            if (events == 0)
            {
                parse.InvocationConfiguration.Error.WriteLine($"analyzer: {path}: no event could be read");
                return ExitCode.Failed;
            }

            output.Keep(session.FilesRead);
            return ExitCode.Done;
        });
        return command;
    }
}
