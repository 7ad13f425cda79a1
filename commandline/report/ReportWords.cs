namespace Tracer.CommandLine;

/// <summary>The words of the reports: what the enumerations of the contract are called and mean, counts, shares, bars.</summary>
public static class ReportWords
{
    /// <summary>What a mechanism means, as half a sentence.</summary>
    public static string MeaningOf(Mechanism mechanism) => mechanism switch
    {
        Mechanism.Isr => "its interrupt routine ran",
        Mechanism.Dpc => "its DPC (the rest of its interrupt work) ran, or was ahead in the queue",
        Mechanism.DpcDeferred => "it queued a DPC that was left waiting by design",
        Mechanism.Thread => "its threads ran instead",
        Mechanism.RaisedIrql => "its code in the kernel kept the CPU although something more urgent was ready",
        Mechanism.SpinWait => "others waited for a lock that it held, or for a CPU that it kept",
        Mechanism.Blackout => "nothing was served meanwhile, not even the clock",
        Mechanism.IdleExit => "the CPU had to wake from an idle state",
        Mechanism.Paging => "the victim waited for pages from disk",
        Mechanism.Scheduler => "a CPU was free for the victim, yet it was not dispatched",
        Mechanism.Hypervisor => "the hypervisor did not run the virtual processor",
        Mechanism.TimerTick => "the timer is no finer; not interference",
        _ => "not explained",
    };

    /// <summary>What a culprit did, in a trace that may lack the records of it.</summary>
    public static string MeaningOf(Culprit culprit, RecordedKinds has) => (culprit.Mechanism, has) switch
    {
        (Mechanism.Thread, _) when culprit.IsByOwnWork => "its own work took longer than the time it had",
        (Mechanism.Isr, { IsrDpc: false }) => "samples hit its code at interrupt level; no interrupt is recorded",
        (Mechanism.Dpc, { IsrDpc: false }) => "samples hit its code at DPC level; no DPC is recorded",
        _ => MeaningOf(culprit.Mechanism),
    };

    /// <summary>What a proof rests on, as half a sentence.</summary>
    public static string MeaningOf(Proof proof) => proof switch
    {
        Proof.WdfEvent => "the framework logged its callback",
        Proof.Stack => "sampled stacks show its code",
        Proof.Sample => "samples hit its code",
        Proof.Routine => "the recorded routine is its own",
        Proof.Vector => "its interrupt queued the DPC",
        Proof.OnlyCandidate => "no other driver behind that framework is loaded",
        Proof.Edges => "what ran before and after each blackout",
        Proof.Switch => "the context switches of the CPU",
        _ => "nothing ties it to the time",
    };

    /// <summary>A step with the trace's own path in its commands.</summary>
    public static string Of(NextStep step, TraceSummary trace)
    {
        ArgumentNullException.ThrowIfNull(step);
        ArgumentNullException.ThrowIfNull(trace);
        string path = trace.Path.Contains(' ', StringComparison.Ordinal) ? $"\"{trace.Path}\"" : trace.Path;
        return path is "" or "-" ? step.Step : step.Step.Replace("TRACE", path, StringComparison.Ordinal);
    }

    /// <summary>How an episode was measured.</summary>
    public static string MeaningOf(ProbeKind probe) => probe switch
    {
        ProbeKind.Glitch => "glitch that Windows recorded",
        ProbeKind.Wakeup => "measured wake-up",
        ProbeKind.Job => "time lost by a job",
        ProbeKind.Thread => "ready thread",
        ProbeKind.Level => "CPU kept at ISR/DPC level",
        _ => "CPU that stood still, without a sample",
    };

    /// <summary>A number with its thing: <c>1 episode</c>, <c>1,203 switches</c>.</summary>
    public static string Count(long count, string thing) => Counted.Of(count, thing);

    /// <summary>A number with commas between thousands.</summary>
    public static string Number(long number) => number.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>A share as percent; what is above 0 never reads as 0, what is below 1 never as all.</summary>
    /// <param name="share">0 to 1.</param>
    public static string Percent(double share)
    {
        double percent = Clamped(share) * 100;
        return percent switch
        {
            > 0 and < 0.1 => "<0.1 %",
            > 99.9 and < 100 => ">99.9 %",
            0 or 100 => percent.ToString("0", CultureInfo.InvariantCulture) + " %",
            _ => percent.ToString("0.0", CultureInfo.InvariantCulture) + " %",
        };
    }

    /// <summary>A bar: as much of it is filled as the share says.</summary>
    /// <param name="share">0 to 1; what is less than half a column fills none.</param>
    public static (PagePiece Full, PagePiece Empty) Bar(double share, int columns)
    {
        int full = (int)Math.Round(Clamped(share) * columns);
        return (new PagePiece(new string('#', full), Ink.Bar), new PagePiece(new string('.', columns - full), Ink.Faint));
    }

    /// <summary>A part of a whole, 0 to 1; 0 of a whole that is nothing.</summary>
    public static double Share(decimal part, decimal whole) => whole > 0 ? (double)(part / whole) : 0;

    private static double Clamped(double share) => share > 0 ? Math.Min(share, 1) : 0;
}
