using Tracer.Etl.Decoding;

namespace Tracer.Analysis.Contents;

/// <summary>Builds the report of <c>analyzer info</c> from the contents of a trace.</summary>
public static class InfoReportOfTrace
{
    private const int MostPlaces = 1000;

    /// <param name="reader">The reader, after it has passed all events to <paramref name="contents"/>.</param>
    public static InfoReport Make(string path, EtlReader reader, TraceContents contents)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentNullException.ThrowIfNull(contents);
        RecordedKinds has = Has(contents);
        List<EventClass> classes = Classes(contents);
        reader.Health.Add(HealthCounter.CutNames, contents.Decoder.NamesCut);
        bool hasHardFaults = CountOf(contents, hookId => hookId == KernelHook.HardFault) > 0;
        return new InfoReport
        {
            Trace = Trace(path, reader, contents, reader.Health),
            Losses = Losses(
                reader.Health, LossStretches.Places(reader.Losses, reader.IsClockKnown ? reader.Header.Clock : null, MostPlaces)),
            Classes = classes,
            Glitches = contents.Glitches is { } glitches
                && (glitches.All.Count > 0 || glitches.Doubtful > 0 || glitches.HasCounts)
                ? new RecordedGlitches(
                    glitches.All.Count(static one => one.IsSound),
                    glitches.All.Count(static one => !one.IsSound),
                    glitches.Doubtful)
                {
                    More = glitches.More,
                    CountedByEngine = glitches.CountedIn(long.MinValue, long.MaxValue),
                    TooMany = glitches.TooManyIn(long.MinValue, long.MaxValue),
                }
                : null,
            Rates = Rates(reader, contents, has, hasHardFaults),
            Questions = TraceQuestions.Of(
                has,
                CountOf(contents, IsIsr) > 0,
                CountOf(contents, IsDpc) > 0,
                hasHardFaults,
                reader.IsClockKnown && reader.Header.Clock.Kind != TraceClockKind.SystemTime,
                HasCpus(reader.Header),
                contents.MissesSwitches),
        };
    }

    /// <summary>Builds the <c>trace</c> object, which other reports contain as well.</summary>
    /// <param name="reader">The reader, after it has passed all events to <paramref name="contents"/>.</param>
    internal static TraceSummary Trace(string path, EtlReader reader, TraceContents contents, TraceHealth health)
    {
        EtlFileHeader header = reader.Header;
        DateTime? startUtc = reader.IsClockKnown && header.Clock.FileTimeAt(header.Clock.HeaderTicks) is { } start and > 0
            ? DateTime.FromFileTimeUtc(start)
            : null;
        IReadOnlyList<string> doubts = TraceDoubts.Of(reader, contents, health);
        return new TraceSummary
        {
            Path = path,
            StartUtc = startUtc,
            UtcOffsetMinutes = startUtc is { } began ? (int)new TraceTimeZone(header.TimeZone).OffsetAt(began).TotalMinutes : null,
            Duration = reader.IsClockKnown ? new Duration(DurationNanoseconds(header, contents)) : null,
            Slice = reader.IsClockKnown ? SliceOf(contents)?.Part(header.Clock) : null,
            Cpus = CpusOf(header, contents) is > 0 and int cpus ? cpus : null,
            OsBuild = header.OsBuild > 0 ? header.OsBuild : contents.OsBuild,
            PointerBits = header.PointerBytes == 4 ? 32 : 64,
            Clock = reader.IsClockKnown ? header.Clock.Kind : null,
            Events = contents.Events,
            EventsLost = health[HealthCounter.EventsLost],
            BuffersLost = health[HealthCounter.BuffersLost],
            DamagedBuffers = health[HealthCounter.DamagedBuffers],
            Truncated = health[HealthCounter.TruncatedBytes] > 0 || health[HealthCounter.MissingBuffers] > 0,
            Machine = contents.Machine with { Mhz = contents.Machine.Mhz ?? HeaderMhz(reader) },
            Has = Has(contents),
            SampleInterval = contents.SampleInterval100ns is { } interval ? new Duration(100 * interval) : null,
            Doubts = doubts.Count > 0 ? doubts : null,
        };
    }

    /// <summary>The machine's processors: the kernel's own record counts, then the header, which its buffers have confirmed.</summary>
    private static int CpusOf(EtlFileHeader header, TraceContents contents) => !HasCpus(header) ? 0
        : contents.Processors is { } told && told >= contents.CpusSeen ? told
        : header.ProcessorCount;

    /// <summary>The header gives the CPU speed too; merged traces lack the SystemConfig record.</summary>
    private static int? HeaderMhz(EtlReader reader) =>
        reader.HasHeader && reader.Header.CpuMhz is > 0 and <= int.MaxValue ? (int)reader.Header.CpuMhz : null;

    private static TraceLosses Losses(TraceHealth health, IReadOnlyList<LossPlace> places)
    {
        var names = new List<string>();
        var counts = new Dictionary<string, long>();
        foreach (HealthCounter counter in Enum.GetValues<HealthCounter>())
        {
            if (health[counter] > 0)
            {
                string name = counter.ToString();
                names.Add(name = char.ToLowerInvariant(name[0]) + name[1..]);
                counts.Add(name, health[counter]);
            }
        }

        // Sorted by name, so that reports can be compared: a dictionary keeps the order of insertion.
        names.Sort(StringComparer.Ordinal);
        var counters = new Dictionary<string, long>();
        foreach (string name in names)
        {
            counters.Add(name, counts[name]);
        }

        return new TraceLosses
        {
            EventsLost = health[HealthCounter.EventsLost],
            BuffersLost = health[HealthCounter.BuffersLost],
            DamagedBuffers = [.. health.Damage.Select(damaged => new DamagedBufferPlace(damaged.FileOffset, damaged.Reason))],
            Places = places,
            Counters = counters,
        };
    }

    /// <summary>
    /// Groups the kinds into the classes of the report, the most frequent first. Kinds that differ only in header or pointer width are one
    /// class.
    /// </summary>
    private static List<EventClass> Classes(TraceContents contents)
    {
        var named = new List<EventClass>();
        foreach (EventClassCount count in contents.Counts.Classes)
        {
            named.Add(Name(count, contents.Decoder));
        }

        named.Sort(CompareKind);
        var classes = new List<EventClass>();
        foreach (EventClass one in named)
        {
            if (classes.Count > 0 && CompareKind(classes[^1], one) == 0)
            {
                EventClass same = classes[^1];
                classes[^1] = same with
                {
                    Count = same.Count + one.Count,
                    Bytes = same.Bytes + one.Bytes,
                    Unconfirmed = same.Unconfirmed || one.Unconfirmed,
                };
            }
            else
            {
                classes.Add(one);
            }
        }

        if (contents.Counts.Uncounted > 0)
        {
            classes.Add(Nameless("(further kinds, not told apart)") with
            {
                Count = contents.Counts.Uncounted,
                Bytes = contents.Counts.UncountedBytes,
            });
        }

        classes.Sort((first, second) => second.Count != first.Count ? second.Count.CompareTo(first.Count) : CompareKind(first, second));
        return classes;
    }

    private static int CompareKind(EventClass first, EventClass second)
    {
        int order = first.Provider.CompareTo(second.Provider);
        order = order != 0 ? order : string.CompareOrdinal(first.ProviderName, second.ProviderName);
        order = order != 0 ? order : string.CompareOrdinal(first.Group, second.Group);
        order = order != 0 ? order : string.CompareOrdinal(first.Name, second.Name);
        order = order != 0 ? order : (first.Opcode ?? -1).CompareTo(second.Opcode ?? -1);
        order = order != 0 ? order : (first.Id ?? -1).CompareTo(second.Id ?? -1);
        return order != 0 ? order : first.Version.CompareTo(second.Version);
    }

    private static EventClass Nameless(string name) => new()
    {
        Provider = Guid.Empty,
        ProviderName = null,
        Group = null,
        Name = name,
        Opcode = null,
        Id = null,
        Version = 0,
        Count = 0,
        Bytes = 0,
        Unconfirmed = false,
    };

    private static EventClass Name(EventClassCount count, EventDecoder decoder)
    {
        EventClass named = Nameless("(not kept)") with { Version = count.Version, Count = count.Count, Bytes = count.Bytes };
        if (!EtlEvent.TryRead(count.First, 0, 0, out EtlEvent first))
        {
            return named;
        }

        named = named with { Provider = first.ProviderId };
        KernelRecordClass? kernel = KernelRecordCatalog.Find(in first, out string group, out string name);
        if (group.Length > 0)
        {
            return named with
            {
                Provider = ClassId(in first),
                Group = group,
                Name = name,
                Opcode = first.Opcode,
                Unconfirmed = kernel is not null && !kernel.IsConfirmed(first.Version, first.PointerBytes),
            };
        }

        bool isDescribed = decoder.TryDescribe(in first, out EventSchema? schema) && schema!.Source != EventSchemaSource.ProviderOnly;
        if (!isDescribed && first.IsEventHeader && GlitchKind.Find(first.ProviderId, first.Id) is { } known)
        {
            return named with { ProviderName = known.ProviderName, Name = known.Name, Id = first.Id, Unconfirmed = true };
        }

        isDescribed = schema is not null;
        bool isClassic = !first.IsEventHeader && first.Kind != EtlHeaderKind.Message;
        return named with
        {
            ProviderName = isDescribed ? schema!.ProviderName : null,
            Name = isDescribed ? schema!.EventName : Unnamed(in first, isClassic),
            Opcode = isClassic ? first.Opcode : null,
            Id = isClassic ? null : first.Id,
        };
    }

    private static bool IsIsr(ushort hookId) => hookId is KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr;

    private static bool IsDpc(ushort hookId) =>
        hookId is KernelHook.Dpc or KernelHook.ThreadedDpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc;

    private static bool IsWdf(ushort hookId) =>
        hookId is KernelHook.WdfIsr or KernelHook.WdfPassiveIsr or KernelHook.WdfDpc or KernelHook.WdfWorkItem;

    private static bool IsImage(ushort hookId) =>
        hookId is KernelHook.ImageLoad or KernelHook.ImageLoadOfImageGroup or KernelHook.ImageDCStart or KernelHook.ImageDCEnd;

    private static bool IsDisk(ushort hookId) => hookId is KernelHook.DiskRead or KernelHook.DiskWrite or KernelHook.DiskFlush;

    /// <summary>The event class of an image load: consumers call it "Image", although files use the process group.</summary>
    private static Guid ClassId(in EtlEvent first) =>
        first.HookId == KernelHook.ImageLoad ? KernelGroup.Image.ClassId() : first.ProviderId;

    private static string Unnamed(in EtlEvent first, bool isClassic)
    {
        string kind = isClassic ? "Opcode" : first.Kind == EtlHeaderKind.Message ? "Message" : "EventID";
        return string.Create(CultureInfo.InvariantCulture, $"{kind}({(isClassic ? first.Opcode : first.Id)})");
    }

    /// <summary>Determines which kinds of events the trace holds.</summary>
    internal static RecordedKinds Has(TraceContents contents)
    {
        bool Any(Func<ushort, bool> hooks) => CountOf(contents, hooks) > 0;
        return new RecordedKinds
        {
            IsrDpc = Any(hookId => IsIsr(hookId) || IsDpc(hookId)),
            ContextSwitches = Any(hookId => hookId is KernelHook.ContextSwitch or KernelHook.CompactContextSwitch),
            ReadyThread = Any(hookId => hookId == KernelHook.ReadyThread),
            Samples = Any(hookId => hookId is KernelHook.SampledProfile or KernelHook.SampleCache),
            Stacks = Any(hookId => hookId is KernelHook.Stack or KernelHook.StackKernelKey or KernelHook.StackUserKey),
            Images = Any(IsImage),
            Wdf = Any(IsWdf),
            DpcQueue = Any(hookId => hookId is KernelHook.DpcEnqueue or KernelHook.DpcExecution),
            Power = Any(hookId => hookId is >= KernelHook.PerformanceStateChange and <= KernelHook.IdleExitLatency),
            Wakeups = contents.Counts.Classes.Any(count => IsOwn(contents, count.First, TracerProvider.Wakeup, out _)),
        };
    }

    private static SliceOrigin? SliceOf(TraceContents contents)
    {
        foreach (EventClassCount count in contents.Counts.Classes)
        {
            if (IsOwn(contents, count.First, TracerProvider.Slice, out EtlEvent first))
            {
                return SliceOrigin.Read(first.Payload);
            }
        }

        return null;
    }

    private static bool IsOwn(TraceContents contents, byte[] record, ProviderEvent kind, out EtlEvent first) =>
        EtlEvent.TryRead(record, 0, 0, out first)
        && first.ProviderId == TracerProvider.Id
        && contents.Decoder.TryDescribe(in first, out EventSchema? schema)
        && schema!.EventName == kind.Name;

    private static long CountOf(TraceContents contents, Func<ushort, bool> hooks) =>
        contents.Counts.Classes.Where(count => HookOf(count.First) is { } hookId && hooks(hookId)).Sum(count => count.Count);

    private static ushort? HookOf(byte[] record) =>
        EtlEvent.TryRead(record, 0, 0, out EtlEvent first) ? KernelHook.Of(in first) : null;

    private static WorkloadRates Rates(EtlReader reader, TraceContents contents, RecordedKinds has, bool hasHardFaults)
    {
        // Without a known clock no rate per second can be given.
        double seconds = reader.IsClockKnown ? DurationNanoseconds(reader.Header, contents) / 1e9 : 0;
        double ticksPerSecond = reader.Header.Clock.TicksPerSecond;
        int cpus = CpusOf(reader.Header, contents);
        double cpuSeconds = seconds * cpus;
        (double? cpuPercent, CpuLoadSource? source) = CpuLoad(reader.Header, contents, cpuSeconds, cpus);
        double? Rate(bool recorded, Func<ushort, bool> hooks) =>
            recorded && seconds > 0 ? Math.Round(CountOf(contents, hooks) / seconds, 3) : null;
        double? Percent(bool recorded, long ticks) =>
            recorded && cpuSeconds > 0 ? Math.Round(100 * ticks / ticksPerSecond / cpuSeconds, 3) : null;
        bool hasDisk = CountOf(contents, IsDisk) > 0;
        return new WorkloadRates
        {
            EventsPerSecond = seconds > 0 ? Math.Round(contents.Events / seconds, 3) : null,
            CpuPercent = cpuPercent,
            CpuPercentFrom = source,
            InterruptsPerSecond = Rate(has.IsrDpc, IsIsr),
            InterruptPercent = Percent(has.IsrDpc, contents.IsrTicks),
            DpcsPerSecond = Rate(has.IsrDpc, IsDpc),
            DpcPercent = Percent(has.IsrDpc, contents.DpcTicks),
            ContextSwitchesPerSecond = Rate(has.ContextSwitches, hookId => hookId == KernelHook.ContextSwitch),
            ReadyThreadsPerSecond = Rate(has.ReadyThread, hookId => hookId == KernelHook.ReadyThread),
            SamplesPerSecond = Rate(has.Samples, hookId => hookId == KernelHook.SampledProfile),
            HardFaultsPerSecond = Rate(hasHardFaults, hookId => hookId == KernelHook.HardFault),
            DiskOperationsPerSecond = Rate(hasDisk, IsDisk),
        };
    }

    private static (double? Percent, CpuLoadSource? Source) CpuLoad(
        EtlFileHeader header, TraceContents contents, double cpuSeconds, int cpus)
    {
        if (cpuSeconds <= 0)
        {
            return (null, null);
        }

        if (Ends(contents) is var (first, last) && contents.IdleTicks(first, last) is { } idle
            && contents.SwitchingCpus == cpus)
        {
            double idleShare = idle / (double)header.Clock.TicksPerSecond / cpuSeconds;
            return (Math.Round(100 * Math.Clamp(1 - idleShare, 0, 1), 3), CpuLoadSource.ContextSwitches);
        }

        return contents.SampleInterval100ns is { } interval && contents.BusySamples > 0
            ? (Math.Round(100 * Math.Clamp(contents.BusySamples * interval / 1e7 / cpuSeconds, 0, 1), 3), CpuLoadSource.Samples)
            : (null, null);
    }

    private static bool HasCpus(EtlFileHeader header) => !header.Mode.HasFlag(EtlLogFileMode.NoPerProcessorBuffering);

    /// <summary>The first and the last time of which a trace has events, in ticks; of a slice what is whole. Null for no event.</summary>
    private static (long FirstTicks, long LastTicks)? Ends(TraceContents contents)
    {
        if (contents.FirstTicks is not { } first || contents.LastTicks is not { } last)
        {
            return null;
        }

        return SliceOf(contents) is { } slice
            ? (Math.Max(first, slice.KeptFromTicks), Math.Min(last, slice.KeptToTicks))
            : (first, last);
    }

    private static long DurationNanoseconds(EtlFileHeader header, TraceContents contents)
    {
        if (Ends(contents) is not var (first, last))
        {
            return 0;
        }

        long length = header.Clock.NanosecondsFromHeader(last) - header.Clock.NanosecondsFromHeader(first);
        return length < 0 ? long.MaxValue : length;
    }
}
