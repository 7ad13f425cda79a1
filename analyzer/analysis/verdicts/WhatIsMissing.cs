using Tracer.Analysis.Facts;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Request;

namespace Tracer.Analysis.Verdicts;

/// <summary>What a trace lacks of what was asked, so that finding nothing in it proves nothing.</summary>
internal static class WhatIsMissing
{
    /// <summary>Event groups as in a session's group masks (PERF_* in ntwmi.h).</summary>
    private enum Group : uint
    {
        Profile = 0x2000_0002,
        ContextSwitches = 0x2000_0004,
        Dpcs = 0x2000_0080,
        Dispatcher = 0x2000_0200,
        Interrupts = 0x2000_4000,
    }

    /// <summary>The keywords of what was not recorded but is needed to find a culprit.</summary>
    public static List<string> Keywords(TraceSummary summary, TraceFacts facts)
    {
        RecordedKinds has = summary.Has;
        List<string> missing = [];
        Add(!has.IsrDpc && !IsOn(Group.Dpcs), "DPC");
        Add(!has.IsrDpc && !IsOn(Group.Interrupts), "INTERRUPT");
        Add(!has.ContextSwitches && !IsOn(Group.ContextSwitches), "CSWITCH");
        Add(!has.ReadyThread && !has.Wakeups && !IsOn(Group.Dispatcher), "DISPATCHER");
        Add(!has.Samples && !IsOn(Group.Profile), "PROFILE");
        Add(!has.Images, "LOADER");
        return missing;

        // A group that was enabled and has no event: nothing of that kind happened.
        bool IsOn(Group group) => facts.HasGroupMasks && facts.WasOn((uint)group);

        void Add(bool isMissing, string keyword)
        {
            if (isMissing)
            {
                missing.Add(keyword);
            }
        }
    }

    /// <summary>Why finding no episode proves nothing, as the rest of "This trace can't tell: "; null where it does.</summary>
    /// <param name="probes">The number of measured waits in the part of the trace that was asked about.</param>
    public static string? Reason(BlameFindings findings, long probes)
    {
        BlameRequest request = findings.Request;
        RecordedKinds has = findings.Summary.Has;
        if (findings.Machine is { Asked.IsWhole: false, AskedEvents: 0 })
        {
            return $"it has no event {PartOf(request)}";
        }

        return probes > 0 && request.Probe is not (ProbeChoice.Level or ProbeChoice.Gap) ? null : request.Probe switch
        {
            ProbeChoice.Level => has.IsrDpc ? null : Lacks("DPC", "INTERRUPT"),
            ProbeChoice.Gap => has.Samples ? null : Lacks("PROFILE"),
            ProbeChoice.Wakeup => has.Wakeups
                ? "none of the wake-ups that 'tracer capture' measured is among what was asked"
                : "it has no wake-ups measured by Tracer's driver or probe; record with 'tracer capture', or ask for --probe thread",
            _ => has.ContextSwitches && has.ReadyThread ? WithoutWaits(findings)
                : Lacks([.. Keywords(findings.Summary, findings.Facts)]),
        };
    }

    private static string? WithoutWaits(BlameFindings findings)
    {
        BlameRequest request = findings.Request;
        if (request.Thread is { } thread)
        {
            string id = thread.ToString(CultureInfo.InvariantCulture);
            return findings.Facts.Threads.Threads.Any(one => one.ThreadId == thread)
                ? $"no wait of thread {id} for a CPU was measured"
                : $"it names no thread {id}, and no wait of one was measured";
        }

        if (request.Process is { } process)
        {
            bool isThere = findings.Facts.Threads.Processes.Any(one => ThreadTable.IsMeant(process, one.ProcessId, one.ImageName));
            return isThere ? $"no wait of {process} for a CPU was measured" : $"no process {process} is in it";
        }

        string priority = request.MinPriority.ToString(CultureInfo.InvariantCulture);
        bool isAll = request is { Probe: ProbeChoice.Auto, MinPriority: Defaults.MinimumPriority };
        return !isAll ? $"no thread of priority {priority} or more was seen to wait for a CPU"
            : findings.Summary.Has.IsrDpc && findings.Machine.Switches > 0 ? null
            : Lacks([.. Keywords(findings.Summary, findings.Facts)]);
    }

    private static string PartOf(BlameRequest request)
    {
        string[] parts =
        [
            .. request.Cpus is { } cpus ? ["on CPU " + NumberRanges.Of(cpus)] : Array.Empty<string>(),
            .. request.Shown(request.From) is { } from ? [$"from {ReadableDuration.Of(from)} on"] : Array.Empty<string>(),
            .. request.Shown(request.To) is { } to ? [$"up to {ReadableDuration.Of(to)}"] : Array.Empty<string>(),
        ];
        return string.Join(", ", parts);
    }

    public static string Listed(IReadOnlyList<string> keywords) => keywords.Count switch
    {
        0 => "nothing that is known",
        1 => keywords[0],
        _ => string.Join(", ", keywords.Take(keywords.Count - 1)) + " and " + keywords[^1],
    };

    private static string Lacks(params string[] keywords) => "it lacks " + Listed(keywords);
}
