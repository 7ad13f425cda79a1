using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Report;

/// <summary>Writes the sentences of evidence about a suspect.</summary>
internal sealed class Evidence
{
    private readonly BlameFindings _findings;
    private readonly ModuleMap _modules;
    private readonly CauseNaming _naming;
    private readonly TraceFacts _facts;

    public Evidence(BlameFindings findings, CauseNaming naming)
    {
        _findings = findings;
        _modules = findings.Modules;
        _naming = naming;
        _facts = findings.Facts;
    }

    /// <summary>The sentences about one suspect, the most important first.</summary>
    public List<string> Of(Suspect suspect, int episodes)
    {
        List<string> evidence = [];
        (NamedEpisode episode, long worst) = suspect.Parts.GroupBy(part => part.Episode, part => part.Cause.Ticks)
            .Select(parts => (parts.Key, Ticks: parts.Sum())).OrderByDescending(part => part.Ticks)
            .ThenBy(part => part.Key.Candidate.FromTicks).First();
        evidence.Add(Text(
            $"It has a part in {suspect.Episodes} of {Counted.Of(episodes, "episode")}, at most {Text(worst)} in one, "
            + $"which begins at {Time(episode.Candidate.FromTicks)} on CPU {episode.Candidate.Cpu}."));
        NamedCause main = suspect.Main;
        switch (main.Proof)
        {
            case Proof.Routine or Proof.Stack or Proof.Sample when main.IsOfThread:
                AddOfThread(evidence, main);
                break;
            case Proof.Routine when main.Finding is not null && main.Mechanism != Mechanism.SpinWait:
                evidence.Add(Text($"The {What(main)} record names its routine: {main.Routine}."));
                AddInner(evidence, main);
                break;
            case Proof.WdfEvent:
                evidence.Add(Text($"The framework's own event names the callback that it is about to call: {main.Routine}."));
                break;
            case Proof.Stack or Proof.Sample when main.Mechanism != Mechanism.Blackout:
                AddSampled(evidence, suspect, main);
                break;
            case Proof.Vector:
                evidence.Add(Text($"Its ISR comes directly before this DPC of {First(main.Through)}, almost every time."));
                break;
            case Proof.OnlyCandidate:
                evidence.Add(Text(
                    $"No other loaded driver belongs to a device that {First(main.Through)} serves; nothing inside was seen."));
                break;
        }

        AddCarried(evidence, suspect);
        AddVote(evidence, suspect);

        if (main.Finding?.Announced is { } announced)
        {
            evidence.Add(Text(
                $"The framework's own event names {announced.Name}, which called it; the samples inside show whose code ran. Two kinds of "
                + $"evidence that differ: likely, not certain."));
        }

        MechanismPage page = MechanismPages.Of(main.Mechanism);
        var about = new EvidenceCase(suspect, main, episode, _findings, _naming);
        page.AddFirst(evidence, about);

        if (suspect.Parts.Select(part => part.Cause.Outside).FirstOrDefault(outside => outside is not null) is { } beat)
        {
            evidence.Add(beat);
        }

        if (Storm.Of(suspect, _findings) is { } storm)
        {
            evidence.Add($"{storm.Says(_findings)}.");
        }

        AddChain(evidence, suspect);
        AddRunsWithoutBlackout(evidence, suspect, main);
        page.AddLast(evidence, about);
        AddFirmware(evidence, suspect, main);
        return evidence;
    }

    /// <summary>Whose code the samples show, where that only completed what the suspect's device had done.</summary>
    private static void AddCarried(List<string> evidence, Suspect suspect)
    {
        List<NamedCause> carried = [.. suspect.Parts.Select(part => part.Cause).Where(cause => cause.Finding?.Carrier is not null)];
        if (carried.Count == 0)
        {
            return;
        }

        string carriers = string.Join(", ", carried.GroupBy(cause => cause.Finding!.Carrier!.Name, StringComparer.OrdinalIgnoreCase)
            .OrderByDescending(carrier => carrier.Sum(cause => cause.Ticks)).Select(carrier => carrier.Key).Take(3));
        int completed = carried.Max(cause => (cause.Share?.Detail as RoutineRan)?.Completed ?? 0);
        string batch = completed > 0 ? Text($"A batch of {completed:N0} completions in one DPC") : "A batch of completions in one DPC";
        evidence.Add(Text(
            $"{batch}: the samples inside show {carriers}, code of Windows that passes on what a device has done."));
    }

    /// <summary>How the vote on runs without a sample went, by the runs that most of that time was shared by.</summary>
    private void AddVote(List<string> evidence, Suspect suspect)
    {
        List<NamedCause> voted = [.. suspect.Parts.Select(part => part.Cause).Where(cause => cause.Finding?.VotedBy is not null)];
        if (voted.GroupBy(cause => (cause.Finding!.Samples, cause.Finding.SamplesAsked, Of: cause.Finding.VotedBy!.Value))
            .OrderByDescending(vote => vote.Sum(cause => cause.Ticks)).ThenBy(vote => vote.Key).FirstOrDefault() is not { Key: var vote })
        {
            return;
        }

        string runs = vote.Of switch
        {
            BallotOf.Line => "that the same interrupt queued",
            BallotOf.Device => "that the same ISR and vector queued, on other CPUs too",
            BallotOf.Cpu => "on that CPU",
            _ => "anywhere in the trace",
        };
        (double least, double most) = ShareInterval.Of(vote.Samples, vote.SamplesAsked);
        evidence.Add(Text(
            $"{Text(voted.Sum(cause => cause.Ticks))} of it is its part of runs whose own samples do not show it: "
            + $"{vote.Samples} of {Counted.Of(vote.SamplesAsked, "sample")} of this routine show it, "
            + $"in runs {runs} ({100 * least:0} to {100 * most:0} %)."));
    }

    /// <summary>Whom the suspect kept that the victims waited for, where that is most of its part.</summary>
    private void AddChain(List<string> evidence, Suspect suspect)
    {
        List<NamedCause> through = [.. suspect.Parts.Select(part => part.Cause).Where(cause => cause.Share is { Chain.Count: > 0 })];
        if (2 * through.Sum(cause => cause.Ticks) < suspect.Ticks)
        {
            return;
        }

        string threads = string.Join(", ", through.GroupBy(cause => cause.Share!.Chain[^1].ThreadId)
            .OrderByDescending(thread => thread.Sum(cause => cause.Ticks)).ThenBy(thread => thread.Key).Take(3)
            .Select(thread => Text(
                $"{ProcessOf(thread.First().Share!.Chain[^1])} thread {thread.Key}, {Text(thread.Sum(cause => cause.Ticks))}")));
        bool isOwn = through.TrueForAll(cause => ProcessOf(cause.Share!.Chain[^1]) == suspect.Name);
        evidence.Add(Text(
            $"The victims waited for {(isOwn ? "its own thread" : "another thread, which it kept")} ({threads}), as the ReadyThread and "
            + $"switch records show."));
    }

    private string ProcessOf(in ChainStep step) =>
        _facts.Threads.ProcessOf(step.ThreadId, step.AtTicks) is { } process && _facts.Threads.NameOf(process, step.AtTicks) is { } name
            ? name
            : "process not known,";

    private static string Text(InvariantText text) => text.Take();

    private static string First(IReadOnlyList<string> names) => names.Count > 0 ? names[0] : "the framework";

    private static string What(NamedCause cause) => cause.Mechanism switch
    {
        Mechanism.Isr => "ISR",
        Mechanism.Thread => "threaded DPC or passive ISR",
        _ => "DPC",
    };

    private string Text(long ticks) => ReadableDuration.Of(_findings.Length(ticks));

    private string Time(long ticks) => ReadableDuration.At(_findings.Time(ticks));

    private static void AddSampled(List<string> evidence, Suspect suspect, NamedCause main)
    {
        int samples = 0;
        int asked = 0;
        HashSet<(long, ulong)> seen = [];
        foreach ((NamedEpisode episode, NamedCause cause) in suspect.Parts)
        {
            if (cause.Finding is { VotedBy: null } finding && cause.Proof is Proof.Stack or Proof.Sample
                && seen.Add((episode.Candidate.FromTicks, finding.Routine)))
            {
                samples += cause.Finding!.Samples;
                asked += cause.Finding.SamplesAsked;
            }
        }

        (int more, string shown) = OthersInside(suspect);
        asked += more;
        string through = main.Through.Count > 0 ? Text($", called by {string.Join(", ", main.Through)}") : string.Empty;
        bool isStack = main.Proof == Proof.Stack;
        string how = (isStack, samples) switch
        {
            (false, _) => "hit it",
            (true, 1) => "shows it on the stack",
            _ => "show it on the stack",
        };
        string tied = main.Finding is { TiedWith: { Count: > 0 } others }
            ? Text($"; as many show {string.Join(", ", others.Select(other => other.Name))}")
            : string.Empty;
        evidence.Add(samples > 0
            ? Text($"{samples} of {Counted.Of(asked, "sample")} inside {how}: {main.Routine}{through}{tied}{shown}.")
            : Text($"No sample inside shows it, but those in other runs of the same routine {how}: {main.Routine}{through}."));
    }

    /// <summary>
    /// The samples inside the same work that belong to others: a routine of a framework, and a stretch at raised IRQL, are divided among
    /// those whom their samples show, and each of them counts the samples of the others, too.
    /// </summary>
    /// <returns>How many they are, and whom they show, as a part of the sentence.</returns>
    internal static (int Samples, string Shown) OthersInside(Suspect suspect)
    {
        int samples = 0;
        HashSet<string> names = new(StringComparer.OrdinalIgnoreCase);
        foreach (IGrouping<NamedEpisode, NamedCause> own in suspect.Parts.GroupBy(
            part => part.Episode, part => part.Cause, (IEqualityComparer<NamedEpisode>)ReferenceEqualityComparer.Instance))
        {
            HashSet<object> works = [.. own.Select(WorkOf).OfType<object>()];
            foreach (NamedCause other in own.Key.Causes.Where(cause => WorkOf(cause) is { } work && works.Contains(work)
                && !string.Equals(cause.Name, suspect.Name, StringComparison.OrdinalIgnoreCase)).DistinctBy(cause => cause.Share))
            {
                int asked = other.Share!.Owner?.SamplesAsked ?? 0;
                samples += asked;
                if (asked > 0)
                {
                    names.Add(other.Name ?? "nobody known");
                }
            }
        }

        string shown = string.Join(", ", names.Order(StringComparer.OrdinalIgnoreCase));
        return (samples, names.Count == 0 ? "" : $"; the others show {shown}");

        // The routine that ran, or the code at raised IRQL of one level.
        static object? WorkOf(NamedCause cause) => cause.Share?.Detail switch
        {
            RoutineRan ran => ran.Routine,
            CodeSampled => cause.Share.Mechanism,
            _ => null,
        };
    }

    private static void AddInner(List<string> evidence, NamedCause main)
    {
        if (main.Finding is { Inner: { } inner } finding)
        {
            evidence.Add(Text(
                $"{finding.Samples} of {Counted.Of(finding.SamplesAsked, "sample")} inside hit code of {inner.Name}, which that routine "
                + $"calls: its helper, or, if {main.Name} serves the drivers of others, the one to blame."));
        }
    }

    private static void AddOfThread(List<string> evidence, NamedCause main) => evidence.Add(main.Proof == Proof.Routine
        ? Text($"Thread {main.ThreadId} of the system ran; it began in {main.Routine}.")
        : Text($"Thread {main.ThreadId} of the system ran; {main.Finding!.Samples} of {Counted.Of(main.Finding.SamplesAsked, "sample")} ")
            + Text($"of that thread, anywhere in the trace, {(main.Finding.Samples == 1 ? "shows" : "show")} {main.Routine}."));

    /// <summary>
    /// Says how often the routine ran without a blackout. Code that stops the machine does so again and again; code that a blackout hit by
    /// chance mostly runs without one.
    /// </summary>
    private void AddRunsWithoutBlackout(List<string> evidence, Suspect suspect, NamedCause main)
    {
        if (main.Blackout is null || main.Mechanism == Mechanism.SpinWait)
        {
            return;
        }

        HashSet<Blackout> blackouts = [.. suspect.Parts.Where(part => part.Cause.Blackout is { Routine: not 0 })
            .Select(part => part.Cause.Blackout!)];
        if (blackouts.GroupBy(one => one.Routine).OrderByDescending(group => group.Count()).ThenBy(group => group.Key).FirstOrDefault()
            is not { } routine || _modules.Find(routine.Key, routine.First().ToTicks) is not { } image)
        {
            return;
        }

        if (main.Mechanism is Mechanism.Dpc or Mechanism.Isr
            && routine.All(blackout => blackout is { IsElsewhereAlive: false, MayBeClock: false }))
        {
            evidence.Add("No CPU showed life while it ran: a device that it touched may have stalled the machine; firmware can't be "
                + "excluded.");
        }

        int inside = routine.Count();
        RoutineCounts counts = _findings.Machine.Routines;
        long others = counts.RunsOf(routine.Key, isIsr: true) + counts.RunsOf(routine.Key, isIsr: false) - inside;
        evidence.Add(Text(
            $"Of {Counted.Of(blackouts.Count, "blackout")} within ISRs or DPCs, {inside} fell into one routine of {image.Name}, "
            + $"which also had {Counted.Of(Math.Max(0, others), "run")} without a blackout."));
    }

    private void AddFirmware(List<string> evidence, Suspect suspect, NamedCause main)
    {
        if (main.Method is not null)
        {
            string methods = string.Join(", ", suspect.Parts.Where(part => part.Cause.Method is not null)
                .GroupBy(part => part.Cause.Method!).OrderByDescending(method => method.Count())
                .ThenBy(method => method.Key, StringComparer.Ordinal).Take(3).Select(method => Text($"{method.Key} ({method.Count()}x)")));
            evidence.Add(Text($"Firmware method running meanwhile: {methods}."));
        }
        else if (main.Image is { } image && _modules.RoleOf(image) == ModuleRole.Firmware)
        {
            evidence.Add(_facts.AcpiMethods.Count > 0
                ? "It runs the firmware's methods, but none was recorded near these times."
                : "It runs the firmware's methods (AML): record the provider Microsoft-Windows-Kernel-Acpi to name the method.");
        }
    }
}
