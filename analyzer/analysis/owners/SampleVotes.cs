using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Counts which owner the samples in a routine support. The details of an owner - its routine, the frameworks in front of it, the proof -
/// come from the latest sample that shows it, preferably one with a stack.
/// </summary>
internal sealed class SampleVotes
{
    private readonly List<OwnerFinding> _owners = [];

    public void Clear() => _owners.Clear();

    /// <param name="proof">Whether it shows the owner by its stack or by its address alone.</param>
    /// <param name="through">The frameworks in front of it, the nearest first.</param>
    public void Add(LoadedImage owner, Proof proof, ulong routine, IReadOnlyList<LoadedImage> through)
    {
        int known = _owners.FindIndex(vote => vote.Owner!.Number == owner.Number);
        if (known < 0)
        {
            _owners.Add(new OwnerFinding { Owner = owner, Proof = proof, Routine = routine, Through = through, Samples = 1 });
            return;
        }

        OwnerFinding vote = _owners[known];
        _owners[known] = proof == Proof.Stack || vote.Proof != Proof.Stack
            ? vote with { Proof = proof, Routine = routine, Through = through, Samples = vote.Samples + 1 }
            : vote with { Samples = vote.Samples + 1 };
    }

    /// <summary>
    /// The owner that most samples show. Of several with equal counts it is the one seen first, with the others listed as tied; null where
    /// there are no samples.
    /// </summary>
    public OwnerFinding? Winner
    {
        get
        {
            OwnerFinding? winner = _owners.MaxBy(vote => vote.Samples);
            return winner is null
                ? null
                : winner with
                {
                    TiedWith = [.. _owners.Where(vote => vote != winner && vote.Samples == winner.Samples).Select(vote => vote.Owner!)],
                };
        }
    }
}
