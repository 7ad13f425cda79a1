using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Mechanisms;

/// <summary>The DPC that the victim waited for was left in its queue while its CPU ran threads or was idle.</summary>
internal sealed class DeferredDpcs : MechanismPage
{
    public override string Did => "its DPCs were queued for later, and waited there for";

    /// <summary>The name of a DPC importance (KDPC_IMPORTANCE).</summary>
    public static string ImportanceOf(byte importance) => importance switch
    {
        0 => "low",
        1 => "medium",
        2 => "high",
        3 => "medium-high",
        _ => Text($"unknown ({importance})"),
    };

    public override NamedCause Name(CauseShare share, CauseNaming naming)
    {
        NamedCause named = naming.OfCode(share, share.Owner!);
        return share.IsInferred ? named with { Confidence = named.Confidence.AtMost(CulpritConfidence.Inferred) } : named;
    }

    public override void AddFirst(List<string> evidence, EvidenceCase about)
    {
        NamedCause most = about.Causes.Where(cause => cause.Mechanism == Mechanism.DpcDeferred).MaxBy(cause => cause.Ticks)!;
        if (most.Detail is not LeftInQueue { Path: { } path })
        {
            return;
        }

        long longest = most.Ticks;
        string where = path.Queued.Cpu == path.DpcCpu
            ? Text($"on CPU {path.DpcCpu}")
            : Text($"by CPU {path.Queued.Cpu} for CPU {path.DpcCpu}");
        evidence.Add(Text(
            $"The record of its enqueue says importance {ImportanceOf(path.Queued.Importance)}, {where}: it stood in the queue for up to "
            + $"{about.Length(longest)} while that CPU ran threads or idled, and the victim was waiting for it."));
    }
}
