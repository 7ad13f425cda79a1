using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>Which drivers mask interrupts: then what a late sample hit in their code was a blackout as well.</summary>
public class MaskedTimesTests
{
    private const long Raised = 100;

    /// <summary>A driver stopped a CPU in one episode; in another its code ran at raised IRQL, and nothing was served.</summary>
    [Theory]
    [InlineData(Raised + 1, "alpha.sys", "ALPHA.SYS", CulpritKind.Driver, Mechanism.Blackout)]
    [InlineData(Raised, "alpha.sys", "ALPHA.SYS", CulpritKind.Driver, Mechanism.RaisedIrql)]
    [InlineData(Raised + 1, "alpha.sys", "beta.sys", CulpritKind.Driver, Mechanism.RaisedIrql)]
    [InlineData(Raised + 1, "alpha.sys", "alpha.sys", CulpritKind.Kernel, Mechanism.RaisedIrql)]
    public void A_driver_whose_time_is_mostly_blackout_has_no_other(
        long stopped, string stopper, string name, CulpritKind kind, Mechanism expected)
    {
        List<NamedEpisode> joined = MaskedTimes.Joined(
        [
            Episode(Cause(stopper, CulpritKind.Driver, Mechanism.Blackout, stopped)),
            Episode(Cause(name, kind, Mechanism.RaisedIrql, Raised)),
        ]);
        Assert.Equal([Mechanism.Blackout, expected], joined.Select(episode => Assert.Single(episode.Causes).Mechanism));
    }

    private static NamedEpisode Episode(NamedCause cause) => new(
        new EpisodeCandidate(new Delay { Probe = ProbeKind.Gap, FromTicks = 0, ToTicks = cause.Ticks, Cpu = 0 }), [cause]);

    private static NamedCause Cause(string name, CulpritKind kind, Mechanism mechanism, long ticks) => new()
    {
        Kind = kind,
        Name = name,
        Mechanism = mechanism,
        Ticks = ticks,
        Proof = Proof.Stack,
        Confidence = Confidence.Likely,
        Detail = new CodeSampled(CodeLevel.Thread, 0, IsSilent: true, IsMasked: false),
    };
}
