using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>
/// Everything about one mechanism: its thresholds, the naming of its parts with their confidence, the sentences of evidence, and its words
/// in the verdict. One file for each; <see cref="MechanismPages"/> lists them.
/// </summary>
internal abstract class MechanismPage
{
    /// <summary>What the culprit did, as a phrase of the verdict's sentence, unless there is a phrase for the culprit's kind.</summary>
    public abstract string Did { get; }

    /// <summary>Which doing of the culprit kept a CPU, as the subject of a sentence: its DPCs, its threads.</summary>
    protected virtual string Keeper(Culprit culprit) => culprit.Kind switch
    {
        CulpritKind.Process => $"threads of {culprit.Name}",
        CulpritKind.Driver or CulpritKind.Kernel => $"code of {culprit.Name}",
        _ => culprit.Name,
    };

    /// <summary>What happened on a CPU while nobody measured waited, as a sentence that goes on with for how long.</summary>
    public virtual string Kept(Culprit culprit, int cpu) =>
        Text($"{Keeper(culprit)} kept {(culprit.Kind == CulpritKind.Process ? "ordinary threads off " : string.Empty)}CPU {cpu}");

    /// <summary>Whether the mechanism begins because the victim is woken. Then its beat would be the victim's own.</summary>
    public virtual bool BeginsWithVictim => false;

    /// <summary>Whether a part without a name has an owner all the same, one that the trace does not show.</summary>
    public virtual bool IsSomebodys => true;

    public abstract NamedCause Name(CauseShare share, CauseNaming naming);

    /// <summary>The highest confidence that the owner of a part may get, by what is known of the part.</summary>
    /// <param name="isOfHog">Whether the victim is of ordinary priority and waited for a hog.</param>
    public virtual Confidence AtMost(CauseShare share, bool isOfHog) => CulpritConfidence.Uncapped;

    /// <summary>Several named parts that take the place of the part; null where it stays one.</summary>
    public virtual IReadOnlyList<NamedCause>? Instead(CauseShare share, CauseNaming naming) => null;

    /// <summary>Splits a named part where only some of it is its owner's doing.</summary>
    public virtual IReadOnlyList<NamedCause> Split(CauseShare share, NamedCause named, CauseNaming naming) => [named];

    /// <summary>What the culprit did, where this phrase takes precedence over one for the culprit's kind; null for none.</summary>
    public virtual string? DidWhatever(Suspect suspect) => null;

    /// <summary>Adds the sentences of evidence that come first.</summary>
    public virtual void AddFirst(List<string> evidence, EvidenceCase about)
    {
    }

    /// <summary>Adds the sentences of evidence that come last.</summary>
    public virtual void AddLast(List<string> evidence, EvidenceCase about)
    {
    }

    /// <summary>
    /// Since when the work of a stretch was pending, in ticks. Work that arrives on its own does so at that time whether the victim still
    /// waits or not. Work on the victim's own way is done whenever its turn comes; for that the answer is <see cref="long.MinValue"/>.
    /// </summary>
    public virtual long SinceOf(in CauseStretch stretch) => long.MinValue;

    /// <summary>Formats a sentence in the invariant culture.</summary>
    protected static string Text(InvariantText text) => text.Take();
}

/// <summary>One suspect, for the sentences of evidence about it.</summary>
/// <param name="Main">The part that stands for its main mechanism.</param>
/// <param name="Worst">The episode in which its time is the longest.</param>
internal sealed record EvidenceCase(
    Suspect Suspect, NamedCause Main, NamedEpisode Worst, BlameFindings Findings, CauseNaming Naming)
{
    public IEnumerable<NamedCause> Causes => Suspect.Parts.Select(part => part.Cause);

    /// <summary>A count as text, such as "once".</summary>
    public static string Times(int count) => count == 1 ? "once" : string.Create(CultureInfo.InvariantCulture, $"{count:N0} times");

    public string Length(long ticks) => ReadableDuration.Of(Findings.Length(ticks));
}
