using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Report;

/// <summary>Makes the section of the episodes: victim, way, job, causes and samples of each.</summary>
/// <param name="spans">Names what ran on the CPUs.</param>
internal sealed class EpisodeMaker(BlameFindings findings, CauseNaming naming, SpanNames spans)
{
    public Episode Make(NamedEpisode named, int id)
    {
        EpisodeCandidate candidate = named.Candidate;
        Duration latency = Length(candidate.LatencyTicks);
        return new Episode
        {
            Id = id,
            Probe = candidate.IsOfGlitch ? ProbeKind.Glitch : candidate.Probe,
            Start = Time(candidate.FromTicks),
            StartUtc = findings.Summary.StartUtc is not null && findings.Clock.FileTimeAt(candidate.FromTicks) is { } time
                ? DateTime.FromFileTimeUtc(time)
                : null,
            Latency = latency,
            Cpu = candidate.Cpu,
            Thread = (candidate.ThreadId ?? candidate.StoppedVictim) is { } thread ? VictimOf(thread, candidate) : null,
            Phases = candidate.Delay.Wakeup is { } wakeup ? PhasesOf(wakeup)
                : candidate.Path is { } path ? PhasesOf(path, RanTicks(candidate)) : null,
            Chain = candidate.Path is { } way ? ChainOf(way, RanTicks(candidate)) : null,
            Job = candidate.Delay.Job is { } job ? JobOf(job, candidate) : null,
            Causes = CausesOf(named),
            Samples = SamplesOf(candidate),
            LateTimer = candidate.Delay.IsOfTimer,
        };
    }

    private EpisodeJob JobOf(JobSpan job, EpisodeCandidate candidate)
    {
        // What it worked is a part of the latency where a glitch tells of that; it is not lost all the same.
        Duration lost = Length(candidate.LostTicks - candidate.WorkTicks);
        return new EpisodeJob
        {
            Due = job.DueTicks is { } due ? Time(due) : null,
            Ready = job.ReadyTicks is { } ready ? Time(ready) : null,
            Run = Time(job.RunTicks),
            Work = Time(job.EndTicks) - Time(job.FromTicks) - lost - Length(candidate.PassedOverTicks),
            Lost = lost,
            End = Time(job.EndTicks),
            Deadline = job.DeadlineTicks is { } deadline ? Time(deadline) : null,
        };
    }

    private VictimThread VictimOf(uint thread, EpisodeCandidate candidate)
    {
        uint? process = findings.Facts.Threads.ProcessOf(thread, candidate.ToTicks);
        return new VictimThread
        {
            Pid = process,
            Tid = thread,
            Process = process is { } id ? findings.Facts.Threads.NameOf(id, candidate.ToTicks) : null,
            Priority = candidate.StoppedVictim is null ? candidate.Priority : candidate.StoppedPriority,
        };
    }

    private LatencyPhases PhasesOf(MeasuredWakeup wakeup) => new()
    {
        Interrupt = wakeup.IsrTicks is { } isr ? Length(isr - wakeup.FromTicks) : null,
        Dpc = (wakeup.IsrTicks ?? wakeup.QueuedTicks) is { } from && wakeup.DpcTicks is { } dpc ? Length(dpc - from) : null,
        Thread = wakeup is { DpcTicks: { } ended, ThreadTicks: { } thread } ? Length(thread - ended) : null,
    };

    /// <summary>When the thread first ran, whatever held it after that, in ticks.</summary>
    private static long RanTicks(EpisodeCandidate candidate) =>
        candidate.Delay.Holds.Count > 0 ? candidate.Delay.Holds[0].Served.Ticks : candidate.ToTicks;

    private LatencyPhases PhasesOf(WakeupPath path, long ranTicks) => new()
    {
        Interrupt = path.Interrupt is { } isr ? Length(path.Queued.Ticks - isr.StartTicks) : null,
        Dpc = Length(path.Dpc.StartTicks - path.Queued.Ticks),
        Thread = Length(ranTicks - path.Dpc.StartTicks),
    };

    private WakeupChain ChainOf(WakeupPath path, long ranTicks)
    {
        long from = path.Queued.Ticks;
        return new WakeupChain
        {
            Interrupt = path.Interrupt is { } began ? Length(began.StartTicks - from) : null,
            InterruptRoutine = path.Interrupt is { } isr ? naming.Routine(isr.Routine, isr.EndTicks) : null,
            InterruptCpu = path.Queued.Cpu,
            Enqueue = Duration.Zero,
            QueueDepth = path.Queued.Depth,
            Importance = DeferredDpcs.ImportanceOf(path.Queued.Importance),
            TargetCpu = path.DpcCpu,
            DpcStart = Length(path.Dpc.StartTicks - from),
            DpcRoutine = naming.Routine(path.Dpc.Routine, path.Dpc.EndTicks),
            Ready = Length(path.ReadyTicks - from),
            Run = Length(ranTicks - from),
        };
    }

    private List<Cause> CausesOf(NamedEpisode named)
    {
        List<Cause> causes = [];
        long ticks = 0;
        foreach (var group in named.Causes.GroupBy(cause => (cause.Name, cause.Mechanism, cause.Behind, Chain: ChainText(cause)))
            .Select(group => (group.Key, Ticks: group.Sum(cause => cause.Ticks), Main: group.MaxBy(cause => cause.Ticks)!))
            .OrderByDescending(group => group.Ticks).ThenBy(group => group.Key.Name, StringComparer.Ordinal)
            .ThenBy(group => group.Key.Mechanism).ThenBy(group => group.Key.Chain, StringComparer.Ordinal))
        {
            // Each time is the difference of two rounded sums, so that all rounding errors together stay below a nanosecond.
            Duration before = Length(ticks);
            ticks += group.Ticks;
            causes.Add(new Cause
            {
                Culprit = group.Key.Name,
                Mechanism = group.Key.Mechanism,
                Time = Length(ticks) - before,
                Routine = group.Main.Routine,
                Chain = group.Main.Share is { Chain: { Count: > 0 } chain } ? [.. chain.Select(LinkOf)] : null,
            });
        }

        return causes;
    }

    /// <summary>Tells chains through other threads apart.</summary>
    private static string ChainText(NamedCause cause) => cause.Share is { Chain: { Count: > 0 } chain }
        ? string.Join(' ', chain.Select(step => step.ThreadId))
        : string.Empty;

    private ChainLink LinkOf(ChainStep step) => new()
    {
        Thread = step.ThreadId,
        Process = findings.Facts.Threads.ProcessOf(step.ThreadId, step.AtTicks) is { } process
            ? findings.Facts.Threads.NameOf(process, step.AtTicks)
            : null,
        Why = step.Why switch
        {
            ChainWhy.Ready => "waited for a CPU",
            ChainWhy.Interrupted => "was interrupted",
            ChainWhy.Page => "waited for a page",
            ChainWhy.Waited => "waited",
            _ => "ran",
        },
    };

    private EpisodeSamples SamplesOf(EpisodeCandidate candidate)
    {
        List<SampledFunction> functions = [];
        var names = new AddressNames(findings.Facts, findings.Modules, findings.Request.Names);
        foreach ((ulong address, int count, uint thread) in candidate.Samples)
        {
            functions.Add(names.Function(address, 0, candidate.FromTicks, count, thread));
        }

        List<SampledFunction> merged = [.. functions.GroupBy(function => (function.Module, function.Function))
            .Select(AddressNames.Sum)
            .OrderByDescending(function => function.Count).ThenBy(function => function.Module, StringComparer.Ordinal)
            .ThenBy(function => function.Function, StringComparer.Ordinal)];
        return new EpisodeSamples { Total = candidate.Samples.Sum(sample => sample.Count), Functions = merged };
    }

    public EpisodeStrips StripsOf(EpisodeCandidate candidate, int id) => new(
        id,
        () => [.. candidate.Strips.Select(strip => new CpuStrip(strip.Cpu, [.. strip.Spans.Select(span => new StripSpan(
            Length(span.FromTicks - candidate.FromTicks),
            Length(span.ToTicks - span.FromTicks),
            span.Kind,
            spans.LabelOf(span)))]))]);

    private Duration Length(long ticks) => findings.Length(ticks);

    private Duration Time(long ticks) => findings.Time(ticks);
}
