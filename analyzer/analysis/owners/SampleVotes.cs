using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Counts for which owner the samples inside a routine speak. What is told of an owner - its routine, the frameworks in front of it, the
/// proof - comes from the latest of the samples that show it, one with a stack if there is any.
/// </summary>
internal sealed class SampleVotes
{
    private readonly List<OwnerFinding> _owners = [];

    /// <summary>Forgets all samples.</summary>
    public void Clear() => _owners.Clear();

    /// <summary>Takes a sample.</summary>
    /// <param name="owner">Whom it shows.</param>
    /// <param name="proof">By its stack, or by its address alone.</param>
    /// <param name="routine">The owner's frame.</param>
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
    /// The owner that most samples show: of several with as many the one that was seen first, with the others; null for none.
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
