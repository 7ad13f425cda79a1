using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Report;

/// <summary>Tells whose a stretch of a CPU is, once the whole trace has shown who is behind what.</summary>
internal sealed class SpanNames(BlameFindings findings)
{
    /// <summary>The module or process of a stretch; empty for an idle CPU, and where it is not known.</summary>
    public string LabelOf(in RawStripSpan span)
    {
        if (span.Kind is StripKind.Isr or StripKind.Dpc)
        {
            return LabelOfRoutine(in span);
        }

        return span.Kind == StripKind.Thread && ProcessOf(in span) is { } process
            ? findings.Facts.Threads.NameOf(process, span.FromTicks) ?? string.Empty
            : string.Empty;
    }

    /// <summary>The process of a stretch of a thread; null where it is not known.</summary>
    public uint? ProcessOf(in RawStripSpan span) => findings.Facts.Threads.ProcessOf(span.ThreadId, span.FromTicks);

    /// <summary>The owner of an ISR or DPC, by its own run or by what the whole trace shows of its routine.</summary>
    public OwnerFinding? OwnerOf(in RawStripSpan span) => span.Owner is { Owner: null, Behind: { } framework } unknown
        ? findings.Behind.Of(unknown, framework)
        : span.Owner;

    private string LabelOfRoutine(in RawStripSpan span) => findings.Periodic.NameOf(span.Routine) is { } periodic
        ? periodic
        : OwnerOf(in span)?.Owner?.Name ?? findings.Modules.Find(span.Routine, span.FromTicks)?.Name ?? string.Empty;
}
