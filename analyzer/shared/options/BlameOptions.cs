using System.CommandLine;
using Tracer.Analysis.Request;

namespace Tracer.AnalyzerShared.Options;

/// <summary>The options that say what an analysis looks at: threshold, probes, victims, CPUs, time.</summary>
internal sealed class BlameOptions
{
    /// <summary>The largest number that a CPU can have: a trace numbers them with 16 bits.</summary>
    private const int LargestCpu = ushort.MaxValue;

    private readonly Option<Duration?> _threshold = DurationOption.Create(
        "--threshold", "Latency at or above this is an episode.", Defaults.Threshold);

    private readonly Option<ProbeChoice> _probe = NamedChoice.OfAll<ProbeChoice>().Option(
        "--probe",
        "What to measure latency with: what explains glitches that Windows recorded (glitch), wake-ups of our own driver (wakeup), what "
        + "threads do from when they should run until they are done (job), threads that became ready (thread), CPUs "
        + "kept at ISR or DPC level (level), CPUs that served no interrupt (gap), or what the trace offers [default: auto].");

    private readonly Option<Duration?> _period = DurationOption.Create(
        "--period", "The victims should run once in this time [default: learnt from the wake-ups of each thread].");

    private readonly Option<Duration?> _deadline = DurationOption.Create(
        "--deadline", "A job that takes longer than this is late [default: the next beat of a thread that keeps one].");

    private readonly Option<long?> _minPriority = NumberOption.Create(
        "--min-priority", "0-31", "The lowest priority of a thread whose waits count.", 0, 31, Defaults.MinimumPriority);

    private readonly Option<string?> _process = new("--process")
    {
        Description = "Count the waits of all threads of this process, whatever their priority.",
        HelpName = "NAME|PID",
    };

    private readonly Option<long?> _thread = NumberOption.Create("--thread", "TID", "Count the waits of this thread only.", 0);

    private readonly Option<NumberList?> _cpu = NumberList.Option("--cpu", "Look for episodes on these CPUs only: 0,2-4.");

    private readonly TimeOptions _times = new("episodes that begin at this time or later", "episodes that begin at this time or earlier");

    /// <summary>The options, in the order of the help.</summary>
    public IEnumerable<Option> All => [_threshold, _probe, _period, _deadline, _minPriority, _process, _thread, _cpu, .. _times.All];

    /// <summary>What the user wants to be looked at.</summary>
    public BlameRequest Request(ParseResult parse, bool withStrips) => _times.Request(parse, new BlameRequest
    {
        Threshold = Threshold(parse),
        Probe = parse.GetValue(_probe),
        Period = parse.GetValue(_period),
        Deadline = parse.GetValue(_deadline),
        MinPriority = (int)parse.GetValue(_minPriority)!.Value,
        Process = parse.GetValue(_process),
        Thread = parse.GetValue(_thread),
        Cpus = parse.GetValue(_cpu)?.Numbers(LargestCpu),
        WithStrips = withStrips,
    });

    public Duration Threshold(ParseResult parse) => parse.GetValue(_threshold)!.Value;

    /// <summary>Whether a part of the trace is asked for by times.</summary>
    public bool HasTimes(ParseResult parse) => _times.Times(parse) is not { From: null, To: null, At: null };

    /// <summary>What is wrong with the part of a trace that is asked for; null when nothing is.</summary>
    /// <param name="episode">Number of an episode; null where none is named.</param>
    public string? ProblemWithPart(ParseResult parse, long? episode)
    {
        return (HasTimes(parse), episode) switch
        {
            (false, null) => "say which part: --from and --to, --at, or --episode N with a number that 'analyzer episodes' shows",
            (true, not null) => "--episode says from when to when by itself; leave --from, --to and --at out",
            _ => null,
        };
    }

    /// <summary>What is wrong with the values, each of which is right by itself; null when nothing is.</summary>
    public string? Problem(ParseResult parse)
    {
        if (Threshold(parse) <= Duration.Zero)
        {
            return $"--threshold: '{Threshold(parse)}' is not a latency; write a duration above 0 such as 500us";
        }

        if (parse.GetValue(_period) is { } period && period <= Duration.Zero)
        {
            return $"--period: '{period}' is not a beat; write a duration above 0 such as 10ms";
        }

        if (parse.GetValue(_deadline) is { } deadline && deadline <= Duration.Zero)
        {
            return $"--deadline: '{deadline}' is not a time to work in; write a duration above 0 such as 10ms";
        }

        if (parse.GetValue(_process) is { } process && string.IsNullOrWhiteSpace(process))
        {
            return "--process: a name such as audiodg.exe or a process id is expected";
        }

        if (parse.GetValue(_cpu) is { } cpus && cpus.Largest > LargestCpu)
        {
            return $"--cpu: no CPU has the number {cpus.Largest}; the largest is {LargestCpu}";
        }

        return _times.Problem(parse);
    }
}
