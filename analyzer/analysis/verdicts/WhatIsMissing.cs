using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Verdicts;

/// <summary>The kinds of records that a trace lacks, by the keywords that record them.</summary>
internal static class WhatIsMissing
{
    /// <summary>Event groups as in a session's group masks (PERF_* in ntwmi.h).</summary>
    private enum Group : uint
    {
        Profile = 0x2000_0002,
        ContextSwitches = 0x2000_0004,
        Dispatcher = 0x2000_0200,
    }

    /// <summary>The keywords of what was not recorded but is needed to find a culprit.</summary>
    public static List<string> Keywords(TraceSummary summary, TraceFacts facts)
    {
        RecordedKinds has = summary.Has;
        List<string> missing = [];
        Add(!facts.HasDpcs, "DPC");
        bool wereIsrsOn = facts.WasOn(TraceFacts.InterruptGroup);
        bool isSilent = facts.HasGroupMasks && !wereIsrsOn && facts.Cpus.All(cpu => cpu.Isrs == 0);
        Add(isSilent || (!has.IsrDpc && !(wereIsrsOn && facts.HasDpcs)), "INTERRUPT");
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

    public static string Listed(IReadOnlyList<string> keywords) => keywords.Count switch
    {
        0 => "nothing that is known",
        1 => keywords[0],
        _ => string.Join(", ", keywords.Take(keywords.Count - 1)) + " and " + keywords[^1],
    };
}
