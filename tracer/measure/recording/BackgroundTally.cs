using Tracer.Measure.Ground;

namespace Tracer.Measure.Recording;

/// <summary>
/// What threads ran in each second, by process: how many threads a process has that ran, which of them ran longest in one second, and for
/// how long (Ramamritham and others, section 3.3).
/// </summary>
public sealed class BackgroundTally
{
    private const int MostProcesses = 20;

    /// <summary>Most processes and most threads that are told apart: no machine has so many, a damaged trace may.</summary>
    private const int MostKept = 1 << 16;

    private const int Decimals = 3;
    private const decimal Million = 1_000_000;
    private const long NanosecondsPerSecond = 1_000_000_000;

    private readonly Dictionary<uint, ProcessTally> _processes = [];
    private readonly TimeSeries _seconds = new("busy", "CPU time of all threads in a second");
    private long _busy;
    private int _threads;
    private long _leftOut;

    /// <summary>Takes what a thread ran in the second at hand.</summary>
    /// <param name="name">The process; null where it is not known.</param>
    /// <param name="nanoseconds">How long it ran; above 0.</param>
    public void Add(uint process, string? name, uint thread, long second, long nanoseconds)
    {
        _busy += nanoseconds;
        if (!_processes.TryGetValue(process, out ProcessTally? tally))
        {
            if (_processes.Count >= MostKept)
            {
                _leftOut++;
                return;
            }

            _processes.Add(process, tally = new ProcessTally());
        }

        tally.Name = name ?? tally.Name;
        tally.Total += nanoseconds;
        if (_threads < MostKept)
        {
            _threads += tally.Threads.Add(thread) ? 1 : 0;
        }
        else if (!tally.Threads.Contains(thread))
        {
            _leftOut++;
        }

        if (nanoseconds > tally.Most)
        {
            (tally.Most, tally.MostThread, tally.MostSecond) = (nanoseconds, thread, second);
        }
    }

    /// <summary>A second is over.</summary>
    /// <param name="second">The second, from 0.</param>
    public void EndSecond(long second)
    {
        _seconds.Record(Math.Min(second, long.MaxValue / NanosecondsPerSecond) * NanosecondsPerSecond, _busy);
        _busy = 0;
    }

    /// <param name="own">Number of the process that looks, which is no activity of the system; null where none does.</param>
    public MeasureResult ToResult(uint? own)
    {
        (uint Id, ProcessTally Tally)[] worst =
        [
            .. _processes.Select(static one => (one.Key, one.Value)).OrderByDescending(static one => one.Value.Most)
                .ThenBy(static one => one.Key),
        ];
        decimal together = worst.Where(one => one.Id != own).Sum(static one => one.Tally.Most) / Million;
        return new MeasureResult(worst.Length == 0
            ? "Nothing ran in a whole second."
            : $"In {Counted.Of(_seconds.Count, "second")} {NameOf(worst[0])}, thread {worst[0].Tally.MostThread}, ran longest in one: "
                + $"{Math.Round(worst[0].Tally.Most / Million, Decimals)} ms.")
        {
            Figures =
            [
                new("processes", worst.Length, "", "that ran at all"),
                new(
                    "together", Math.Round(together, Decimals), "ms",
                    "the longest times of all processes added up, as if they fell into one second"
                        + (own is null ? "" : "; the process that looks is left out")),
            ],
            Tables =
            [
                new(
                    "processes",
                    $"the {MostProcesses} whose busiest thread ran longest within one second",
                    [
                        new("threads", ""), new("busiest", ""), new("longest", "ms"), new("in second", ""), new("mean", "ms/s"),
                    ],
                    [
                        .. worst.Take(MostProcesses).Select(one => new MeasureRow(
                            NameOf(one),
                            [
                                one.Tally.Threads.Count, one.Tally.MostThread, Math.Round(one.Tally.Most / Million, Decimals),
                                one.Tally.MostSecond,
                                _seconds.Count == 0 ? null : Math.Round(one.Tally.Total / Million / _seconds.Count, Decimals),
                            ])),
                    ]),
            ],
            Series = [_seconds.ToReport()],
            Notes = _leftOut == 0
                ? []
                : [$"More than {MostKept} processes or threads: {Counted.Of(_leftOut, "time")} one more ran and is in no number of them."],
        };
    }

    private static string NameOf((uint Id, ProcessTally Tally) process) => process is { Id: 0, Tally.Name: null }
        ? "unknown"
        : $"{process.Tally.Name ?? "unknown"} ({process.Id.ToString(CultureInfo.InvariantCulture)})";

    private sealed class ProcessTally
    {
        public string? Name { get; set; }

        public HashSet<uint> Threads { get; } = [];

        public decimal Total { get; set; }

        public decimal Most { get; set; }

        public uint MostThread { get; set; }

        public long MostSecond { get; set; }
    }
}
