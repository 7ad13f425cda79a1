using Tracer.Capture.Engine;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Doctor;

/// <summary>
/// Proves the whole way on this machine: provokes a delay whose culprit is known, captures it with the real engine, merges and blames it,
/// and has Windows' own reader count what ours counts. A step that fails is told in one line, and the others are tried all the same.
/// </summary>
public sealed class ProofRun(ProofSetup setup)
{
    private const int DifferencesNamed = 3;
    private const string WithoutTrace = "there is no trace of it";

    /// <summary>Runs all of it; some ten seconds.</summary>
    public ProofFindings Run(Action<MachineCheck> told)
    {
        ArgumentNullException.ThrowIfNull(told);
        CapturedEpisode? episode = Try(told, "known delay captured", Capture);
        var findings = new ProofFindings { Episode = episode, Delay = DelayOf(episode) };
        if (episode is null)
        {
            told(new MachineCheck("known delay blamed", CheckOutcome.Skipped, WithoutTrace));
            told(new MachineCheck("Windows' own reader", CheckOutcome.Skipped, WithoutTrace));
            told(new MachineCheck("kernel images with ids", CheckOutcome.Skipped, WithoutTrace));
        }
        else
        {
            findings = findings with
            {
                Blame = Try(told, "known delay blamed", () => Blamed(episode.File)),
                Ours = Try(told, "our reader", () => CountedBy(setup.Own, episode.File)),
                Windows = Try(told, "Windows' own reader", () => CountedBy(setup.System, episode.File)),
            };
            findings = Compare(told, findings);
            Try(told, "kernel images with ids", () => Identified(episode));
        }

        told(new MachineCheck(
            "delay by the driver", CheckOutcome.Skipped, "it offers none: nobody should be able to ask it to keep a CPU"));
        return findings;
    }

    private static T? Try<T>(Action<MachineCheck> told, string name, Func<Step<T>> step)
        where T : class
    {
        Step<T> result;
        try
        {
            result = step();
        }
#pragma warning disable CA1031 // Whatever a step meets is what the user asked for.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            result = new Step<T>(null, CheckOutcome.Fail, failure.Message);
        }

        told(new MachineCheck(name, result.Outcome, result.Finding, result.Why));
        return result.Value;
    }

    private static ProofFindings Compare(Action<MachineCheck> told, ProofFindings findings)
    {
        if (findings is not { Ours: { } ours, Windows: { } windows })
        {
            told(new MachineCheck("both readers agree", CheckOutcome.Skipped, "only one of them counted"));
            return findings;
        }

        IReadOnlyList<TallyDifference> classes = TallyComparison.Classes(ours, windows);
        IReadOnlyList<TallyDifference> wakeups = TallyComparison.Wakeups(ours, windows);
        IReadOnlyList<TallyDifference> stacks = TallyComparison.Stacks(ours, windows);
        Tell("classes in both readers", classes, ours.Classes.Count, "event class");
        Tell("wake-ups in both readers", wakeups, ours.Wakeups, "wake-up");
        Tell("stacks in both readers", stacks, ours.Stacks, "stack");
        return findings with { Differences = [.. classes, .. wakeups, .. stacks] };

        void Tell(string name, IReadOnlyList<TallyDifference> differences, long count, string what)
        {
            IEnumerable<string> named = differences.Take(DifferencesNamed).Select(static one =>
                Number($"{one.What}: {one.Ours:#,0} by ours, {one.Windows:#,0} by Windows'"));
            string more = differences.Count > DifferencesNamed ? Number($"; and {differences.Count - DifferencesNamed:#,0} more") : "";
            told(differences.Count == 0 && count == 0 ? new MachineCheck(name, CheckOutcome.Skipped, $"the trace has no {what}")
                : differences.Count == 0 ? MachineCheck.Ok(name, $"the same: {Counted.Of(count, what)}")
                : new MachineCheck(name, CheckOutcome.Fail, string.Join("; ", named) + more, "one of the two reads the file wrong"));
        }
    }

    private static string Number(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static Step<ProofTally> CountedBy(ITraceTally reader, string path)
    {
        ProofTally tally = reader.Count(path);
        string finding = $"{reader.Reader}: {Counted.Of(tally.Events, "event")}, {Counted.Of(tally.Stacks, "stack")}, "
            + Counted.Of(tally.Wakeups, "wake-up");
        return tally.Events == 0
            ? new Step<ProofTally>(tally, CheckOutcome.Fail, finding, "a trace that is read as empty is not read")
            : new Step<ProofTally>(tally, CheckOutcome.Ok, finding);
    }

    /// <summary>Images that exist in memory only, such as those of a crash dump (dump_*.sys), never have one.</summary>
    private static Step<CapturedEpisode> Identified(CapturedEpisode episode)
    {
        const double LeastShare = 0.9;
        var share = KernelImageShare.Of(episode.File);
        string finding = Number($"{share.WithIds:#,0} of {share.Images:#,0}");
        return share.Images == 0 ? new Step<CapturedEpisode>(null, CheckOutcome.Fail, "no image is listed", "code would have no names")
            : share.WithIds >= LeastShare * share.Images ? new Step<CapturedEpisode>(episode, CheckOutcome.Ok, finding)
            : new Step<CapturedEpisode>(
                episode, CheckOutcome.Warn, finding, "their PDBs are not known: functions have no names, vendors are not known");
    }

    private Step<CapturedEpisode> Capture()
    {
        var options = new CaptureOptions
        {
            Threshold = setup.Threshold,
            OutputPath = Path.Combine(setup.Folder, "proof.etl"),
            Duration = setup.Patience,
            MaxEpisodes = ProofSetup.MostEpisodes,
            Pre = Duration.FromMilliseconds(500),
            Post = Duration.FromMilliseconds(100),
        };
        CaptureResult result;
        using (var watch = new ProofWatch(setup))
        {
            var engine = new CaptureEngine(options, setup.Machine, setup.Triggers(options), static _ => null, watch);
            result = engine.Run(watch.Finish);
            if (watch.Known is { } known)
            {
                string latency = ReadableDuration.Of(known.Latency);
                string kept = ReadableDuration.Of(new Duration(100 * setup.Delay.Length.Ticks));
                return new Step<CapturedEpisode>(
                    known, CheckOutcome.Ok, Number($"{latency} late on CPU {known.Cpu}, which we kept busy for {kept}"));
            }
        }

        return setup.Delay.Provoked.Count == 0
            ? new Step<CapturedEpisode>(
                null, CheckOutcome.Fail, Number($"CPU {setup.Delay.Cpu} could not be kept busy: Windows did not give the priority for it"),
                "without a known delay nothing is proved")
            : new Step<CapturedEpisode>(
                null, CheckOutcome.Fail,
                Number($"CPU {setup.Delay.Cpu} was kept busy {setup.Delay.Provoked.Count} times, ")
                    + $"{Counted.Of(result.Status.EpisodesSeen, "episode")} seen, and none of them is that",
                "a capture would miss what it is for");
    }

    private Step<BlameReport> Blamed(string path)
    {
        if (setup.Blame(path) is not { } report)
        {
            return new Step<BlameReport>(null, CheckOutcome.Fail, "the trace could not be analysed", "blame is what it is all for");
        }

        Culprit? first = report.Culprits.Count > 0 ? report.Culprits[0] : null;
        string verdict = KebabCase.Of(report.Summary.Verdict);
        string finding = first is null ? verdict : Number($"{verdict} {first.Name}, {100 * first.Share:0} % of the late time");
        bool isRight = report.Summary.Verdict == Verdict.Process
            && string.Equals(report.Summary.Culprit, setup.Delay.ProcessName, StringComparison.OrdinalIgnoreCase);
        return isRight
            ? new Step<BlameReport>(report, CheckOutcome.Ok, finding)
            : new Step<BlameReport>(
                report, CheckOutcome.Fail, $"{finding}; it was the process {setup.Delay.ProcessName}",
                "a verdict on an unknown delay would be worth no more");
    }

    private ProofDelay DelayOf(CapturedEpisode? episode) => new()
    {
        Process = setup.Delay.ProcessName,
        Cpu = setup.Delay.Cpu,
        ProvokedUs = setup.Delay.Length.TotalMicroseconds,
        Times = setup.Delay.Provoked.Count,
        CapturedUs = episode is null ? null : episode.Latency.Nanoseconds / 1e3,
        Trace = episode is null ? null : ProofFindings.TraceName,
    };

    private readonly record struct Step<T>(T? Value, CheckOutcome Outcome, string Finding, string? Why = null)
        where T : class;
}
