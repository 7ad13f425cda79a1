namespace Tracer.Adversary;

/// <summary>The families that aim at <c>blame</c> and <c>episodes</c>.</summary>
internal static class AnalysisFamilies
{
    public static IReadOnlyList<AdversaryFamily> All { get; } =
    [
        new("storm", "50,000 interrupts a second while 40 real-time threads wait", true, Waiters.InStorm),
        new("waits-dpcs", "threads that all wait while as many DPCs run", true, Waiters.BehindDpcs),
        new("waits-threads", "threads that all wait while as many others run", true, Waiters.BehindThreads),
        new("waits-samples", "threads that all wait while a lower one is sampled as often", true, Waiters.BehindSamples),
        new("waits-stops", "threads that all wait while the machine stops as often", true, Waiters.BehindBlackouts),
        new("waits-locks", "threads that all wait while their CPU spins for locks as often", true, Waiters.BehindLocks),
        new("waits-parked", "threads that all wait while a CPU they may use idles and is parked as often", true, Waiters.BesideParked),
        new("spans-overlapping", "ISRs and DPCs each of which begins in half of those before it", false, Spans.Overlapping),
        new("spans-reversed", "ISRs and DPCs that end before they begin", false, Spans.Reversed),
        new("spans-nested", "ISRs and DPCs each of which contains all before it", true, Spans.Nested),
        new("spans-nested-waits", "the same, and a thread waits in each", true, Spans.NestedWaits),
        new("random-kernel-times", "kernel records of all kinds at any time", false, RandomKernel.AtAnyTime),
        new("random-kernel", "kernel records of all kinds that do not fit each other", false, RandomKernel.InOrder),
        new("drivers", "as many drivers as DPCs, each too long", true, Crowds.OfDrivers),
        new("processes", "as many processes as threads that wait", true, Crowds.OfProcesses),
        new("callers", "samples whose stacks are 192 frames deep and all different", true, Crowds.OfCallers),
        new("beats-of-threads", "threads that each wake on a beat of their own and are late at times", true, Crowds.OfBeats),
        new("beats-of-routines", "routines that each run too long on a beat of their own", true, Crowds.OfPeriodicRoutines),
        new("image-names", "images whose names are as long as records may be, all of them late", true, Crowds.OfLongNames),
        new("cpus", "as many CPUs as a file can name, all of them late", true, ManyCpus.Busy),
        new("cpus-stopped", "256 CPUs that stop together again and again", true, ManyCpus.Stopped),
        new("cpus-silent", "a CPU that misses samples again and again beside as many others that logged once", true, ManyCpus.Silent),
        new("cpus-sleeping", "256 CPUs that log nothing for seconds again and again", true, ManyCpus.Sleeping),
        new("clocks", "40 CPUs whose clocks disagree, by what no moves of them explain", true, ManyCpus.Apart),
        new("measured", "wake-ups measured by our own driver, all due at the start, and as many DPCs", true, Measured.Wakeups),
        new("measured-episodes", "episodes of our driver with one number, our own work all over them", true, Measured.Episodes),
        new("glitches", "an audio engine that misses its deadline 100,000 times a minute, behind a DPC each time", true, Glitches.OfEngine),
        new("glitches-together", "records of missed deadlines that all come in one moment, by as many threads", true, Glitches.Together),
        new("injection", "names that are escape sequences, formulas, ends of strings, and nothing", true, Injection.Of),
    ];

    /// <summary>The family of a name; null for none.</summary>
    public static AdversaryFamily? Find(string name) => All.FirstOrDefault(family => family.Name == name);
}
