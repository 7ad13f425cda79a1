using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Finds the driver behind a framework's routine for a run that does not show it: the driver that its other runs show, the one whose ISR
/// precedes it, or the only loaded driver that the framework serves.
/// </summary>
internal sealed class FrameworkOwners(FrameworkClients clients, TraceFacts facts, ModuleMap modules)
{
    private readonly Dictionary<ulong, IReadOnlyList<(OwnerFinding Owner, double Part)>> _shared = [];

    /// <summary>The owner of a run.</summary>
    /// <param name="found">What the run itself shows: only the framework, not its client.</param>
    /// <returns>A finding with an owner; the same finding where no owner can be named.</returns>
    public OwnerFinding Of(OwnerFinding found, LoadedImage framework)
    {
        if (clients.BySamples(found.Routine) is { Owner: not null } bySamples)
        {
            return bySamples with { Samples = 0, SamplesAsked = 0, Client = null };
        }

        if (clients.ByIsr(found.Routine) is { } byIsr)
        {
            return found with { Owner = byIsr, Behind = null, Proof = Proof.Vector, Through = [framework] };
        }

        return Candidates(framework.Name) is [var only]
            ? found with { Owner = only, Behind = null, Proof = Proof.OnlyCandidate, Through = [framework] }
            : found;
    }

    /// <summary>
    /// The owners among whom the time of runs is shared that show only the framework: by how often the sampled runs of the routine show
    /// each. Empty where one stands for nearly all, and where the framework called different clients first: then each run may be another
    /// device's.
    /// </summary>
    public IReadOnlyList<(OwnerFinding Owner, double Part)> Shared(ulong routine)
    {
        if (!_shared.TryGetValue(routine, out IReadOnlyList<(OwnerFinding Owner, double Part)>? shared))
        {
            _shared.Add(routine, shared = Votes(routine));
        }

        return shared;
    }

    private IReadOnlyList<(OwnerFinding Owner, double Part)> Votes(ulong routine)
    {
        if (clients.BySamples(routine) is not { IsVotedDown: true })
        {
            return [];
        }

        List<(OwnerFinding Owner, int Runs)> votes = clients.VotesOf(routine, out int runs);
        return [.. votes.Select(vote => (
            vote.Owner with { Samples = vote.Runs, SamplesAsked = runs, IsShared = true, Client = null, TiedWith = [] },
            vote.Runs / (double)runs))];
    }

    /// <summary>Decides between several owners that the samples of a run show equally often, by other runs of the same routine.</summary>
    /// <param name="routine">The routine that ran; 0 where it is unknown.</param>
    /// <returns>A finding with the owner that the other runs show, if it is one of these; otherwise the same finding.</returns>
    public OwnerFinding Settled(OwnerFinding tied, ulong routine) =>
        clients.BySamples(routine) is { Owner: { } owner } other
            && tied.TiedWith.Append(tied.Owner!).Any(one => one.Number == owner.Number)
            ? other with { Samples = tied.Samples, SamplesAsked = tied.SamplesAsked, Client = null }
            : tied;

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
