using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Draws what every CPU did during an episode and a little before and after it: spans and samples. What it keeps of one episode is bounded.
/// </summary>
/// <param name="lagTicks">How long after the end of an episode its records are read.</param>
internal sealed class LaneDrawing(StripDrawing strips, long lagTicks)
{
    /// <summary>CPUs drawn per episode: the page has no room for more.</summary>
    public const int MostCpus = 16;

    /// <summary>Spans kept of the victim's CPU; a page is about so many points wide.</summary>
    private const int MostOwnSpans = 600;

    /// <summary>Spans kept of another CPU.</summary>
    private const int MostOtherSpans = 150;

    /// <summary>Samples kept of the victim's CPU.</summary>
    private const int MostOwnSamples = 256;

    /// <summary>Samples kept of another CPU.</summary>
    private const int MostOtherSamples = 64;

    /// <summary>Callers kept of a sample of the victim's CPU.</summary>
    private const int MostOwnFrames = 32;

    /// <summary>Callers kept of a sample of another CPU: what was hit, and who called that.</summary>
    private const int MostOtherFrames = 4;

    /// <summary>This part of the wait is drawn before it and behind it as well, so that one sees what it came out of.</summary>
    private const int MarginPart = 4;

    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];

    public RawLanes Draw(CpuHistories cpus, EpisodeCandidate candidate)
    {
        // What lies within the lag has been read; DPCs are recorded at their end, so its last part may lack one.
        long margin = Math.Min((candidate.LatencyTicks / MarginPart) + 1, lagTicks / 2);
        long from = candidate.FromTicks - margin;
        long to = candidate.ToTicks + margin;
        List<RawLane> lanes = [];
        if (cpus[candidate.Cpu] is { } own)
        {
            lanes.Add(LaneOf(own, from, to, isOwn: true));
        }

        foreach (CpuHistory? cpu in cpus)
        {
            if (cpu is null || cpu.Cpu == candidate.Cpu || lanes.Count >= MostCpus)
            {
                continue;
            }

            RawLane lane = LaneOf(cpu, from, to, isOwn: false);
            if (lane.Spans.Count > 0 || lane.Samples.Count > 0)
            {
                lanes.Add(lane);
            }
        }

        return new RawLanes(from, to, lanes);
    }

    private RawLane LaneOf(CpuHistory cpu, long fromTicks, long toTicks, bool isOwn)
    {
        IReadOnlyList<RawStripSpan> all = strips.SpansOf(cpu, fromTicks, toTicks);
        IReadOnlyList<RawStripSpan> spans = Joined(all, toTicks - fromTicks, isOwn ? MostOwnSpans : MostOtherSpans, out long below);
        List<RawLaneSample> samples = Samples(cpu, fromTicks, toTicks, isOwn, out int each);
        return new RawLane(cpu.Cpu, spans, below, samples, each);
    }

    /// <summary>
    /// Joins neighbours that are too short to be told apart, where there are more spans than a lane may have. A joined span shows what took
    /// most of it.
    /// </summary>
    /// <param name="spans">By time.</param>
    /// <param name="most">How many it may have.</param>
    /// <param name="belowTicks">Spans shorter than this were joined; 0 where all are there.</param>
    internal static IReadOnlyList<RawStripSpan> Joined(IReadOnlyList<RawStripSpan> spans, long ticks, int most, out long belowTicks)
    {
        belowTicks = 0;
        if (spans.Count <= most)
        {
            return spans;
        }

        // Four sorts of spans are at most a quarter of these each: long ones, joined ones that grew as long, and those cut off by a long
        // one or by a long hole. Short holes are joined with what lies around them.
        belowTicks = Math.Max(1, (4 * ticks / most) + 1);
        List<RawStripSpan> joined = [];
        RawStripSpan? open = null;
        long largest = 0;
        foreach (RawStripSpan span in spans)
        {
            long length = span.ToTicks - span.FromTicks;
            bool isShort = length < belowTicks;
            bool follows = open is { } before
                && span.FromTicks - before.ToTicks < belowTicks && before.ToTicks - before.FromTicks < belowTicks;
            if (open is { } kept && !(isShort && follows))
            {
                joined.Add(kept);
                open = null;
            }

            if (!isShort)
            {
                joined.Add(span);
            }
            else if (open is { } first)
            {
                open = (length > largest ? span : first) with { FromTicks = first.FromTicks, ToTicks = span.ToTicks };
                largest = Math.Max(largest, length);
            }
            else
            {
                open = span;
                largest = length;
            }
        }

        if (open is { } last)
        {
            joined.Add(last);
        }

        return joined;
    }

    private List<RawLaneSample> Samples(CpuHistory cpu, long fromTicks, long toTicks, bool isOwn, out int each)
    {
        long first = cpu.FirstSampleFrom(fromTicks);
        long count = cpu.Samples.FirstAfter(toTicks) - first;
        int most = isOwn ? MostOwnSamples : MostOtherSamples;
        each = (int)Math.Max(1, (count + most - 1) / most);
        List<RawLaneSample> samples = [];
        for (long number = first; number < first + count; number += each)
        {
            ref CpuSample sample = ref cpu.Samples[number];
            samples.Add(new RawLaneSample(
                sample.Ticks, sample.ThreadId, CodeOf(cpu, in sample, isOwn ? MostOwnFrames : MostOtherFrames)));
        }

        return samples;
    }

    private ulong[] CodeOf(CpuHistory cpu, in CpuSample sample, int most)
    {
        ReadOnlySpan<ulong> frames = cpu.FramesOf(in sample, _frames);
        if (frames.Length > 0 && frames[0] == sample.Instruction)
        {
            frames = frames[1..];
        }

        ulong[] code = new ulong[1 + Math.Min(frames.Length, most)];
        code[0] = sample.Instruction;
        frames[..(code.Length - 1)].CopyTo(code.AsSpan(1));
        return code;
    }
}
