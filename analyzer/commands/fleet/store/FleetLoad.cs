using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text.Json;
using Tracer.AnalyzerCommand.Common.Cases;
using Tracer.AnalyzerCommand.Common.Copies;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// Brings files of cases into a store, line by line and in batches. A case whose id is there already is passed by; so is one of a slice
/// where that of its whole trace is among the files.
/// </summary>
internal sealed class FleetLoad
{
    public const int BatchCases = 256;

    /// <summary>A batch is full with so many bytes of lines: what it holds is no more than a few times that.</summary>
    private const int BatchBytes = 1 << 20;

    /// <summary>Machines whose drivers and parts are remembered.</summary>
    private const int MostSets = 1 << 16;

    /// <summary>Cases of which is remembered what file they are in.</summary>
    private const int MostPlaced = 1 << 18;

    /// <summary>Cases of slices that wait for that of their whole trace.</summary>
    private const int MostHeld = 1 << 14;

    private const int LongestLine = 1 << 24;

    /// <summary>No trace is longer, in microseconds; sums of ten million of them fit 64 bits.</summary>
    private const long MostUs = 1_000_000_000_000;

    /// <summary>No trace has more; sums of ten million of them fit 64 bits.</summary>
    private const long MostGlitches = 1_000_000_000_000;

    private readonly IFleetStore _store;
    private readonly List<(CaseReport Case, (long Bucket, long Count)[][] Histograms)> _waiting = [];
    private readonly HashSet<string> _ids = [];
    private readonly HashSet<UInt128> _sets = [];
    private readonly Dictionary<UInt128, string> _files = [];
    private readonly SortedDictionary<(string Path, string Of), long> _twice = [];
    private readonly ArrayBufferWriter<byte> _set = new();
    private readonly List<(CaseReport Case, (long Bucket, long Count)[][] Histograms, string File, long Bytes)> _slices = [];
    private readonly Dictionary<(string? Machine, DateTime Recorded, int? OsBuild, int? Cpus), (Duration Length, string File)> _wholes = [];
    private readonly SortedDictionary<(string Path, string Of), long> _parts = [];
    private long _waitingBytes;
    private (long ThresholdNs, long MinPriority)? _asked;

    /// <exception cref="IOException">The store failed.</exception>
    public FleetLoad(IFleetStore store)
    {
        _store = store;
        _asked = store.Query($"SELECT threshold_ns, min_priority FROM {FleetTable.Cases} LIMIT 1")
            .Select(row => ((long, long)?)(row.Number(0), row.Number(1))).FirstOrDefault();
    }

    /// <summary>Cases that the store did not have.</summary>
    public long Added { get; private set; }

    public long Known { get; private set; }

    /// <summary>Which files hold cases of the same recordings, and how many of them, as far as that was remembered.</summary>
    public IReadOnlyCollection<KeyValuePair<(string Path, string Of), long>> Twice => _twice;

    /// <summary>Which files hold cases of slices of what others hold, and how many.</summary>
    public IReadOnlyCollection<KeyValuePair<(string Path, string Of), long>> Parts => _parts;

    /// <summary>Cases that only tell that no server gave the trace: they are left out, so that another try counts.</summary>
    public long Unreached { get; private set; }

    /// <summary>Reads a file of cases.</summary>
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

    /// <summary>All files were read: takes the slices whose wholes are in none of them.</summary>
    /// <exception cref="IOException">The store failed.</exception>
    public void Complete()
    {
        foreach ((CaseReport one, (long, long)[][] histograms, string file, long bytes) in _slices)
        {
            if (SessionOf(one) is { } session && _wholes.TryGetValue(session, out (Duration Length, string File) whole)
                && ToldRecording.IsWithin(one.Slice!, one.Duration, other: null, whole.Length))
            {
                _parts[(file, whole.File)] = _parts.GetValueOrDefault((file, whole.File)) + 1;
            }
            else
            {
                Add(one, histograms, bytes);
            }
        }

        _slices.Clear();
        Flush();
    }

    private static (string?, DateTime, int?, int?)? SessionOf(CaseReport one) =>
        one.RecordedUtc is { } recorded ? (one.Machine, recorded, one.System.OsBuild, one.System.Cpus) : null;

    private void Take(string name, long number, ReadOnlySpan<byte> line)
    {
        CaseReport one;
        try
        {
            one = ReportJson.Read<CaseReport>(line);
        }
        catch (JsonException failure)
        {
            throw new IOException($"{name}, line {number} is not a case of 'analyzer blame --format cases': {failure.Message}", failure);
        }

        if (CaseCheck.Problem(one) is { } problem)
        {
            throw new IOException($"{name}, line {number} is not a case of 'analyzer blame --format cases': {problem}");
        }

        if (one.Problem is { MayPass: true })
        {
            Unreached++;
            return;
        }

        (long Bucket, long Count)[][] histograms =
        [
            .. one.Latencies.Select(latency => HdrEncoding.Decode(latency.Histogram)).OfType<HdrHistogram>().Select(FleetHistogram.Of),
        ];
        if (histograms.Length < one.Latencies.Count)
        {
            throw new IOException(
                $"{name}, line {number} is not a case of 'analyzer blame --format cases': a histogram of it cannot be read");
        }

        (long, long) asked = (one.Threshold.Nanoseconds, one.MinPriority);
        _asked ??= asked;
        if (_asked != asked)
        {
            throw new IOException($"{name}, line {number} was made with --threshold {one.Threshold} --min-priority {one.MinPriority}, and "
                + $"cases before it with {new Duration(_asked.Value.ThresholdNs)} and {_asked.Value.MinPriority}: they cannot be compared; "
                + "give each kind by itself");
        }

        Place(name, one.Id);
        if (one.Slice is not null && _slices.Count < MostHeld)
        {
            _slices.Add((one, histograms, name, line.Length));
            return;
        }

        if (one is { Slice: null, Duration: { } length } && SessionOf(one) is { } session && _wholes.Count < MostPlaced)
        {
            _wholes.TryAdd(session, (length, name));
        }

        Add(one, histograms, line.Length);
    }

    private void Add(CaseReport one, (long Bucket, long Count)[][] histograms, long bytes)
    {
        if (_ids.Add(one.Id))
        {
            _waiting.Add((one, histograms));
            _waitingBytes += bytes;
        }
        else
        {
            Known++;
        }

        if (_waiting.Count >= BatchCases || _waitingBytes >= BatchBytes)
        {
            Flush();
        }
    }

    /// <summary>Remembers in what file a case is, and counts those that are in several, or in one more than once.</summary>
    private void Place(string name, string id)
    {
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(MemoryMarshal.AsBytes(id.AsSpan()), digest);
        UInt128 key = BinaryPrimitives.ReadUInt128LittleEndian(digest);
        if (_files.TryGetValue(key, out string? other))
        {
            _twice[(name, other)] = _twice.GetValueOrDefault((name, other)) + 1;
        }
        else if (_files.Count < MostPlaced)
        {
            _files.Add(key, name);
        }
    }

    private void Flush()
    {
        if (_waiting.Count == 0)
        {
            return;
        }

        HashSet<string> known = [.. _store.Known(_ids).Where(_ids.Contains)];
        long added = 0;
        var batch = new FleetBatch();
        foreach ((CaseReport one, (long, long)[][] histograms) in _waiting)
        {
            if (known.Contains(one.Id))
            {
                Known++;
                continue;
            }

            added++;
            Add(batch, one, histograms);
        }

        _waiting.Clear();
        _waitingBytes = 0;
        _ids.Clear();
        _store.Add(batch);
        Added += added;
    }

    private void Add(FleetBatch batch, CaseReport one, (long Bucket, long Count)[][] histograms)
    {
        string id = one.Id;
        string machine = FleetPlace.Tidy(one.Machine);
        long recorded = one.RecordedUtc is { } time
            ? new DateTimeOffset(DateTime.SpecifyKind(time, DateTimeKind.Utc)).ToUnixTimeMilliseconds()
            : -1;
        bool isJudged = one is { Problem: null, Verdict: not (null or Verdict.Unknown) };
        CaseLosses losses = one.Losses;
        bool isLossy = losses.EventsLost > 0 || losses.BuffersLost > 0 || losses.DamagedBuffers > 0 || losses.Truncated;
        batch.Add(
            FleetTable.Cases, id, machine, FleetPlace.Tidy(one.Problem?.Kind), one.Verdict is { } verdict ? KebabCase.Of(verdict) : "",
            FleetPlace.Tidy(one.Trace), recorded, isJudged ? 1L : 0L, isLossy ? 1L : 0L, one.Threshold.Nanoseconds, (long)one.MinPriority,
            Us(one.Duration), one.Probes, (long)one.Episodes, (long)one.DeadlinesMissed, Math.Min(one.Glitches, MostGlitches),
            Us(one.OverThreshold), Us(one.Worst));
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
                (long)chain.Episodes, Us(chain.Latency), Us(chain.Worst));
        }

        foreach ((CaseLatency latency, (long, long)[] histogram) in one.Latencies.Zip(histograms))
        {
            batch.Add(
                FleetTable.Latencies, id, machine, KebabCase.Of(latency.Kind), KebabCase.Of(latency.Source), Us(latency.Maximum),
                histogram);
        }
    }

    /// <summary>Adds what tells a machine apart; most traces of it say the same again, which is passed by.</summary>
    private void AddTraits(FleetBatch batch, CaseReport one, string machine)
    {
        if (machine.Length == 0)
        {
            return;
        }

        CaseSystem system = one.System;
        (string Trait, string? Value)[] traits =
        [
            ("os-build", system.OsBuild?.ToString(CultureInfo.InvariantCulture)),
            ("cpu", system.Cpu),
            ("cpus", system.Cpus?.ToString(CultureInfo.InvariantCulture)),
            ("memory-mb", system.MemoryMb?.ToString(CultureInfo.InvariantCulture)),
            ("hypervisor", system.Hypervisor switch { null => null, true => "yes", false => "no" }),
            ("model", system.Model),
            ("firmware", system.Firmware),
        ];
        (string Driver, string? Device)[] devices =
        [
            .. one.Culprits.Where(culprit => culprit is { Kind: CulpritKind.Driver, Device: not null })
                .Select(culprit => (culprit.Name, culprit.Device)),
        ];
        if (!IsNewSet(machine, [.. traits, .. devices], one.Drivers))
        {
            return;
        }

        foreach ((string trait, string? value) in traits)
        {
            Add(trait, value);
        }

        foreach (CaseDriver driver in one.Drivers)
        {
            Add(FleetTraits.Driver(driver.Name), driver.Version ?? FleetTraits.NoVersion);
        }

        foreach ((string driver, string? device) in devices)
        {
            Add(FleetTraits.Device(driver), device);
        }

        void Add(string trait, string? value)
        {
            if (!string.IsNullOrWhiteSpace(value))
            {
                batch.Add(FleetTable.Traits, machine, FleetPlace.Tidy(trait), FleetPlace.Tidy(value));
            }
        }
    }

    /// <summary>Whether a machine says for the first time that it has just these, as far as that is remembered.</summary>
    private bool IsNewSet(string machine, (string Trait, string? Value)[] traits, IReadOnlyList<CaseDriver> drivers)
    {
        _set.ResetWrittenCount();
        Put(machine);
        foreach ((string trait, string? value) in traits)
        {
            Put(trait);
            Put(value);
        }

        foreach (CaseDriver driver in drivers)
        {
            Put(driver.Name);
            Put(driver.Version);
        }

        if (_sets.Count >= MostSets)
        {
            _sets.Clear();
        }

        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(_set.WrittenSpan, digest);
        return _sets.Add(BinaryPrimitives.ReadUInt128LittleEndian(digest));

        // Their lengths keep texts apart.
        void Put(string? text)
        {
            BinaryPrimitives.WriteInt32LittleEndian(_set.GetSpan(sizeof(int)), text?.Length ?? -1);
            _set.Advance(sizeof(int));
            _set.Write(MemoryMarshal.AsBytes(text.AsSpan()));
        }
    }

    private static long Us(Duration? time) => time is { } known ? Math.Clamp((known.Nanoseconds + 500) / 1000, 0, MostUs) : -1;
}
