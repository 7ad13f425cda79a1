using System.Text.Json;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>
/// What a report says, in short lines for a reviewer. Left out are what the scenario itself tells (machine, length, options; a driver that
/// ran one routine on one CPU), what stands twice (ids, UTC), buckets of histograms and the reasons for the next steps.
/// </summary>
internal static class ReportText
{
    public static string Of(BlameReport report) => string.Concat(Lines(report).Select(line => line + "\n"));

    private static IEnumerable<string> Lines(BlameReport report) =>
    [
        $"says {report.Summary.Conclusion}",
        SummaryOf(report.Summary),
        .. FoldedGlitches(report.Glitches ?? []),
        .. report.Culprits.SelectMany(culprit => Lines("culprit", culprit)),
        .. (report.Secondary ?? []).SelectMany(culprit => Lines("second culprit", culprit)),
        .. report.Cleared.Select(cleared => $"cleared {cleared.Name}: {cleared.Why}"),
        .. Folded(report.Episodes),
        .. (report.Groups ?? []).Select(GroupOf),
        .. report.Drivers.SelectMany(driver => Lines(driver, report.Routines ?? [])),
        .. (report.Faults ?? []).Select(FaultsOf),
        .. report.Recording is { } cost ? (string[])[CostOf(cost)] : [],
        .. report.Profile is { } profile ? Lines(profile) : [],
        .. report.Suspect is { } suspect ? Lines(suspect) : [],
        .. report.NextSteps.Count > 0 ? (string[])[$"next {string.Join("; ", report.NextSteps.Select(StepOf))}"] : [],
        .. report.Warnings.Select(warning => $"warning {warning}"),
    ];

    private static string SummaryOf(BlameSummary summary)
    {
        string secondary = summary.SecondaryEpisodes > 0 ? $" and {summary.SecondaryEpisodes} secondary" : "";
        return $"verdict {Word(summary.Verdict)} {summary.Culprit ?? "nobody"}, {summary.Probes} probes, "
            + $"{summary.Episodes} episodes{secondary}, worst {Or(summary.Worst)}, above the threshold {summary.OverThreshold}";
    }

    /// <summary>A line for each glitch, or for those that follow each other and differ in their time only.</summary>
    private static IEnumerable<string> FoldedGlitches(IReadOnlyList<Glitch> glitches)
    {
        for (int first = 0, next; first < glitches.Count; first = next)
        {
            string text = TextOf(glitches[first]);
            next = first + 1;
            while (next < glitches.Count && TextOf(glitches[next]) == text)
            {
                next++;
            }

            yield return next - first == 1
                ? $"glitch at {glitches[first].At} {text}"
                : $"{next - first} glitches at {glitches[first].At} to {glitches[next - 1].At} {text}";
        }
    }

    private static string TextOf(Glitch glitch) =>
        $"{(glitch.Sound ? "sound" : "frame")} {Word(glitch.Side)} {glitch.Process ?? "?"}: "
        + string.Join("; ", glitch.Records.Select(record => record.Says))
        + (glitch.Episode is null ? ", unexplained" : $", by {glitch.Culprit ?? "?"}")
        + (glitch.OnTime is { } good ? $". {good}" : "") + (glitch.ByTrace is { } more ? $". {more}" : "")
        + (glitch.Disagrees is { } but ? $". {but}" : "");

    private static IEnumerable<string> Lines(string rank, Culprit culprit)
    {
        string text = $"{rank} {culprit.Name} {Word(culprit.Kind)} {Word(culprit.Mechanism)} {Percent(culprit.Share)} {culprit.Blamed} in "
            + $"{culprit.Episodes} worst {culprit.Worst}, {Word(culprit.Confidence)} by {Word(culprit.Proof)}"
            + (culprit.Through.Count > 0 ? $", through {string.Join(" ", culprit.Through)}" : "");
        if (culprit.Period is { } period)
        {
            text += Invariant($", every {period.Seconds} s +-{period.JitterMs} ms in {Percent(period.Coverage)}");
        }

        if (culprit.Without is { } left)
        {
            text += $", without it {left.Episodes}{(left.Worst is { } worst ? $" worst {worst}" : "")}";
        }

        text += culprit.Functions.Count > 0 ? $", in {string.Join(" ", culprit.Functions.Select(FunctionOf))}" : "";
        text += culprit.Device is { } device ? $", device {device}" : "";
        text += culprit.RunsFirmware ? ", runs firmware" : "";
        text += culprit.Image?.Version is { } version ? $", version {version} of {culprit.Image.Company}" : "";
        return [text, .. culprit.Evidence.Where(SaysMoreThanTheRow).Select(evidence => $"- {evidence}")];
    }

    /// <summary>In how many episodes, and how long in the worst, the culprit's own row says; ten whole reports keep the sentence.</summary>
    private static bool SaysMoreThanTheRow(string evidence) => !evidence.StartsWith("It has a part in ", StringComparison.Ordinal);

    private static string FunctionOf(FunctionTime function) =>
        $"{function.Name} {Or(function.Time)}{(function.Samples > 0 ? $" {function.Samples} samples" : "")}";

    /// <summary>A line for each episode, or for those that follow each other and differ in their time only.</summary>
    private static IEnumerable<string> Folded(IReadOnlyList<Episode> episodes)
    {
        for (int first = 0, next; first < episodes.Count; first = next)
        {
            string text = TextOf(episodes[first]);
            next = first + 1;
            while (next < episodes.Count && TextOf(episodes[next]) == text)
            {
                next++;
            }

            yield return next - first == 1
                ? $"episode at {episodes[first].Start} {text}"
                : $"{next - first} episodes at {episodes[first].Start} to {episodes[next - 1].Start} {text}";
        }
    }

    private static string Through(Cause cause) => cause.Chain is null ? ""
        : " through " + string.Join(" and ", cause.Chain.Select(link => $"{link.Process ?? "?"} {link.Thread} which {link.Why}"));

    private static string TextOf(Episode episode)
    {
        string text = $"{Word(episode.Probe)} cpu{episode.Cpu?.ToString(CultureInfo.InvariantCulture) ?? "?"} {episode.Latency}"
            + (episode.Secondary ? " secondary" : "") + (episode.LateTimer ? " late timer" : "");
        if (episode.Thread is { } thread)
        {
            text += $" of {thread.Process ?? "?"} {thread.Pid?.ToString(CultureInfo.InvariantCulture) ?? "?"}/{thread.Tid} priority "
                + $"{thread.Priority?.ToString(CultureInfo.InvariantCulture) ?? "?"}";
        }

        text += ": " + string.Join(", ", [
            .. episode.Causes.Select(cause => $"{cause.Culprit ?? "?"} {Word(cause.Mechanism)} {cause.Time}{Through(cause)}"
                + (cause.Routine is { } routine ? $" ({routine})" : "")),
            .. episode.Unexplained == Duration.Zero ? (string[])[] : [$"unexplained {episode.Unexplained}"]]);
        if (episode.Job is { } job)
        {
            text += $"; job due {Or(job.Due)} ready {Or(job.Ready)} run {job.Run} work {job.Work} end {job.End} "
                + $"deadline {Or(job.Deadline)}";
        }

        if (episode.Phases is { } phases)
        {
            text += $"; interrupt {Or(phases.Interrupt)} dpc {Or(phases.Dpc)} thread {Or(phases.Thread)}";
        }

        if (episode.Chain is { } chain)
        {
            text += $"; chain {Or(chain.Interrupt)} {chain.InterruptRoutine ?? "?"} on cpu{chain.InterruptCpu}, queued {chain.Enqueue} "
                + $"{chain.Importance} depth {chain.QueueDepth} to cpu{chain.TargetCpu}, dpc {chain.DpcStart} {chain.DpcRoutine}, ready "
                + $"{chain.Ready}, run {chain.Run}";
        }

        return episode.Samples.Total > 0 ? $"{text}; {episode.Samples.Total} samples{Functions(episode.Samples.Functions)}" : text;
    }

    private static string GroupOf(EpisodeGroup group) =>
        $"group of {group.Episodes} like {group.ExampleId}, {group.Latency} worst {group.Worst}: {string.Join(" > ", group.Chain)}"
        + (group.Frames.Count > 0 ? $"; stack {string.Join(" < ", group.Frames)}" : "")
        + (group.Chains is { } chains ? $"; {chains} chains" : "");

    private static IEnumerable<string> Lines(DriverActivity driver, IReadOnlyList<RoutineActivity> all)
    {
        RoutineActivity[] routines = [.. all.Where(routine => routine.Driver == driver.Name)];
        string[] rows = [.. routines.Select(routine => TimesOf(routine.Isr, routine.Dpc, routine.QueueDelayMax))];
        string times = TimesOf(driver.Isr, driver.Dpc, driver.QueueDelayMax);
        bool isOne = rows is [{ } only] && only == times;
        if (isOne && driver is { Through.Count: 0, SharedBy: null, QueueDelayMax: null }
            && driver.Isr is null or { PerCpu.Count: 1 } && driver.Dpc is null or { PerCpu.Count: 1 })
        {
            yield break;
        }

        yield return $"driver {driver.Name}{(driver.Through.Count > 0 ? $" through {string.Join(" ", driver.Through)}" : "")}"
            + string.Concat((driver.SharedBy ?? []).Select(share => $", {share.Total} for {share.Name} ({share.Samples} of {share.Of})"))
            + $"{times}{Cpus("isr", driver.Isr)}{Cpus("dpc", driver.Dpc)}{(isOne ? $", all in {routines[0].Routine}" : "")}";
        for (int index = 0; index < rows.Length && !isOne; index++)
        {
            yield return $"- {routines[index].Routine}{rows[index]}";
        }
    }

    private static string TimesOf(RoutineTimes? isr, RoutineTimes? dpc, Duration? queueDelay) =>
        TimesOf("isr", isr) + TimesOf("dpc", dpc) + (queueDelay is { } delay ? $", queued up to {delay}" : "");

    private static string TimesOf(string kind, RoutineTimes? times)
    {
        if (times is null)
        {
            return "";
        }

        bool isSame = times.P50 == times.Max && times.P90 == times.Max && times.P99 == times.Max && times.P999 == times.Max;
        return $", {times.Count} {kind} {times.Total} max {times.Max} at {Or(times.MaxAt)}"
            + (isSame ? "" : $" p50 {times.P50} p90 {times.P90} p99 {times.P99} p99.9 {times.P999}");
    }

    private static string Cpus(string kind, RoutineTimes? times) => times?.PerCpu switch
    {
        null => "",
        [{ } only] => $", {kind} on cpu{only.Cpu}",
        { } cpus => $", {kind} on {string.Join(" and ", cpus.Select(cpu => $"cpu{cpu.Cpu} {cpu.Count} {cpu.Total} max {cpu.Max}"))}",
    };

    private static string FaultsOf(FileFaults faults) =>
        $"faults of {faults.Process ?? "?"} {faults.Pid?.ToString(CultureInfo.InvariantCulture) ?? "?"} in {faults.File ?? "?"}: "
        + $"{faults.Count} {faults.Bytes} bytes {faults.Total} max {faults.Max} at {faults.MaxAt}";

    private static string CostOf(RecordingCost cost)
    {
        string driver = cost.Driver is { } own
            ? $", driver {own.Own} of {own.Run} floor {Or(own.Floor)} tick {Or(own.Tick)} late timers {own.LateTimers} "
                + $"discarded {own.Discarded} unmeasured cpus {own.UnmeasuredCpus}"
            : "";
        return $"cost profile {TimesOf(cost.ProfileInterrupt)} clock {TimesOf(cost.ClockInterrupt)} {Percent(cost.Share)}{driver}";
    }

    private static string TimesOf(InterruptCost? cost) => cost is null ? "none" : $"{cost.Count} {cost.Total}";

    private static IEnumerable<string> Lines(TraceProfile profile)
    {
        yield return $"profile {profile.Samples} samples{Functions(profile.Functions)}";
        if (profile is { Switches: { } switches, Processes.Count: > 0 })
        {
            yield return $"profile {switches} switches: "
                + string.Join(", ", profile.Processes.Select(process => $"{process.Process} {process.Time} {process.Switches}"));
        }
    }

    private static IEnumerable<string> Lines(SuspectCase suspect) =>
    [
        $"suspect {suspect.Name} {(suspect.Found ? Word(suspect.Kind) : "not found")} {Word(suspect.Verdict)}",
        .. suspect.SpeaksFor.Select(sentence => $"- for: {sentence}"),
        .. suspect.SpeaksAgainst.Select(sentence => $"- against: {sentence}"),
        .. suspect.Facts.Select(sentence => $"- fact: {sentence}"),
        .. suspect.Lacks.Select(sentence => $"- lacks: {sentence}"),
        .. suspect.Nearest.Count > 0 ? (string[])[$"- nearest: {string.Join(" ", suspect.Nearest)}"] : [],
    ];

    /// <summary>How a step begins: what follows is the same for each.</summary>
    private static string StepOf(NextStep step) => step.Step.Split([':', '(', ';'], 2)[0].Trim();

    private static string Functions(IReadOnlyList<SampledFunction> functions) => functions.Count == 0 ? "" : ": "
        + string.Join(", ", functions.Select(function => $"{function.Module ?? "?"}{NameOf(function)} {function.Count}"));

    private static string NameOf(SampledFunction function) =>
        function.Function is { } name ? name.StartsWith('+') ? name : "!" + name : "";

    private static string Percent(double share) => Invariant($"{100 * share:0.####} %");

    /// <summary>A name of the contract as reports write it.</summary>
    private static string Word<TEnum>(TEnum value) => JsonNamingPolicy.KebabCaseLower.ConvertName(value?.ToString() ?? "?");

    private static string Or(Duration? duration) => duration?.ToString() ?? "none";

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);
}
