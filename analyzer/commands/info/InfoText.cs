using Tracer.Analysis.Contents;
using Tracer.Analysis.Report;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Info;

/// <summary>Prints the report of <c>analyzer info</c> for people.</summary>
internal static class InfoText
{
    private const int DamageShown = 10;

    /// <param name="reader">The reader, for what only people care for.</param>
    public static void Write(InfoReport report, EtlReader reader, int top, TextWriter output)
    {
        WriteTrace(output, report.Trace, reader);
        WriteDoubts(output, report.Trace);
        if (report.Glitches is { } glitches)
        {
            string words = GlitchCounts.WordsOf(glitches.Audio, glitches.Frames);
            string engine = GlitchCounts.EngineWords(glitches.CountedByEngine, glitches.TooMany);
            WriteFact(output, "glitches", Joined(
                words.Length > 0 ? $"Windows recorded {words}" : null,
                engine.Length > 0 ? $"its audio engine {engine}" : null,
                glitches.More > 0 ? $"{Counted.Of(glitches.More, "record")} after them that were only counted" : null,
                glitches.Doubtful > 0 ? $"{Counted.Of(glitches.Doubtful, "record")} with such ids that can't be a glitch" : null));
        }

        WriteLosses(output, report.Losses);
        if (reader.IsClockKnown)
        {
            WritePlaces(output, LossStretches.Phrases(reader.Losses, reader.Header.Clock));
            WriteRates(output, report.Rates);
        }

        WriteClasses(output, report.Classes, top);
        WriteQuestions(output, report.Questions);
    }

    private static void WriteTrace(TextWriter output, TraceSummary trace, EtlReader reader)
    {
        EtlFileHeader header = reader.Header;
        output.WriteLine(trace.Path);
        WriteFact(output, "recorded", Joined(
            StartWords.Of(trace) ?? "start unknown",
            trace.Duration is { } duration ? ReadableDuration.Of(duration) : "length unknown",
            trace.Cpus is { } cpus ? $"{cpus} CPU{(cpus == 1 ? "" : "s")}"
                : reader.HasHeader ? "CPUs not told apart: one stream of buffers for all" : $"{Count(reader.Cpus.Count)} CPUs that logged",
            trace.OsBuild is { } build ? $"Windows build {build}" : null,
            $"{trace.PointerBits}-bit"));
        WriteFact(output, "slice", trace.Slice is not { } slice ? "" : Joined(
            $"of a longer trace: judged is what begins from {TimeOr(slice.From, "its start")} to {TimeOr(slice.To, "its end")}",
            $"whole from {TimeOr(slice.KeptFrom, "its start")} to {TimeOr(slice.KeptTo, "its end")}"));
        WriteFact(output, "clock", trace.Clock switch
        {
            TraceClockKind.Qpc => $"performance counter, {RoundedNumber.Of(header.Clock.TicksPerSecond / 1e6)} MHz",
            TraceClockKind.SystemTime => "system time: too coarse for latencies",
            TraceClockKind.CpuCycles => $"CPU cycles, {RoundedNumber.Of(header.Clock.TicksPerSecond / 1e6)} MHz",
            _ => $"unknown, so no time or length is known: {UnjudgedTrace.WhyWithoutClock(reader)}",
        });
        WriteFact(output, "file", !reader.HasHeader ? "" : Joined(
            $"buffers of {header.BufferBytes / 1024} KiB",
            (header.Mode & EtlLogFileMode.Compressed) != 0 ? "compressed" : null,
            (header.Mode & EtlLogFileMode.Relog) != 0 ? "merged or relogged" : null,
            (header.Mode & EtlLogFileMode.Circular) != 0 ? "circular" : null,
            header.SessionName.Length > 0 ? $"session \"{header.SessionName}\"" : null));
        WriteFact(output, "machine", Joined(
            trace.Machine.Cpu,
            trace.Machine.Mhz is { } mhz ? $"{mhz} MHz" : null,
            trace.Machine.MemoryMb is { } memory ? $"{RoundedNumber.Of(memory / 1024.0)} GiB" : null,
            trace.Machine.Hypervisor == true ? "under a hypervisor" : null));
        WriteFact(output, "network", Joined([.. trace.Machine.Nics]));
        WriteFact(output, "video", Joined([.. trace.Machine.Video]));
        WriteFact(output, "disks", Joined([.. trace.Machine.Disks]));
        WriteFact(output, "events", Joined(
            Count(trace.Events),
            trace.EventsLost > 0 ? $"{Count(trace.EventsLost)} LOST" : reader.HasHeader ? "none lost" : "none known to be lost",
            trace.BuffersLost > 0 ? $"{Count(trace.BuffersLost)} BUFFERS LOST" : null,
            trace.Truncated ? "FILE CUT SHORT" : null,
            trace.SampleInterval is { } interval ? $"samples every {ReadableDuration.Of(interval)}" : null));
    }

    private static void WriteDoubts(TextWriter output, TraceSummary trace)
    {
        foreach (string doubt in trace.Doubts ?? [])
        {
            WriteFact(output, "doubt", doubt);
        }
    }

    private static string TimeOr(Duration? time, string otherwise) =>
        time is { } known
            ? Math.Round(known.Nanoseconds / 1e9, 6).ToString("#,0.######", CultureInfo.InvariantCulture) + " s"
            : otherwise;

    private static void WriteLosses(TextWriter output, TraceLosses losses)
    {
        foreach ((string name, long count) in losses.Counters)
        {
            if (name is not ("eventsLost" or "buffersLost"))
            {
                WriteFact(output, "odd", $"{name} {Count(count)}");
            }
        }

        foreach (DamagedBufferPlace place in losses.DamagedBuffers.Take(DamageShown))
        {
            WriteFact(output, "damage", $"buffer at offset 0x{place.Offset:x}: {place.Reason}");
        }

        if (losses.DamagedBuffers.Count > DamageShown)
        {
            string more = Count(losses.Counters["damagedBuffers"] - DamageShown);
            WriteFact(output, "damage", $"... and {more} more (--format json lists them)");
        }
    }

    private static void WritePlaces(TextWriter output, IReadOnlyList<string> phrases)
    {
        foreach (string phrase in phrases.Take(DamageShown))
        {
            WriteFact(output, "missing", phrase);
        }

        if (phrases.Count > DamageShown)
        {
            WriteFact(output, "missing", $"... and {Count(phrases.Count - DamageShown)} more (--format json lists them)");
        }
    }

    private static void WriteRates(TextWriter output, WorkloadRates rates)
    {
        output.WriteLine();
        output.WriteLine("Per second");
        WriteRate(output, "events", rates.EventsPerSecond);
        WriteRate(
            output,
            rates.CpuPercentFrom == CpuLoadSource.Samples ? "CPU % (estimated from samples)" : "CPU %",
            rates.CpuPercent,
            otherwise: "unknown");
        WriteRate(output, "interrupts", rates.InterruptsPerSecond);
        WriteRate(output, "interrupt %", rates.InterruptPercent);
        WriteRate(output, "DPCs", rates.DpcsPerSecond);
        WriteRate(output, "DPC %", rates.DpcPercent);
        WriteRate(output, "context switches", rates.ContextSwitchesPerSecond);
        WriteRate(output, "threads made ready", rates.ReadyThreadsPerSecond);
        WriteRate(output, "samples", rates.SamplesPerSecond);
        WriteRate(output, "hard page faults", rates.HardFaultsPerSecond);
        WriteRate(output, "disk operations", rates.DiskOperationsPerSecond);
    }

    private static void WriteClasses(TextWriter output, IReadOnlyList<EventClass> classes, int top)
    {
        output.WriteLine();
        output.WriteLine($"Kinds of events ({classes.Count})");
        output.WriteLine("       count  bytes each  version  event");
        bool hasUnconfirmed = false;
        foreach (EventClass one in classes.Take(top))
        {
            string provider = one.Group ?? one.ProviderName ?? one.Provider.ToString();
            string mark = one.Unconfirmed ? " *" : "";
            output.WriteLine($"{Count(one.Count),12}  {one.Bytes / one.Count,10}  {one.Version,7}  {provider}/{one.Name}{mark}");
            hasUnconfirmed |= one.Unconfirmed;
        }

        if (classes.Count > top)
        {
            output.WriteLine($"         ... and {classes.Count - top} more (--top {classes.Count} lists them)");
        }

        if (hasUnconfirmed)
        {
            output.WriteLine("* unconfirmed: how its fields are read rests on public sources; no real bytes have confirmed it.");
        }
    }

    private static void WriteQuestions(TextWriter output, IReadOnlyList<TraceQuestion> questions)
    {
        output.WriteLine();
        output.WriteLine("What it can answer");
        foreach (TraceQuestion question in questions)
        {
            output.WriteLine((question.Answerable ? "  yes  " : "  no   ") + question.Question);
            if (!question.Answerable)
            {
                output.WriteLine("         record " + string.Join(", ", question.Missing));
            }
        }
    }

    private static void WriteFact(TextWriter output, string name, string fact)
    {
        if (fact.Length > 0)
        {
            output.WriteLine($"  {name,-10}{fact}");
        }
    }

    private static void WriteRate(TextWriter output, string name, double? rate, string otherwise = "not recorded")
    {
        string value = rate is { } number ? RoundedNumber.Of(number) : otherwise;
        output.WriteLine($"{value,12}  {name}");
    }

    private static string Joined(params string?[] parts) => string.Join(", ", parts.Where(part => part is not null));

    private static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);
}
