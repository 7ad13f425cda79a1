using System.Globalization;
using System.Text.Json;
using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>Brings files of cases into a store, line by line and in batches. A case whose id is there already is passed by.</summary>
internal sealed class FleetLoad
{
    /// <summary>Cases of a batch; a few megabytes.</summary>
    public const int BatchCases = 256;

    private const int LongestLine = 1 << 24;

    /// <summary>No trace is longer, in microseconds; sums of ten million of them fit 64 bits.</summary>
    private const long MostUs = 1_000_000_000_000;

    private readonly IFleetStore _store;
    private readonly List<(CaseReport Case, (long Bucket, long Count)[][] Histograms)> _waiting = [];
    private readonly HashSet<string> _ids = [];
    private (long ThresholdNs, long MinPriority)? _asked;

    /// <summary>Begins.</summary>
    /// <param name="store">What takes the cases.</param>
    /// <exception cref="IOException">The store failed.</exception>
    public FleetLoad(IFleetStore store)
    {
        _store = store;
        _asked = store.Query($"SELECT threshold_ns, min_priority FROM {FleetTable.Cases} LIMIT 1")
            .Select(row => ((long, long)?)(row.Number(0), row.Number(1))).FirstOrDefault();
    }

    /// <summary>Cases that the store did not have.</summary>
    public long Added { get; private set; }

    /// <summary>Cases that it had.</summary>
    public long Known { get; private set; }

    /// <summary>Reads a file of cases.</summary>
    /// <param name="name">What it is called in messages.</param>
    /// <param name="content">What it holds.</param>
    /// <returns>Whether its last line is whole.</returns>
    /// <exception cref="IOException">
    /// A line is no case, or one of another threshold; or the store failed. What was before that line is in the store.
    /// </exception>
    public bool Read(string name, Stream content)
    {
        long number = 0;
        try
        {
            return CaseLines.Read(content, LongestLine, line => Take(name, ++number, line)).Left == 0;
        }
        finally
        {
            Flush();
        }
    }

    private void Take(string name, long number, ReadOnlySpan<byte> line)
    {
        CaseReport one;
        try
        {
            one = ReportJson.ReadCase(line);
        }
        catch (JsonException failure)
        {
            throw new IOException($"{name}, line {number} is no case of 'analyzer blame --format cases': {failure.Message}", failure);
        }

        (long Bucket, long Count)[][] histograms =
        [
            .. one.Latencies.Select(latency => HdrEncoding.Decode(latency.Histogram)).OfType<HdrHistogram>().Select(FleetHistogram.Of),
        ];
        if (one.Id.Length == 0 || histograms.Length < one.Latencies.Count)
        {
            throw new IOException($"{name}, line {number} is no case of 'analyzer blame --format cases': "
                + (one.Id.Length == 0 ? "its id is empty" : "a histogram of it cannot be read"));
        }

        (long, long) asked = (one.Threshold.Nanoseconds, one.MinPriority);
        _asked ??= asked;
        if (_asked != asked)
        {
            throw new IOException($"{name}, line {number} was made with --threshold {one.Threshold} --min-priority {one.MinPriority}, and "
                + $"cases before it with {new Duration(_asked.Value.ThresholdNs)} and {_asked.Value.MinPriority}: they cannot be compared; "
                + "give each sort by itself");
        }

        if (_ids.Add(FleetPlace.Tidy(one.Id)))
        {
            _waiting.Add((one, histograms));
        }
        else
        {
            Known++;
        }

        if (_waiting.Count >= BatchCases)
        {
            Flush();
        }
    }

    private void Flush()
    {
        if (_waiting.Count == 0)
        {
            return;
        }

        HashSet<string> known = [.. _store.Known(_ids)];
        var batch = new FleetBatch();
        foreach ((CaseReport one, (long, long)[][] histograms) in _waiting)
        {
            if (known.Contains(FleetPlace.Tidy(one.Id)))
            {
                Known++;
                continue;
            }

            Added++;
            Add(batch, one, histograms);
        }

        _waiting.Clear();
        _ids.Clear();
        _store.Add(batch);
    }

    private static void Add(FleetBatch batch, CaseReport one, (long Bucket, long Count)[][] histograms)
    {
        string id = FleetPlace.Tidy(one.Id);
        string machine = FleetPlace.Tidy(one.Machine);
        long recorded = one.RecordedUtc is { } moment
            ? new DateTimeOffset(DateTime.SpecifyKind(moment, DateTimeKind.Utc)).ToUnixTimeMilliseconds()
            : -1;
        bool isJudged = one is { Problem: null, Verdict: not (null or Verdict.Unknown) };
        CaseLosses losses = one.Losses;
        bool isLossy = losses.EventsLost > 0 || losses.BuffersLost > 0 || losses.DamagedBuffers > 0 || losses.Truncated;
        batch.Add(
            FleetTable.Cases, id, machine, FleetPlace.Tidy(one.Problem?.Kind), one.Verdict is { } verdict ? KebabCase.Of(verdict) : "",
            FleetPlace.Tidy(one.Trace), recorded, isJudged ? 1L : 0L, isLossy ? 1L : 0L, one.Threshold.Nanoseconds, (long)one.MinPriority,
            Us(one.Duration), Math.Max(0, one.Probes), (long)Math.Max(0, one.Episodes), Us(one.OverThreshold), Us(one.Worst));
        if (!isJudged)
        {
            return;
        }

        AddTraits(batch, one, machine);
        Dictionary<string, string> versions = [];
        foreach (CaseDriver driver in one.Drivers)
        {
            versions.TryAdd(FleetPlace.Tidy(driver.Name).ToLowerInvariant(), FleetPlace.Tidy(driver.Version));
        }

        long number = 0;
        foreach (CaseChain chain in one.Chains)
        {
            var place = FleetPlace.Of(chain, module => versions.GetValueOrDefault(module, ""));
            batch.Add(
                FleetTable.Chains, id, machine, place.Key, place.Mechanism, chain.Kind is { } kind ? KebabCase.Of(kind) : "", place.Owner,
                place.Version, place.Spot, FleetPlace.Tidy(chain.Path), number++, recorded,
                chain.BeatSeconds is > 0 and < 1e9 ? (long)Math.Round(chain.BeatSeconds.Value * 1000) : -1L,
                (long)Math.Max(0, chain.Episodes), Us(chain.Latency), Us(chain.Worst));
        }

        foreach ((CaseLatency latency, (long, long)[] histogram) in one.Latencies.Zip(histograms))
        {
            batch.Add(
                FleetTable.Latencies, id, machine, KebabCase.Of(latency.Kind), KebabCase.Of(latency.Source), Us(latency.Maximum),
                histogram);
        }
    }

    private static void AddTraits(FleetBatch batch, CaseReport one, string machine)
    {
        if (machine.Length == 0)
        {
            return;
        }

        CaseSystem system = one.System;
        Add("os-build", system.OsBuild?.ToString(CultureInfo.InvariantCulture));
        Add("cpu", system.Cpu);
        Add("cpus", system.Cpus?.ToString(CultureInfo.InvariantCulture));
        Add("memory-mb", system.MemoryMb?.ToString(CultureInfo.InvariantCulture));
        Add("hypervisor", system.Hypervisor switch { null => null, true => "yes", false => "no" });
        Add("model", system.Model);
        Add("firmware", system.Firmware);
        foreach (CaseDriver driver in one.Drivers)
        {
            Add(FleetTraits.Driver(driver.Name), driver.Version ?? FleetTraits.NoVersion);
        }

        void Add(string trait, string? value)
        {
            if (!string.IsNullOrWhiteSpace(value))
            {
                batch.Add(FleetTable.Traits, machine, FleetPlace.Tidy(trait), FleetPlace.Tidy(value));
            }
        }
    }

    private static long Us(Duration? time) => time is { } known ? Math.Clamp((known.Nanoseconds + 500) / 1000, 0, MostUs) : -1;
}
