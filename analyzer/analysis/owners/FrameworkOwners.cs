using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Finds the driver behind a framework's routine for a run that does not show it: the driver that the samples of runs like it show, the one
/// whose ISR queued it, or the only loaded driver that the framework serves.
/// </summary>
internal sealed class FrameworkOwners(FrameworkClients clients, TraceFacts facts, ModuleMap modules)
{
    /// <summary>
    /// Most votes that are counted for all ballots together; then all runs of a routine have one ballot. Each ballot counts all votes of
    /// its routine, and a hostile trace may have as many kinds of runs as runs.
    /// </summary>
    private const long MostCounted = 10_000_000;

    private readonly Dictionary<RunTraits, Ballot?> _ballots = [];
    private long _counted;

    /// <param name="found">What the run itself shows: only the framework, not its client.</param>
    /// <returns>A finding with an owner; the same finding where no owner can be named.</returns>
    public OwnerFinding Of(OwnerFinding found, LoadedImage framework)
    {
        RunTraits run = found.Unseen ?? RunTraits.Any(found.Routine);
        Ballot? ballot = BallotOn(run);
        if (clients.ByIsr(run) is { } itsIsr && (found.Carrier is not null || ballot is not { Of: <= BallotOf.Device }))
        {
            return ByInterrupt(itsIsr);
        }

        if (ballot is { Winner: { } image })
        {
            // Where the vote confirms what the run's own record says, that record counts.
            return image == found.Owner?.Number
                ? found
                : Voted(run, ballot, image, ballot.Votes[0].Samples) with { Carrier = found.Carrier };
        }

        if (clients.ByIsr(found.Routine) is { } byIsr)
        {
            return ByInterrupt(byIsr);
        }

        return Candidates(framework.Name) is [var only]
            ? found with { Owner = only, Behind = null, Proof = Proof.OnlyCandidate, Through = [framework], Routine = run.Routine }
            : found.Carrier is { } carrier
            ? found with { Owner = carrier, Behind = null, Proof = Proof.Stack, Through = [framework] }
            : found;

        OwnerFinding ByInterrupt(LoadedImage owner) =>
            found with { Owner = owner, Behind = null, Proof = Proof.Vector, Through = [framework], Routine = run.Routine };
    }

    /// <summary>
    /// The owners among whom the time of a run is shared that does not show its own, by how many samples of runs like it show each. Empty
    /// where one stands for nearly all, where a driver's ISR queued it, and where there are too few samples.
    /// </summary>
    public IReadOnlyList<(OwnerFinding Owner, double Part)> Shared(OwnerFinding found)
    {
        RunTraits run = found.Unseen ?? RunTraits.Any(found.Routine);
        return found.Carrier is null && BallotOn(run) is { Winner: null } ballot
            && (ballot.Of <= BallotOf.Device || clients.ByIsr(run) is null)
            ? [.. ballot.Votes.Select(vote => (Voted(run, ballot, vote.Image, vote.Samples), vote.Samples / (double)ballot.Samples))]
            : [];
    }

    private OwnerFinding Voted(RunTraits run, Ballot ballot, int image, int samples) => clients.ExampleOf(run.Routine, image) with
    {
        Samples = samples,
        SamplesAsked = ballot.Samples,
        VotedBy = ballot.Of,
        IsVotedByOthers = ballot.IsOfOthers,
    };

    private Ballot? BallotOn(RunTraits run)
    {
        run = _counted < MostCounted || _ballots.ContainsKey(run) ? run : RunTraits.Any(run.Routine);
        if (!_ballots.TryGetValue(run, out Ballot? ballot))
        {
            _ballots.Add(run, ballot = clients.BallotOn(run, out int votes));
            _counted += votes;
        }

        return ballot;
    }

    /// <summary>The loaded drivers of the devices that a framework serves.</summary>
    public List<LoadedImage> Candidates(string framework)
    {
        List<LoadedImage> candidates = [];
        foreach (string service in Frameworks.ClientClassesOf(framework).SelectMany(setup => facts.Devices.ServicesOfClass(setup.Id)))
        {
            if (facts.Images.TryFindByName(service + ".sys", out LoadedImage? image) && modules.RoleOf(image) == ModuleRole.Driver
                && !candidates.Exists(known => string.Equals(known.Name, image.Name, StringComparison.OrdinalIgnoreCase)))
            {
                candidates.Add(image);
            }
        }

        return candidates;
    }
}
