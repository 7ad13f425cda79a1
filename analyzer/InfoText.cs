using System.Globalization;
using System.Text;
using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>Prints the report of <c>analyzer info</c> for people.</summary>
internal static class InfoText
{
    private const int DamageShown = 10;

    /// <summary>Prints it.</summary>
    /// <param name="report">The report.</param>
    /// <param name="header">The file's header, for what only people care for.</param>
    /// <param name="top">How many kinds of events to list.</param>
    /// <param name="output">Where to.</param>
    public static void Write(InfoReport report, EtlFileHeader header, int top, TextWriter output)
    {
        var text = new StringBuilder();
        AppendTrace(text, report.Trace, header);
        AppendLosses(text, report.Losses);
        AppendRates(text, report.Rates);
        AppendClasses(text, report.Classes, top);
        AppendQuestions(text, report.Questions);
        output.Write(text.ToString());
    }

    private static void AppendTrace(StringBuilder text, TraceSummary trace, EtlFileHeader header)
    {
        text.Append(trace.Path).Append('\n');
        string start = trace.StartUtc?.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture) + " UTC";
        AppendFact(text, "recorded", Joined(
            trace.StartUtc is null ? "start unknown" : start,
            $"{Number(trace.Duration.Nanoseconds / 1e9, 3)} s",
            trace.Cpus is { } cpus ? $"{cpus} CPU{(cpus == 1 ? "" : "s")}" : "CPUs not told apart",
            trace.OsBuild is { } build ? $"Windows build {build}" : null,
            $"{trace.PointerBits}-bit"));
        AppendFact(text, "clock", trace.Clock switch
        {
            TraceClockKind.Qpc => $"performance counter, {Number(header.Clock.TicksPerSecond / 1e6, 6)} MHz",
            TraceClockKind.SystemTime => "system time: too coarse for latencies",
            TraceClockKind.CpuCycles => $"CPU cycles, {Number(header.Clock.TicksPerSecond / 1e6, 3)} MHz",
            _ => "unknown; taken for a performance counter",
        });
        AppendFact(text, "file", Joined(
            $"buffers of {header.BufferBytes / 1024} KiB",
            (header.Mode & EtlLogFileMode.Compressed) != 0 ? "compressed" : null,
            (header.Mode & EtlLogFileMode.Relog) != 0 ? "merged or relogged" : null,
            (header.Mode & EtlLogFileMode.Circular) != 0 ? "circular" : null,
            header.SessionName.Length > 0 ? $"session \"{header.SessionName}\"" : null));
        AppendFact(text, "machine", Joined(
            trace.Machine.Cpu,
            trace.Machine.Mhz is { } mhz ? $"{mhz} MHz" : null,
            trace.Machine.MemoryMb is { } memory ? $"{Number(memory / 1024.0, 1)} GiB" : null,
            trace.Machine.Hypervisor == true ? "under a hypervisor" : null));
        AppendFact(text, "network", Joined([.. trace.Machine.Nics]));
        AppendFact(text, "video", Joined([.. trace.Machine.Video]));
        AppendFact(text, "disks", Joined([.. trace.Machine.Disks]));
        AppendFact(text, "events", Joined(
            Count(trace.Events),
            trace.EventsLost > 0 ? $"{Count(trace.EventsLost)} LOST" : "none lost",
            trace.BuffersLost > 0 ? $"{Count(trace.BuffersLost)} BUFFERS LOST" : null,
            trace.Truncated ? "FILE CUT SHORT" : null,
            trace.SampleInterval is { } interval ? $"samples every {interval}" : null));
    }

    private static void AppendLosses(StringBuilder text, TraceLosses losses)
    {
        foreach ((string name, long count) in losses.Counters)
        {
            if (name is not ("eventsLost" or "buffersLost"))
            {
                AppendFact(text, "odd", $"{name} {Count(count)}");
            }
        }

        foreach (DamagedBufferPlace place in losses.DamagedBuffers.Take(DamageShown))
        {
            AppendFact(text, "damage", $"buffer at offset 0x{place.Offset:x}: {place.Reason}");
        }

        if (losses.DamagedBuffers.Count > DamageShown)
        {
            AppendFact(text, "damage", $"... and {Count(losses.Counters["damagedBuffers"] - DamageShown)} more (--format json lists them)");
        }
    }

    private static void AppendRates(StringBuilder text, WorkloadRates rates)
    {
        text.Append("\nPer second\n");
        AppendRate(text, "events", rates.EventsPerSecond);
        AppendRate(
            text,
            rates.CpuPercentFrom == CpuLoadSource.Samples ? "CPU % (estimated from samples)" : "CPU %",
            rates.CpuPercent,
            otherwise: "unknown");
        AppendRate(text, "interrupts", rates.InterruptsPerSecond);
        AppendRate(text, "interrupt %", rates.InterruptPercent);
        AppendRate(text, "DPCs", rates.DpcsPerSecond);
        AppendRate(text, "DPC %", rates.DpcPercent);
        AppendRate(text, "context switches", rates.ContextSwitchesPerSecond);
        AppendRate(text, "threads made ready", rates.ReadyThreadsPerSecond);
        AppendRate(text, "samples", rates.SamplesPerSecond);
        AppendRate(text, "hard page faults", rates.HardFaultsPerSecond);
        AppendRate(text, "disk operations", rates.DiskOperationsPerSecond);
    }

    private static void AppendClasses(StringBuilder text, IReadOnlyList<EventClass> classes, int top)
    {
        text.Append(CultureInfo.InvariantCulture, $"\nKinds of events ({classes.Count})\n");
        text.Append("       count  bytes each  version  event\n");
        bool hasUnconfirmed = false;
        foreach (EventClass one in classes.Take(top))
        {
            string provider = one.Group ?? one.ProviderName ?? one.Provider.ToString();
            string mark = one.Unconfirmed ? " *" : "";
            text.Append(
                CultureInfo.InvariantCulture,
                $"{Count(one.Count),12}  {one.Bytes / one.Count,10}  {one.Version,7}  {provider}/{one.Name}{mark}\n");
            hasUnconfirmed |= one.Unconfirmed;
        }

        if (classes.Count > top)
        {
            text.Append(CultureInfo.InvariantCulture, $"         ... and {classes.Count - top} more (--top {classes.Count} lists them)\n");
        }

        if (hasUnconfirmed)
        {
            text.Append("* unconfirmed: how its fields are read rests on sources, no real bytes have confirmed it.\n");
        }
    }

    private static void AppendQuestions(StringBuilder text, IReadOnlyList<TraceQuestion> questions)
    {
        text.Append("\nWhat it can answer\n");
        foreach (TraceQuestion question in questions)
        {
            text.Append(question.Answerable ? "  yes  " : "  no   ").Append(question.Question).Append('\n');
            if (!question.Answerable)
            {
                text.Append("         record ").AppendJoin(", ", question.Missing).Append('\n');
            }
        }
    }

    private static void AppendFact(StringBuilder text, string name, string fact)
    {
        if (fact.Length > 0)
        {
            text.Append(CultureInfo.InvariantCulture, $"  {name,-10}{fact}\n");
        }
    }

    private static void AppendRate(StringBuilder text, string name, double? rate, string otherwise = "not recorded")
    {
        string value = rate is { } number ? Number(number, number < 10 ? 3 : 1) : otherwise;
        text.Append(CultureInfo.InvariantCulture, $"{value,12}  {name}\n");
    }

    private static string Joined(params string?[] parts) => string.Join(", ", parts.Where(part => part is not null));

    private static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);

    private static string Number(double number, int decimals) =>
        Math.Round(number, decimals).ToString("#,0.######", CultureInfo.InvariantCulture);
}
