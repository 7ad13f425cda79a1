using System.CommandLine;
using Tracer.Analysis;
using Tracer.CommandLine;
using Tracer.Contract;
using Tracer.Etl;
using Tracer.Etl.Decoding;
using Tracer.Etl.Kernel;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand;

/// <summary><c>analyzer dump</c>: the events of a trace, decoded, by time.</summary>
internal static class DumpCommand
{
    /// <summary>Makes the command.</summary>
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
        Option<long?> limit = new("--limit") { Description = "Stop after so many events.", HelpName = "N" };
        Option<DumpedStacks> stacks = DumpedStacksOption.Create();
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
            "Print the events of a trace by time, their fields by name.",
            "analyzer dump trace.etl --provider PerfInfo --from 1s --to 1.5s",
            "analyzer dump trace.etl --name CSwitch --cpu 0 --format json",
            "analyzer dump trace.etl --provider Microsoft-Windows-DotNETRuntime --name 'GC/*'")
        {
            trace, format, provider, name, cpu, pid, limit, stacks, file, tmf,
        };
        foreach (Option option in times.All.Concat(symbols.All))
        {
            command.Add(option);
        }

        command.SetAction(parse =>
        {
            string path = parse.GetRequiredValue(trace);
            string[] formats = parse.GetValue(tmf) ?? [];
            string? target = parse.GetValue(file);
            if ((times.Problem(parse) ?? symbols.Problem(parse)
                ?? ReportOutput.Problem(target, TraceArgument.MessageFormatFiles(path, formats).Prepend(path))) is { } problem)
            {
                return WrongUsage.Tell("dump", problem, parse.InvocationConfiguration.Error);
            }

            using SymbolSession session = symbols.Open(parse, path, parse.InvocationConfiguration.Error);
            var names = new AddressLabels(session.Names, isAlwaysWanted: symbols.AreWanted(parse));
            using EtlReader reader = TraceArgument.Open(path);
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
            List<string> warnings = [];
            long Dump() => Run(
                reader,
                decoder,
                names,
                filter,
                parse.GetValue(format),
                parse.GetValue(stacks),
                parse.GetValue(limit) ?? long.MaxValue,
                output.Writer,
                warnings);
            // Lines that scroll by are progress enough.
            long events = output.Scrolls ? Dump() : ReadingProgress.Show(path, () => reader.Progress, Dump);
            DamageWarning.Write(path, reader, parse.InvocationConfiguration.Error);
            warnings.ForEach(warning => parse.InvocationConfiguration.Error.WriteLine($"analyzer: warning: {path}: {warning}"));
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

    /// <summary>Prints the events that the filter lets through.</summary>
    /// <returns>How many events the trace has, printed or not.</returns>
    private static long Run(
        EtlReader reader,
        EventDecoder decoder,
        AddressLabels names,
        DumpFilter filter,
        OutputFormat format,
        DumpedStacks stacks,
        long limit,
        PrintableWriter output,
        List<string> warnings)
    {
        // Descriptions stand behind the events they are for, often at the end.
        reader.MakeRereadable();
        var learner = new Learner { Decoder = decoder, Modules = new TraceModules(reader.Header.PointerBytes) };
        reader.Read(EtlOrder.Any, ref learner);
        learner.Modules.Complete();
        AddressLabels? labels = names.Begin(learner.Modules) ? names : null;
        var lines = new DumpOutput(output);
        TraceClock? clock = reader.IsClockKnown ? TraceMoments.CountedFrom(reader.Header.Clock, filter.Zero) : null;
        using DumpJson? json = format == OutputFormat.Json ? new DumpJson(lines, clock, decoder, labels) : null;
        var printer = new Printer
        {
            Filter = filter,
            Decoder = decoder,
            Format = (IDumpFormat?)json ?? new DumpText(lines, clock, decoder, labels),
            TakesStackRecords = stacks == DumpedStacks.Records,
            Left = limit,
        };
        if (limit > 0 && stacks == DumpedStacks.Joined)
        {
            reader.ReadWithStacks(ref printer);
        }
        else if (limit > 0)
        {
            reader.Read(EtlOrder.Time, ref printer);
        }

        lines.Flush();
        if (printer.Format.EventsCut is > 0 and long cut)
        {
            warnings.Add(
                $"{(cut == 1 ? "1 event" : FormattableString.Invariant($"{cut} events"))} would be far more text than they are bytes: "
                + "fields were left out, and their lines say how many");
        }

        reader.Health.Add(HealthCounter.ShortPayloads, printer.ShortPayloads);
        reader.Health.Add(HealthCounter.CutNames, decoder.NamesCut);
        reader.Health.Add(HealthCounter.CutPayloads, decoder.PayloadsCut);
        return learner.Events;
    }

    private struct Learner : IEtlEventSink
    {
        public required EventDecoder Decoder { get; init; }

        public required TraceModules Modules { get; init; }

        public long Events { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            Modules.Add(in traceEvent);
            if (!traceEvent.IsKernelHook)
            {
                Decoder.Learn(in traceEvent);
            }

            return true;
        }
    }

    private struct Printer : IEtlEventSink, IStackedEventSink
    {
        public required DumpFilter Filter { get; init; }

        public required EventDecoder Decoder { get; init; }

        public required IDumpFormat Format { get; init; }

        public required bool TakesStackRecords { get; init; }

        public required long Left { get; set; }

        public long ShortPayloads { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent) =>
            (!TakesStackRecords && KernelHook.Of(in traceEvent) >> 8 == (int)KernelGroup.StackWalk) || OnEvent(in traceEvent, default);

        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
        {
            if (!Filter.TakesHeader(in traceEvent))
            {
                return true;
            }

            var dumped = DumpedEvent.Of(in traceEvent, Decoder);
            if (!Filter.TakesName(dumped.Provider, dumped.Group, dumped.ProviderName, dumped.Name))
            {
                return true;
            }

            Format.Write(in traceEvent, in dumped, in stack);
            ShortPayloads += dumped.IsTooShort(in traceEvent) ? 1 : 0;
            return --Left > 0;
        }
    }
}
