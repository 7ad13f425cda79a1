using System.Text;
using Tracer.Analysis.Request;

namespace Tracer.AnalyzerCommand.Commands.Pack;

/// <summary>The letter that goes with a pack: who, why, how to judge it again, what was replaced.</summary>
internal static class PackReadme
{
    private const int MostRoutines = 3;

    public static string Of(BlameReport report, PackReport pack, BlameRequest asked)
    {
        var text = new StringBuilder();
        Line("Evidence of late audio, input or control on a Windows machine");
        Line("");
        Line(report.Summary.Conclusion);
        foreach (Culprit culprit in report.Culprits.Where(static one => one.Image is not null).Take(3))
        {
            ImageDescription image = culprit.Image!;
            string built = image.Timestamp is { } time ? ", built " + time.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture) : "";
            Line($"  {culprit.Name}: {image.Path ?? "path unknown"}, version {image.Version ?? "unknown"}, "
                + $"{image.Company ?? "company unknown"}{built}");
            foreach (FunctionTime routine in culprit.Functions.Take(MostRoutines))
            {
                Line($"    in {routine.Name}: {ReadableDuration.Of(routine.Time, "time not known")}"
                    + (routine.Samples > 0 ? $", {Counted.Of(routine.Samples, "sample")}" : ""));
            }
        }

        Line($"  Machine: {MachineOf(report.Trace)}");

        Line("");
        PackedVerdict whole = pack.Whole;
        Line($"In the whole recording: {Counted.Of(whole.Episodes, "episode")}"
            + (whole.Worst is { } worst ? $", the worst latency {ReadableDuration.Of(worst)}" : "")
            + (whole.Culprit is { } name ? $"; {name} is to blame."
                : whole.Verdict == Verdict.Unknown ? "; it does not tell who is to blame." : "; nobody is to blame."));
        if (pack.Part.Verdict != whole.Verdict || pack.Part.Culprit != whole.Culprit)
        {
            Line("This part of it alone leads to another verdict than the whole.");
        }

        if (pack.Compared.ToldOtherwise > 0)
        {
            Line($"{Counted.Of(pack.Compared.ToldOtherwise, "episode")} of this part came out differently than in the whole recording.");
        }

        Line("");
        Line("Files");
        Line("  trace.etl      the part of the recording with the worst episodes; WPA and PerfView open it");
        Line("  report.html    the judgement as a page: open it in a browser, it needs no network");
        Line("  report.json    the same for programs, schema tracer.blame/1");
        Line("  versions.json  the machine, Windows, and the version of every driver, schema tracer.pack/1");
        Line("  SHA256SUMS     checksums: sha256sum -c SHA256SUMS");
        Line("");
        Line("Tracer wrote this: a free program (MIT licence) that reads event traces of Windows (ETW) and tells, microsecond");
        Line("by microsecond, whose code ran while a thread, an interrupt or a DPC (the rest of an interrupt's work) was kept");
        Line("waiting. Its source and programs come from whoever sent you this pack; WPA and PerfView show the same events.");
        Line($"To judge it again with analyzer {pack.TracerVersion}:");
        Line($"  analyzer blame trace.etl{Options(asked)}");
        Line("");
        if (pack.Redaction is not { } redaction)
        {
            Line("Names were kept: the trace holds what Windows recorded of users, programs and files.");
            return text.ToString();
        }

        Line("Names were replaced before this was sent. Numbers stand instead of the names of processes, people, computer, domain,");
        Line("folders, files, drivers, companies, devices and marks, the same number for the same name everywhere; names of what Windows");
        Line("ships and of who is to blame were kept. Command lines, user ids, network addresses and the contents of all events");
        Line("that the judgement does not read were taken out. Addresses, thread and process numbers and times are as recorded.");
        Line($"Names replaced: {PackText.Replaced(redaction.Names)}.");
        return text.ToString();

        void Line(string line) => text.Append(line).Append('\n');
    }

    private static string MachineOf(TraceSummary trace) => string.Join(", ", new[]
    {
        trace.Machine.Cpu,
        trace.Cpus is { } cpus ? Counted.Of(cpus, "CPU") : null,
        trace.Machine.MemoryMb is { } memory ? (memory / 1024.0).ToString("0.#", CultureInfo.InvariantCulture) + " GiB" : null,
        trace.OsBuild is { } build ? $"Windows build {build.ToString(CultureInfo.InvariantCulture)}" : null,
        $"{trace.PointerBits.ToString(CultureInfo.InvariantCulture)}-bit",
        trace.Machine.Hypervisor == true ? "under a hypervisor" : null,
    }.Where(static part => part is not null));

    private static string Options(BlameRequest asked)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $" --threshold {asked.Threshold}");
        if (asked.Probe != ProbeChoice.Auto)
        {
            text.Append(CultureInfo.InvariantCulture, $" --probe {KebabCase.Of(asked.Probe)}");
        }

        if (asked.Period is { } period)
        {
            text.Append(CultureInfo.InvariantCulture, $" --period {period}");
        }

        if (asked.Deadline is { } deadline)
        {
            text.Append(CultureInfo.InvariantCulture, $" --deadline {deadline}");
        }

        if (asked.MinPriority != Defaults.MinimumPriority)
        {
            text.Append(CultureInfo.InvariantCulture, $" --min-priority {asked.MinPriority}");
        }

        if (asked.Process is { } process)
        {
            text.Append(CultureInfo.InvariantCulture, $" --process \"{process}\"");
        }

        if (asked.Thread is { } thread)
        {
            text.Append(CultureInfo.InvariantCulture, $" --thread {thread}");
        }

        if (asked.Cpus is { } cpus)
        {
            text.Append(CultureInfo.InvariantCulture, $" --cpu {string.Join(',', cpus)}");
        }

        return text.ToString();
    }
}
