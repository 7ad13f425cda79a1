namespace Tracer.Analysis.Contents;

/// <summary>
/// The questions about latency that users bring to a trace, and what must be recorded to answer each. Keywords are those of capture tools
/// without their prefixes; xperf and WPR accept them as they are.
/// </summary>
internal static class TraceQuestions
{
    /// <summary>Determines which questions a trace can answer.</summary>
    /// <param name="hasIsrs">Whether there are records of ISRs.</param>
    /// <param name="hasDpcs">Whether there are records of DPCs.</param>
    /// <param name="missesSwitches">Whether many context switches are missing, so that gaps prove nothing.</param>
    public static IReadOnlyList<TraceQuestion> Of(
        RecordedKinds has, bool hasIsrs, bool hasDpcs, bool hasHardFaults, bool hasPreciseClock, bool knowsCpus, bool missesSwitches)
    {
        Need clock = new(hasPreciseClock, "a session clock of QPC");
        Need cpus = new(knowsCpus, "buffers per processor");
        Need isrs = new(hasIsrs, "INTERRUPT");
        Need dpcs = new(hasDpcs, "DPC");
        Need switches = new(has.ContextSwitches, "CSWITCH");
        Need ready = new(has.ReadyThread, "DISPATCHER");
        Need samples = new(has.Samples, "PROFILE");
        Need whole = new(!missesSwitches, "all context switches: many are missing here");
        Need images = new(has.Images, "LOADER");
        Need stacks = new(has.Stacks, "stacks on PROFILE, CSWITCH and DISPATCHER");
        Need wdf = new(has.Wdf || has.Stacks, "WDF_DPC, WDF_INTERRUPT, or stacks on PROFILE");
        return
        [
            Ask("Which interrupt or deferred routine ran too long, and whose is it?", clock, cpus, dpcs, isrs, images),
            Ask("Which vendor's driver stands behind a framework of Windows?", clock, cpus, dpcs, isrs, images, wdf),
            Ask("How long do ready threads wait before they run, and for whom?", clock, cpus, switches, ready),
            Ask("Which function was running while something waited?", clock, cpus, samples, images),
            Ask("Who called it?", clock, cpus, stacks, images),
            Ask("Did a CPU stop serving interrupts (masked interrupts, firmware)?", clock, cpus, samples, whole),
            Ask("How long do deferred routines wait in their queue?", clock, cpus, dpcs, new Need(has.DpcQueue, "DPC_QUEUE")),
            Ask("Did waking from an idle state cost time?", clock, cpus, new Need(has.Power, "IDLE_STATES, POWER")),
            Ask("Did threads wait for pages from disk?", clock, new Need(hasHardFaults, "HARD_FAULTS")),
            Ask("How late were measured wake-ups?", clock, new Need(has.Wakeups, "the provider Tracer.Latency, with `tracer capture`")),
        ];
    }

    private static TraceQuestion Ask(string question, params Need[] needs)
    {
        List<string> missing = [];
        foreach (Need need in needs)
        {
            if (!need.IsMet)
            {
                missing.AddRange(need.Keywords.StartsWith("the ", StringComparison.Ordinal) ? [need.Keywords] : need.Keywords.Split(", "));
            }
        }

        return new TraceQuestion(question, missing.Count == 0, missing);
    }

    private sealed record Need(bool IsMet, string Keywords);
}
