using Tracer.Analysis.Modules;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerShared.Options;
using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>
/// Reads a trace for <c>analyzer dump</c>: all of it once, fast, for what the events need to be known by (<see cref="DumpFacts"/>), and
/// then, by time, the buffers that hold what is asked for.
/// </summary>
internal sealed class DumpRun
{
    public required EtlReader Reader { get; init; }

    public required EventDecoder Decoder { get; init; }

    public required ImageSymbols Names { get; init; }

    public required DumpFilter Filter { get; init; }

    public required OutputFormat Format { get; init; }

    /// <summary>Whether the text has times in microseconds and no line that names its columns.</summary>
    public bool InMicroseconds { get; init; }

    public required DumpedStacks Stacks { get; init; }

    /// <summary>How many events are printed at most.</summary>
    public required long Limit { get; init; }

    /// <summary>How many events that the filter lets through are passed over before the first is printed.</summary>
    public long Skip { get; init; }

    /// <summary>Tells, after each event, whether enough text was printed; null for never.</summary>
    public Func<bool>? IsEnough { get; init; }

    public required PrintableWriter Output { get; init; }

    /// <summary>What was odd about the whole trace and what was printed of it.</summary>
    public TraceHealth Health { get; private set; } = new();

    /// <summary>What the user is to know of the lines.</summary>
    public List<string> Warnings { get; } = [];

    /// <summary>Prints the providers of the events that the filter lets through.</summary>
    public long PrintProviders()
    {
        var facts = DumpFacts.Read(Reader, Decoder, Filter, DumpedStacks.None);
        Health = facts.Health;
        ProviderCounts.Read(Reader, Decoder, Filter).Print(Format, Output);
        TellUnknownProviders();
        return facts.Events;
    }

    /// <summary>Prints the events that the filter lets through.</summary>
    /// <returns>How many events the trace has, printed or not.</returns>
    public long PrintEvents()
    {
        var facts = DumpFacts.Read(Reader, Decoder, Filter, Stacks);
        Health = facts.Health;
        var labels = new AddressLabels(Names, facts.Modules);
        var lines = new DumpOutput(Output);
        TraceClock? clock = Reader.IsClockKnown ? TraceTimes.CountedFrom(Reader.Header.Clock, Filter.Zero) : null;
        using DumpJson? json = Format == OutputFormat.Json ? new DumpJson(lines, clock, Decoder, labels) : null;
        var printer = new Printer
        {
            Filter = Filter,
            Decoder = Decoder,
            Format = (IDumpFormat?)json ?? new DumpText(lines, clock, Decoder, labels, InMicroseconds),
            TakesStackRecords = Stacks == DumpedStacks.Records,
            Left = Limit,
            ToSkip = Skip,
            IsEnough = IsEnough,
            LeftInTime = facts.EventsInTime,
        };
        if (Limit > 0 && facts.EventsInTime > 0)
        {
            Read(facts, ref printer);
        }

        lines.Flush();
        if (printer.Format.EventsCut is > 0 and long cut)
        {
            Warnings.Add(
                $"{Counted.Of(cut, "event")} would take far more text than they have bytes: "
                + "fields were left out, and their lines say how many");
        }

        Health.Add(HealthCounter.ShortPayloads, printer.ShortPayloads);
        Health.Add(HealthCounter.CutNames, Decoder.NamesCut);
        Health.Add(HealthCounter.CutPayloads, Decoder.PayloadsCut);
        if (printer.Left > 0)
        {
            TellUnknownProviders();
        }

        return facts.Events;
    }

    private void Read(DumpFacts facts, ref Printer printer)
    {
        if (Stacks != DumpedStacks.Joined)
        {
            Give(facts, ref printer);
            return;
        }

        var joiner = new StackJoiner<Printer>(printer, facts.Definitions, Reader.Header.Clock, new TraceHealth());
        if (Give(facts, ref joiner))
        {
            joiner.Complete();
        }

        printer = joiner.Sink;
    }

    private bool Give<TSink>(DumpFacts facts, ref TSink sink)
        where TSink : IEtlEventSink =>
        facts.Buffers is null ? Reader.Read(EtlOrder.Time, ref sink) : Reader.Read(facts.Buffers, ref sink);

    /// <summary>A name that no provider of the whole trace has was perhaps not meant so.</summary>
    private void TellUnknownProviders()
    {
        string[] notMet = [.. Filter.NotMet];
        if (notMet.Length == 0)
        {
            return;
        }

        var all = ProviderCounts.Read(Reader, Decoder, DumpFilter.ForAll());
        Warnings.AddRange(notMet.Where(pattern => !all.Has(pattern)).Select(pattern =>
            $"--provider {pattern}: no event is from such a provider; {all.Nearest(pattern)}"));
    }

    private struct Printer : IEtlEventSink, IStackedEventSink
    {
        public required DumpFilter Filter { get; init; }

        public required EventDecoder Decoder { get; init; }

        public required IDumpFormat Format { get; init; }

        public required bool TakesStackRecords { get; init; }

        /// <summary>How many lines may still be printed.</summary>
        public required long Left { get; set; }

        /// <summary>How many are passed over before.</summary>
        public required long ToSkip { get; set; }

        public required Func<bool>? IsEnough { get; init; }

        /// <summary>How many events of the time that is asked for are to come, at most: behind the last one nothing is read.</summary>
        public required long LeftInTime { get; set; }

        public long ShortPayloads { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent) => OnEvent(
            in traceEvent,
            default,
            isTaken: TakesStackRecords || KernelHook.Of(in traceEvent) >> 8 != (int)KernelGroup.StackWalk);

        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack) => OnEvent(in traceEvent, in stack, isTaken: true);

        private bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack, bool isTaken)
        {
            if (!Filter.TakesTime(in traceEvent))
            {
                return true;
            }

            LeftInTime--;
            if (isTaken && Filter.TakesHeader(in traceEvent))
            {
                var dumped = DumpedEvent.Of(in traceEvent, Decoder);
                if (Filter.TakesName(in dumped) && --ToSkip < 0)
                {
                    Format.Write(in traceEvent, in dumped, in stack);
                    ShortPayloads += dumped.IsTooShort(in traceEvent) ? 1 : 0;
                    Left--;
                    if (IsEnough?.Invoke() == true)
                    {
                        Left = 0;
                    }
                }
            }

            return Left > 0 && LeftInTime > 0;
        }
    }
}
