using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>
/// Builds the case for and against the suspect that the user names: every fact that the trace has about it, and what the trace lacks.
/// </summary>
internal sealed class SuspectCaseBuilder
{
    /// <summary>
    /// Code at the edges of blackouts speaks for guilt if it is there at least this many times as often as among all samples. Below twice
    /// chance may explain it.
    /// </summary>
    private const double TellingTimes = 2;

    private const int CodePathsShown = 3;

    private readonly BlameFindings _findings;
    private readonly CodePaths _paths;
    private readonly DriverTable _table;
    private readonly IReadOnlyList<NamedEpisode> _episodes;
    private readonly List<Suspect> _ranked;
    private readonly List<Suspect> _seconds;
    private readonly HashSet<NamedEpisode> _rankedEpisodes;
    private readonly Evidence _evidence;
    private readonly IReadOnlyList<string> _missing;
    private readonly bool _canTell;
    private readonly long _thresholdTicks;
    private readonly long _allTicks;
    private readonly List<string> _for = [];
    private readonly List<string> _against = [];
    private readonly List<string> _facts = [];
    private readonly List<string> _lacks = [];

    /// <param name="missing">The keywords of what was not recorded.</param>
    public SuspectCaseBuilder(
        BlameFindings findings, CauseNaming naming, Judgement judged, Evidence evidence, IReadOnlyList<string> missing)
    {
        _findings = findings;
        _paths = new CodePaths(findings, naming, judged.Episodes);
        _table = judged.Table;
        _episodes = judged.Episodes;
        _ranked = judged.Suspects;
        _seconds = judged.Seconds;
        _rankedEpisodes = new HashSet<NamedEpisode>(judged.First.Concat(judged.Second), ReferenceEqualityComparer.Instance);
        _evidence = evidence;
        _missing = missing;
        _canTell = judged.Unearned is null or { Kind: UnearnedKind.FewWaits };
        _allTicks = judged.Episodes.Sum(episode => episode.Candidate.LatencyTicks);
        _thresholdTicks = findings.ThresholdTicks;
    }

    public SuspectCase Make(string asked)
    {
        var names = new SuspectNames(_findings, _episodes, _table);
        if (names.Find(asked) is not { } named)
        {
            return new SuspectCase
            {
                Name = asked,
                Found = false,
                Kind = null,
                Verdict = SuspectVerdict.Unknown,
                SpeaksFor = [],
                SpeaksAgainst = [],
                Facts = [],
                Lacks = _findings.Summary.Has.Images ? [] : ["The trace has no list of the drivers: record LOADER."],
                Nearest = names.NearestTo(asked),
            };
        }

        var suspect = new Suspect { Kind = named.Kind, Name = named.Name };
        suspect.Parts.AddRange(_episodes.SelectMany(episode => episode.Causes
            .Where(cause => IsIts(cause.Name, named) && (cause.Kind == CulpritKind.Process) == (named.Kind == CulpritKind.Process))
            .Select(cause => (episode, cause))));
        AddParts(suspect);
        switch (named.Kind)
        {
            case CulpritKind.Process:
                AddProcess(named);
                break;
            case CulpritKind.Driver or CulpritKind.Kernel when named.Name != CulpritName.HardPageFaults:
                AddRoutines(named);
                AddFramework(named);
                AddEdges(named);
                AddFile(named);
                break;
        }

        AddBlackouts(named);
        if (suspect.Parts.Count == 0 && named.Kind == CulpritKind.Power && !_findings.Summary.Has.Power)
        {
            _lacks.Add("Idle states and frequencies are not recorded: record POWER.");
        }
        else if (suspect.Parts.Count == 0 && named.Name == CulpritName.HardPageFaults)
        {
            _lacks.Add("Hard page faults show only where they were recorded: HARD_FAULTS.");
        }

        AddLacks(named);
        return new SuspectCase
        {
            Name = named.Name,
            Found = true,
            Kind = named.Kind,
            Verdict = VerdictOf(suspect),
            SpeaksFor = _for,
            SpeaksAgainst = _against,
            Facts = _facts,
            Lacks = _lacks,
        };
    }

    private static string Text(InvariantText text) => text.Take();

    private static bool IsIts(string? name, NamedSuspect suspect) =>
        string.Equals(name, suspect.Name, StringComparison.OrdinalIgnoreCase);

    private static string Percent(double share) => ReadablePercent.Of(share);

    private string Length(long ticks) => ReadableDuration.Of(_findings.Length(ticks));

    private double ShareOf(long ticks) => _allTicks > 0 ? ticks / (double)_allTicks : 0;

    /// <summary>The time without a known owner, of causes that must have one, in ticks.</summary>
    private long UnownedTicks() => _episodes.SelectMany(episode => episode.Causes)
        .Where(cause => cause.Name is null
            && MechanismPages.Of(cause.Mechanism).IsSomebodys)
        .Sum(cause => cause.Ticks);

    private SuspectVerdict VerdictOf(Suspect suspect)
    {
        if (suspect.Parts.Count == 0)
        {
            return _canTell && WouldShow(suspect) && ShareOf(UnownedTicks()) < CulpritThresholds.MuchUnowned
                ? SuspectVerdict.Innocent
                : SuspectVerdict.Unknown;
        }

        int rank = RankOf(suspect);
        bool isMuch = rank == 1 || (rank > 0 && ShareOf(suspect.Ticks) >= CulpritThresholds.GuiltyShare);
        return isMuch && suspect.Confidence != Confidence.Possible ? SuspectVerdict.Guilty : SuspectVerdict.Involved;
    }

    /// <summary>Whether the trace has the records that would show a part of this suspect.</summary>
    private bool WouldShow(Suspect suspect) => suspect.Kind switch
    {
        CulpritKind.Hardware => _findings.Summary.Has.Samples,
        CulpritKind.Power => _findings.Summary.Has.Power,
        CulpritKind.Process => _findings.Summary.Has.ContextSwitches,
        _ => suspect.Name != CulpritName.HardPageFaults && _findings.Summary.Has.IsrDpc,
    };

    /// <summary>The suspect's rank among the owners that are culprits, from 1; 0 where it is none.</summary>
    private int RankOf(Suspect suspect) => RankIn(_ranked, suspect);

    private static int RankIn(List<Suspect> ranked, Suspect suspect) =>
        1 + OwnersOf(ranked).IndexOf((suspect.Kind, KeyOf(suspect.Name)));

    /// <summary>The owners that are culprits, whatever they did, in their order.</summary>
    private static List<(CulpritKind Kind, string Name)> OwnersOf(List<Suspect> ranked) =>
        [.. ranked.Select(one => (one.Kind, KeyOf(one.Name))).Distinct()];

    private static string KeyOf(string name) => name.ToUpperInvariant();

    private void AddParts(Suspect suspect)
    {
        if (suspect.Parts.Count == 0)
        {
            if (_episodes.Count > 0)
            {
                string which = _episodes.Count == 1 ? "the episode" : "any of the " + Counted.Of(_episodes.Count, "episode");
                _against.Add(UnownedTicks() == 0
                    ? Text($"It has no part in {which}.")
                    : Text($"Nothing in {which} is known to be its doing."));
            }
            else if (_canTell)
            {
                _against.Add(Text($"Nothing was late: no latency reached {ReadableDuration.Of(_findings.Request.Threshold)}."));
            }

            return;
        }

        int rank = RankOf(suspect);
        string part = Text($"{Length(suspect.Ticks)} of {Length(_allTicks)} of late time ({Percent(ShareOf(suspect.Ticks))})");
        _for.Add(rank > 0
            ? Text($"It is number {rank} of {Counted.Of(OwnersOf(_ranked).Count, "culprit")}, with {part}.")
            : RankIn(_seconds, suspect) is > 0 and var second
            ? Text($"It has {part}, and is number {second} of {OwnersOf(_seconds).Count} of those that no measured thread waited for.")
            : !suspect.Parts.Exists(one => _rankedEpisodes.Contains(one.Episode))
            ? Text($"It has {part}, in episodes that the granularity of timers explains.")
            : Text($"It has {part}, less than a culprit has: {CulpritThresholds.LeastShare * 100:0} % of all, or ")
                + Text($"{CulpritThresholds.LeastPartOfEpisode * 100:0} % of an episode."));
        string ties = string.Join(", ", suspect.Parts.GroupBy(one => (one.Cause.Mechanism, one.Cause.Proof))
            .OrderByDescending(group => group.Sum(one => one.Cause.Ticks)).ThenBy(group => group.Key)
            .Select(group => Text($"{KebabCase.Of(group.Key.Mechanism)} by {KebabCase.Of(group.Key.Proof)} ")
                + Text($"{group.Count():N0}x ({Length(group.Sum(one => one.Cause.Ticks))})")));
        _for.Add(Text($"What ties it to that time: {ties}."));
        _for.AddRange(_evidence.Of(suspect, _episodes.Count));
        if (suspect.Confidence == Confidence.Possible)
        {
            _against.Add("That evidence fits something else as well: it is no more than possible.");
        }

        if (rank > 1)
        {
            long most = _ranked.Where(one => (one.Kind, KeyOf(one.Name)) == OwnersOf(_ranked)[0]).Sum(one => one.Ticks);
            _against.Add(Text($"{_ranked[0].Name} has more: {Length(most)} ({Percent(ShareOf(most))})."));
        }
    }

    private void AddRoutines(NamedSuspect named)
    {
        DriverTable.Row? row = _table.Find(named.Name);
        bool isCaller = AddRunForOthers(named);
        if (row is null)
        {
            if (_findings.Summary.Has.IsrDpc && !isCaller)
            {
                _against.Add("No ISR and no DPC of what was asked about is known to be its own.");
            }

            return;
        }

        AddTimes("ISRs", row.Isr);
        AddTimes("DPCs", row.Dpc);
        int place = 1 + _table.Rows.TakeWhile(other => other != row).Count();
        _facts.Add(Text($"By total time in ISRs and DPCs it is number {place} of {_table.Rows.Count()}."));
        AddLongest(row);
        long inside = row.Routines.Where(routine => routine.Image is { } image && !IsIts(image.Name, named))
            .Sum(routine => routine.Counts.Times.TotalTicks);
        if (inside > 0)
        {
            string callers = string.Join(", ", row.Routines.Where(routine => routine.Image is { } image && !IsIts(image.Name, named))
                .Select(routine => routine.Image!.Name).Distinct(StringComparer.OrdinalIgnoreCase).Order(StringComparer.OrdinalIgnoreCase));
            _facts.Add(Text($"{Length(inside)} of its time ran in routines of {callers}, which called it: ")
                + "other tools count that for them.");
        }

        if (row.QueuedTicks is { } queued)
        {
            _facts.Add(Text($"One of its DPCs stood in the queue for {Length(queued)} before it ran: that is what it suffered itself."));
        }

        _facts.AddRange(_paths.Of(row, CodePathsShown));
    }

    /// <summary>Says which runs of a framework's routines were the code of other drivers: these count for those drivers.</summary>
    private bool AddRunForOthers(NamedSuspect named)
    {
        (string Owner, RoutineCount Counts)[] others =
        [
            .. _table.Rows.Where(row => !IsIts(row.Name, named)).SelectMany(row => row.Routines
                .Where(routine => IsIts(routine.Image?.Name, named)).Select(routine => (row.Name, routine.Counts))),
        ];
        if (others.Length > 0)
        {
            string owners = string.Join(", ", others.Select(one => one.Owner).Distinct(StringComparer.Ordinal).Take(4));
            _against.Add(Text($"In {Counted.Of(others.Sum(one => one.Counts.Times.Count), "run")} of its routines, ")
                + Text($"{Length(others.Sum(one => one.Counts.Times.TotalTicks))} in all, the code was {owners}'s, which it called."));
        }

        return others.Length > 0;
    }

    private void AddTimes(string what, RunTimes times)
    {
        if (times.Counts.Count > 0)
        {
            _facts.Add(Text($"{times.Counts.Count:N0} {what}, {Length(times.TotalTicks)} in all, the longest {Length(times.MaxTicks)}, ")
                + Text($"99 % of them at most {Length(Math.Min(times.Counts.Percentile(99), times.MaxTicks))}."));
        }
    }

    private void AddLongest(DriverTable.Row row)
    {
        RunFacts facts = row.LongestFacts;
        string longest = Text($"Its longest ISR or DPC took {Length(row.MaxTicks)}");
        string where = row.Longest is { } run
            ? Text($", at {ReadableDuration.At(_findings.Time(run.StartTicks))} on CPU {run.Cpu}")
            : string.Empty;
        bool knowsWaits = _findings is { Delays.Waits.Count: > 0, Machine.Routines.MissesWaits: false } && row.IsWatched;
        string waited = !knowsWaits ? string.Empty
            : facts.LongestWaitTicks > 0 ? Text($"; a measured thread waited {Length(facts.LongestWaitTicks)} for that CPU meanwhile")
            : "; no measured thread waited for that CPU then";
        bool isHarmless = row.MaxTicks < _thresholdTicks || (knowsWaits && facts.LongestWaitTicks == 0);
        string below = row.MaxTicks < _thresholdTicks
            ? Text($", below the threshold of {ReadableDuration.Of(_findings.Request.Threshold)}")
            : string.Empty;
        (isHarmless ? _against : _for).Add(longest + below + where + waited + ".");
        if (knowsWaits)
        {
            (row.Waited == 0 ? _against : _facts).Add(row.Waited == 0
                ? Text($"A measured thread waited for the CPU in none of its {Counted.Of(row.Runs, "run")}.")
                : Text($"A measured thread waited for the CPU in {row.Waited:N0} of its {Counted.Of(row.Runs, "run")}."));
        }
    }

    /// <summary>Says which drivers ran behind the suspect, where it is a framework.</summary>
    private void AddFramework(NamedSuspect named)
    {
        List<NamedCause> behind = [.. _episodes.SelectMany(episode => episode.Causes)
            .Where(cause => cause.Through.Contains(named.Name, StringComparer.OrdinalIgnoreCase) && !IsIts(cause.Name, named))];
        if (behind.Count > 0)
        {
            string owners = string.Join(", ", behind.GroupBy(cause => cause.Name ?? "an unknown driver", StringComparer.OrdinalIgnoreCase)
                .OrderByDescending(group => group.Sum(cause => cause.Ticks)).ThenBy(group => group.Key, StringComparer.Ordinal).Take(3)
                .Select(group => Text($"{group.Key} ({Length(group.Sum(cause => cause.Ticks))})")));
            _against.Add(Text($"It only called those whose code took the time: {owners}."));
        }

        long unknown = _episodes.SelectMany(episode => episode.Causes).Where(cause => cause.Name is null && IsIts(cause.Behind, named))
            .Sum(cause => cause.Ticks);
        if (unknown > 0)
        {
            _lacks.Add(Text($"{Length(unknown)} ran behind it for a driver that the trace does not show: ")
                + "record WDF_DPC and WDF_INTERRUPT, and stacks on PROFILE.");
        }
    }

    private void AddEdges(NamedSuspect named)
    {
        IReadOnlyList<Blackout> blackouts = _findings.Causes.Blackouts.Proven;
        int at = blackouts.Count(blackout => blackout.Edges.Any(edge => IsIts(edge.Owner?.Owner?.Name, named)));
        long hits = named.Image is { } image ? _findings.Shares.Of(image) : 0;
        double samples = hits / (double)Math.Max(1, _findings.Shares.Busy);
        if (named.Image is not null && _findings.Shares.Busy > 0)
        {
            _facts.Add(Text($"{hits:N0} of {Counted.Of(_findings.Shares.Busy, "sample")} of busy CPUs hit its code ({Percent(samples)})."));
        }

        if (at > 0)
        {
            double share = at / (double)blackouts.Count;
            bool isTelling = at > 1 && share >= TellingTimes * samples;
            (isTelling ? _for : _against).Add(Text($"Its code stands at the edges of {at} of {Counted.Of(blackouts.Count, "blackout")}: ")
                + (isTelling ? "at least twice as often as samples hit it." : "chance may explain that."));
        }
    }

    private void AddFile(NamedSuspect named)
    {
        if (named.Image?.Description is { } file)
        {
            string?[] parts = [file.Path, file.Version is { } version ? "version " + version : null, file.Company];
            _facts.Add(Text($"Its file: {string.Join(", ", parts.Where(part => part is not null))}."));
        }

        if (_findings.Facts.Devices.DeviceOf(named.Name) is { } device)
        {
            _facts.Add(Text($"It drives {device}."));
        }
    }

    private void AddProcess(NamedSuspect named)
    {
        List<NamedCause> interrupted = [.. _episodes.SelectMany(episode => episode.Causes)
            .Where(cause => cause.Mechanism == Mechanism.RaisedIrql && IsIts(cause.ProcessName, named))];
        if (interrupted.Count > 0)
        {
            string owner = interrupted.MaxBy(cause => cause.Ticks)!.Name ?? "a driver";
            _against.Add(Text($"Its threads were on the CPU in {Counted.Of(interrupted.Count, "part")} of episodes, ")
                + Text($"but in kernel code of {owner}: ")
                + "a process does not answer for what a driver does in its threads.");
        }

        int victims = _episodes.Count(episode => episode.Candidate.ThreadId is { } thread
            && _findings.Facts.Threads.ProcessOf(thread, episode.Candidate.ToTicks) is { } process
            && IsIts(_findings.Facts.Threads.NameOf(process, episode.Candidate.ToTicks), named));
        if (victims > 0)
        {
            _facts.Add(Text($"It was the victim itself in {Counted.Of(victims, "episode")}."));
        }
    }

    private void AddBlackouts(NamedSuspect named)
    {
        if (named.Kind != CulpritKind.Hardware)
        {
            return;
        }

        IReadOnlyList<Blackout> found = _findings.Causes.Blackouts.Proven;
        if (found.Count == 0)
        {
            (bool hasSamples, bool isWhole) = (_findings.Summary.Has.Samples, !_findings.HasLosses);
            (hasSamples && isWhole ? _against : _lacks).Add(
                !hasSamples ? "Without samples no blackout shows: record PROFILE."
                : isWhole ? "No busy CPU missed a profile sample that was due: no blackout."
                : "No blackout is seen, but records are missing, and there may be one among them.");
            return;
        }

        int whole = found.Count(blackout => blackout.IsWholeMachine);
        _facts.Add(Text($"{Counted.Of(found.Count, "blackout")} in the trace, {whole} of them of the whole machine; a driver's code ")
            + Text($"explains {found.Count(blackout => blackout.Owner?.Owner is not null)}."));
    }

    private void AddLacks(NamedSuspect named)
    {
        if (_missing.Count > 0)
        {
            _lacks.Add(Text($"Not recorded: {string.Join(", ", _missing)}."));
        }

        if (named.Kind == CulpritKind.Process)
        {
            return;
        }

        RecordedKinds has = _findings.Summary.Has;
        if (UnownedTicks() is > 0 and var unowned)
        {
            _lacks.Add(Text($"{Length(unowned)} of the late time ({Percent(ShareOf(unowned))}) has no known owner: it may be anybody's."));
        }

        if (named.Kind == CulpritKind.Driver && has.Samples && !has.Stacks)
        {
            _lacks.Add("Stacks on PROFILE would show what it called and who called it.");
        }

        if (named.Kind == CulpritKind.Driver && has.IsrDpc && !has.DpcQueue)
        {
            _lacks.Add("DPC_QUEUE would show how long its DPCs stood in the queue, and which others waited behind them.");
        }
    }
}
