using Tracer.Analysis.Beats;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>Makes the section of the culprits: share, evidence, beat and what would be left without each.</summary>
internal sealed class CulpritMaker
{
    /// <summary>Most functions of a list.</summary>
    public const int MostFunctions = 50;

    private readonly BlameFindings _findings;
    private readonly Judgement _judged;
    private readonly BeatSearch _beats;
    private readonly CodePaths _paths;

    public CulpritMaker(BlameFindings findings, CauseNaming naming, Judgement judged)
    {
        (_findings, _judged) = (findings, judged);
        Evidence = new Evidence(findings, naming);
        Left = new WithoutCulprits(findings, judged, findings.ThresholdTicks, findings.Ticks(LevelGap.Longest));
        _beats = new BeatSearch(findings, [.. judged.Suspects, .. judged.Seconds], judged.Table);
        _paths = new CodePaths(findings, naming, judged.Episodes);
    }

    /// <summary>The sentences about a suspect.</summary>
    public Evidence Evidence { get; }

    /// <summary>What would be left without somebody.</summary>
    public WithoutCulprits Left { get; }

    /// <param name="ranked">The suspects of one ranking, in order.</param>
    /// <param name="ticks">The latency of its episodes, in ticks.</param>
    /// <param name="of">The number of its episodes.</param>
    public List<Culprit> Make(List<Suspect> ranked, long ticks, int of, bool isSecond) =>
    [
        .. ranked.Select((suspect, index) => WithCodePaths(CulpritOf(
            suspect, index + 1, ticks, of, _beats.Of(suspect), Left.Without(suspect, index + 1, isSecond), Evidence.Of(suspect, of)))),
    ];

    private Duration Length(long ticks) => _findings.Length(ticks);

    private Culprit CulpritOf(
        Suspect suspect,
        int rank,
        long allTicks,
        int episodes,
        (Period? Period, IReadOnlyList<string> Sentences, Beat Beat)? beat,
        WithoutCulprit? without,
        IReadOnlyList<string> evidence)
    {
        NamedCause main = suspect.Main;
        List<FunctionTime> functions = [.. suspect.Parts.Where(part => part.Cause.Routine is not null)
            .GroupBy(part => part.Cause.Routine!)
            .Select(group => (
                Name: group.Key, Ticks: group.Sum(part => part.Cause.Ticks), Samples: group.Sum(part => SamplesOf(part.Cause))))
            .OrderByDescending(function => function.Ticks).ThenBy(function => function.Name, StringComparer.Ordinal).Take(MostFunctions)
            .Select(function => new FunctionTime { Name = function.Name, Time = Length(function.Ticks), Samples = function.Samples })];
        return new Culprit
        {
            Rank = rank,
            Kind = suspect.Kind,
            Name = suspect.Name,
            Mechanism = suspect.Mechanism,
            Share = allTicks > 0 ? suspect.Ticks / (double)allTicks : 0,
            Blamed = Length(suspect.Ticks),
            Episodes = suspect.Episodes,
            Worst = Length(suspect.WorstTicks),
            Confidence = suspect.Confidence,
            Proof = main.Proof,
            Through = main.Through,
            Functions = functions,
            Period = beat?.Period,
            Without = without,
            Image = main.Image?.Description,
            RunsFirmware = suspect.Kind == CulpritKind.Driver && main.Image is { } own
                && _findings.Modules.RoleOf(own) == ModuleRole.Firmware,
            Device = main.Image is { } image ? _findings.Facts.Devices.DeviceOf(image.Name) : null,
            Caller = CallerOf(suspect),
            Evidence =
            [
                .. evidence,
                .. beat?.Sentences ?? [],
                .. Spread.Growth(suspect, _findings) is { } growth ? [growth] : (string[])[],
            ],
            Votes = CaseVotes.Of(suspect, episodes, beat?.Beat, without, _judged.Table, _findings.Causes.Blackouts.Proven),
        };
    }

    /// <summary>
    /// The process whose thread was in the driver's code in most of its blackouts, or in most episodes in which it kept IRQL raised; null
    /// where there is none.
    /// </summary>
    private static CulpritCaller? CallerOf(Suspect suspect)
    {
        if (suspect.Kind != CulpritKind.Driver)
        {
            return null;
        }

        List<IGrouping<object, string?>> times = [.. suspect.Parts
            .Where(part => part.Cause.Mechanism is Mechanism.Blackout or Mechanism.RaisedIrql)
            .GroupBy(part => (object?)part.Cause.Blackout ?? part.Episode, part => part.Cause.ProcessName,
                (IEqualityComparer<object>)ReferenceEqualityComparer.Instance)];
        return times.Select(time => time.FirstOrDefault(process => process is not null)).OfType<string>()
            .GroupBy(process => process, StringComparer.OrdinalIgnoreCase)
            .Where(process => 2 * process.Count() >= times.Count)
            .OrderByDescending(process => process.Count()).ThenBy(process => process.Key, StringComparer.OrdinalIgnoreCase)
            .Select(process => new CulpritCaller(process.Key, process.Count(), times.Count)).FirstOrDefault();
    }

    private Culprit WithCodePaths(Culprit culprit) =>
        culprit.Kind is CulpritKind.Driver or CulpritKind.Kernel && culprit.Mechanism is Mechanism.Isr or Mechanism.Dpc
            ? culprit with
            {
                Evidence =
                [
                    .. culprit.Evidence,
                    .. _paths.Of(_judged.Table.Find(culprit.Name), 1),
                    .. Spread.OnOne(_judged.Table.Find(culprit.Name), _findings) is { } one ? [one] : (string[])[],
                ],
            }
            : culprit;

    /// <summary>
    /// The number of samples behind a cause. At the edges of a blackout that is one; the count in its finding is of blackouts.
    /// </summary>
    private static int SamplesOf(NamedCause cause) =>
        cause.Finding is not { VotedBy: null } finding ? 0 : cause.Proof == Proof.Edges ? 1 : finding.Samples;
}
