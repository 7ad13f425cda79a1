namespace Tracer.Analysis.Machine;

internal sealed class LaneCounts
{
    /// <summary>So many samples that hit another thread than the one that runs show that switches are missing.</summary>
    private const int LeastForeign = 20;

    /// <summary>
    /// Where they are at least this part of all: in a real trace one in 900 is, since switches are logged a little before.
    /// </summary>
    private const double LeastForeignPart = 0.02;

    /// <summary>
    /// ISR and DPC records with a negative or impossibly long duration, or that begin within another one and end after it.
    /// </summary>
    public long AbsurdRoutines { get; set; }

    /// <summary>Context switches whose old thread is not the one last switched in: records are missing between the two.</summary>
    public long BrokenSwitches { get; set; }

    /// <summary>Number of context switches.</summary>
    public long Switches { get; set; }

    /// <summary>Number of events in the part of the trace that was asked about; 0 where that is the whole trace.</summary>
    public long AskedEvents { get; set; }

    /// <summary>Number of context switches in that part.</summary>
    public long AskedSwitches { get; set; }

    /// <summary>Events too short for their type.</summary>
    public long ShortPayloads { get; set; }

    /// <summary>Number of samples that did not hit an idle thread.</summary>
    public long BusySamples { get; set; }

    /// <summary>How many of them hit another thread than the last switch or sample showed: switches are missing.</summary>
    public long ForeignSamples { get; set; }

    /// <summary>
    /// Whether so many that switches are missing for long stretches. A few there are in any trace: switches are logged a little before.
    /// </summary>
    public bool AreSwitchesMissing => ForeignSamples >= LeastForeign && ForeignSamples >= LeastForeignPart * BusySamples;

    /// <summary>How many of the busy samples hit the profile interrupt itself.</summary>
    public long SamplesOfRecording { get; set; }

    public void Add(LaneCounts other)
    {
        AbsurdRoutines += other.AbsurdRoutines;
        BrokenSwitches += other.BrokenSwitches;
        Switches += other.Switches;
        AskedEvents += other.AskedEvents;
        AskedSwitches += other.AskedSwitches;
        ShortPayloads += other.ShortPayloads;
        BusySamples += other.BusySamples;
        ForeignSamples += other.ForeignSamples;
        SamplesOfRecording += other.SamplesOfRecording;
    }
}
