using System.Globalization;
using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// What belongs to one mechanism: its thresholds, the name that a part of an episode gets and how sure it is, the sentences of evidence,
/// the words of the verdict. One file each; <see cref="Mechanisms"/> lists them.
/// </summary>
internal abstract class MechanismPage
{
    /// <summary>What its culprit did, as the verdict's sentence says it where nothing of the culprit's kind is to be said.</summary>
    public abstract string Did { get; }

    /// <summary>Whether it begins because the victim is called: its beat would be the victim's.</summary>
    public virtual bool BeginsWithVictim => false;

    /// <summary>Whether a part without a name is somebody's all the same.</summary>
    public virtual bool IsSomebodys => true;

    /// <summary>Names a part of an episode.</summary>
    /// <param name="share">The part.</param>
    /// <param name="naming">Knows the trace.</param>
    public abstract NamedCause Name(CauseShare share, CauseNaming naming);

    /// <summary>Several things that a part is instead of one with a name; null where it is one.</summary>
    /// <param name="share">The part.</param>
    /// <param name="naming">Knows the trace.</param>
    public virtual IReadOnlyList<NamedCause>? Instead(CauseShare share, CauseNaming naming) => null;

    /// <summary>Splits a part that has a name where only some of it is its owner's.</summary>
    /// <param name="share">The part.</param>
    /// <param name="named">With its name.</param>
    /// <param name="naming">Knows the trace.</param>
    public virtual IReadOnlyList<NamedCause> Split(CauseShare share, NamedCause named, CauseNaming naming) => [named];

    /// <summary>What its culprit did where that goes before the culprit's kind; null for nothing.</summary>
    /// <param name="culprit">The culprit.</param>
    public virtual string? DidWhatever(Culprit culprit) => null;

    /// <summary>Adds the sentences that come before all that is told of the suspect's other parts.</summary>
    /// <param name="evidence">Takes them.</param>
    /// <param name="about">Whom they are about.</param>
    public virtual void AddFirst(List<string> evidence, EvidenceCase about)
    {
    }

    /// <summary>Adds the sentences that come behind.</summary>
    /// <param name="evidence">Takes them.</param>
    /// <param name="about">Whom they are about.</param>
    public virtual void AddLast(List<string> evidence, EvidenceCase about)
    {
    }

    /// <summary>
    /// Since when a stretch stood waiting to be done, in ticks: what comes at its own time comes then whether the victim still waits or
    /// not; what belongs to the victim's own way is done whenever its turn is, which is the smallest time.
    /// </summary>
    /// <param name="stretch">The stretch.</param>
    public virtual long SinceOf(in CauseStretch stretch) => long.MinValue;

    /// <summary>A sentence, whatever the culture.</summary>
    protected static string Text(InvariantText text) => text.Take();
}

/// <summary>One suspect, about whom sentences of evidence are made.</summary>
/// <param name="Suspect">The suspect.</param>
/// <param name="Main">Its main part.</param>
/// <param name="Worst">The episode in which it has the most.</param>
/// <param name="Findings">What was found.</param>
/// <param name="Naming">Names routines.</param>
internal sealed record EvidenceCase(
    Suspect Suspect, NamedCause Main, NamedEpisode Worst, BlameFindings Findings, CauseNaming Naming)
{
    /// <summary>All parts of the suspect.</summary>
    public IEnumerable<NamedCause> Causes => Suspect.Parts.Select(part => part.Cause);

    /// <summary>How often, to read.</summary>
    public static string Times(int count) => count == 1 ? "once" : string.Create(CultureInfo.InvariantCulture, $"{count:N0} times");

    /// <summary>A length to read.</summary>
    /// <param name="ticks">The length, in ticks.</param>
    public string Length(long ticks) => ReadableDuration.Of(Findings.Length(ticks));
}
