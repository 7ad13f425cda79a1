using System.Runtime.InteropServices;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// The histograms of one kind and source: one of everything, and one for each part of each split. Memory is bounded: what is beyond the
/// limit of parts is counted together.
/// </summary>
internal sealed class LatencyTable(IReadOnlyList<LatencyDimensions> splits)
{
    private readonly Dictionary<LatencyKey, HdrHistogram>[] _parts = [.. splits.Select(_ => new Dictionary<LatencyKey, HdrHistogram>())];
    private readonly HdrHistogram?[] _rest = new HdrHistogram?[splits.Count];

    public HdrHistogram All { get; } = new(HdrLayout.Latencies);

    public IReadOnlyDictionary<LatencyKey, HdrHistogram> Parts(int split) => _parts[split];

    /// <summary>What is beyond the limit of parts; null where nothing is.</summary>
    public HdrHistogram? Rest(int split) => _rest[split];

    public void Add(in LatencyKey key, long nanoseconds)
    {
        All.Record(nanoseconds);
        for (int split = 0; split < _parts.Length; split++)
        {
            if (key.Has(splits[split]))
            {
                PartOf(split, key.Only(splits[split])).Record(nanoseconds);
            }
        }
    }

    private HdrHistogram PartOf(int split, in LatencyKey key)
    {
        Dictionary<LatencyKey, HdrHistogram> parts = _parts[split];
        if (parts.Count == LatencyRequest.MostParts && !parts.ContainsKey(key))
        {
            return _rest[split] ??= new HdrHistogram(HdrLayout.Latencies);
        }

        ref HdrHistogram? part = ref CollectionsMarshal.GetValueRefOrAddDefault(parts, key, out _);
        return part ??= new HdrHistogram(HdrLayout.Latencies);
    }
}

/// <summary>What a latency belongs to; -1 where that is not known or not told apart.</summary>
internal readonly record struct LatencyKey(int Cpu, int Priority, int Group, int Process, int Label)
{
    /// <summary>Whether it tells apart what a split does; the trace is none of its fields, because a table is of one trace.</summary>
    public bool Has(LatencyDimensions split) =>
        (!split.HasFlag(LatencyDimensions.Priority) || Priority >= 0)
        && (!split.HasFlag(LatencyDimensions.Group) || Group >= 0)
        && (!split.HasFlag(LatencyDimensions.Process) || Process >= 0)
        && (!split.HasFlag(LatencyDimensions.Label) || Label >= 0);

    /// <summary>Only what a split tells apart.</summary>
    public LatencyKey Only(LatencyDimensions split) => new(
        split.HasFlag(LatencyDimensions.Cpu) ? Cpu : -1,
        split.HasFlag(LatencyDimensions.Priority) ? Priority : -1,
        split.HasFlag(LatencyDimensions.Group) ? Group : -1,
        split.HasFlag(LatencyDimensions.Process) ? Process : -1,
        split.HasFlag(LatencyDimensions.Label) ? Label : -1);
}
