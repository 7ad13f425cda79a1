using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.Analysis.Slicing;

namespace Tracer.Analysis;

/// <param name="From">First moment that is judged, from the header event.</param>
/// <param name="To">Last moment that is judged.</param>
/// <param name="Before">How much before it is kept: what led to it.</param>
/// <param name="Differences">How its blame differs from the whole trace's.</param>
public sealed record SliceResult(
    Duration From, Duration To, Duration Before, Duration Behind, long Events, SliceDifferences Differences, BlameReport Report);

/// <summary>Takes the names out of a slice, so that it can be given away.</summary>
public interface ISliceRedaction : IRecordRewriting
{
    /// <summary>What the slice calls one whom blame of the whole trace names.</summary>
    string NameOf(string culprit);

    /// <summary>What is asked of the slice, in its names.</summary>
    BlameRequest Asked(BlameRequest request);
}

/// <summary>
/// Cuts a part out of a trace so that blame says of it what it says of the same part of the whole. What a latency is put down to may rest
/// on what came long before it, so the slice is tried: it is read and compared, and as long as something is told otherwise, more of what
/// surrounds it is kept.
/// </summary>
public static class TraceSlicing
{
    /// <summary>How much of what surrounds the part is kept first, in seconds; then this many times as much, and so on.</summary>
    private const long FirstContextSeconds = 1;
    private const double Growth = 8;

    /// <summary>Where so much around it does not do, all of the trace is kept: it may claim to be endless.</summary>
    private const long LongestContextSeconds = 512;

    /// <summary>Records that belong to a latency may come so much behind its end, in ns.</summary>
    private const long LagNanoseconds = 100_000_000;

    /// <param name="reader">The trace; a pipe is copied to a temporary file.</param>
    /// <param name="episode">
    /// Number of the episode that is cut out with what surrounds it, in the place of times; null where those hold.
    /// </param>
    /// <param name="output">Takes the slice; it must be able to seek and to be read.</param>
    /// <param name="redaction">Takes the names out of it; null where they stay.</param>
    /// <exception cref="IOException">The storage failed, or the trace has no clock that is known.</exception>
    /// <exception cref="MeaninglessRequestException">The trace has no such part.</exception>
    public static SliceResult Cut(
        string path,
        EtlReader reader,
        BlameRequest request,
        int? episode,
        Stream output,
        ISliceRedaction? redaction = null)
    {
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(output);
        if (UnjudgedTrace.WhyWithoutClock(reader) is { } why)
        {
            throw new IOException($"{path}: no part of it can be given by times, because {why}");
        }

        TraceFacts facts = TraceFacts.Read(reader);
        TraceClock clock = reader.Header.Clock;
        BlameRequest asked = request.In(reader.Header, facts, isOfPart: true) with { Zero = null };
        BlameReport whole = BlameAnalysis.Analyze(path, reader, asked).Report;
        if (episode is { } number)
        {
            Episode found = whole.Episodes.FirstOrDefault(one => one.Id == number)
                ?? throw new MeaninglessRequestException($"--episode: there is no episode {number}; {RangeOf(whole.Episodes)}");
            asked = asked with
            {
                From = found.Start - Defaults.BeforeEpisode,
                To = found.Start + found.Latency + Defaults.BehindEpisode,
            };
            whole = BlameAnalysis.Analyze(path, reader, asked).Report;
        }

        SliceOrigin? earlier = facts.Tracer.Recorder.Slice;
        var judged = new TraceWindow(
            Math.Max(asked.From is { } from ? clock.TicksAt(from.Nanoseconds) : facts.FirstTicks, earlier?.FromTicks ?? long.MinValue),
            Math.Min(asked.To is { } to ? clock.TicksAt(to.Nanoseconds) : facts.LastTicks, earlier?.ToTicks ?? long.MaxValue));
        long lastEnd = whole.Episodes.Select(episode => clock.TicksAt((episode.Start + episode.Latency).Nanoseconds))
            .Append(judged.End).Max();
        long context = clock.TicksOfSeconds(FirstContextSeconds);
        long longest = clock.TicksOfSeconds(LongestContextSeconds);
        long lag = clock.TicksOf(LagNanoseconds);
        var all = new TraceWindow(earlier?.KeptFromTicks ?? 0, earlier?.KeptToTicks ?? long.MaxValue);

        long start = output.Position;
        (TraceWindow Kept, SliceDifferences Differences)? best = null;
        while (true)
        {
            TraceWindow kept = Part((Int128)judged.Begin - context, (Int128)lastEnd + lag + (best is null ? 0 : context));
            SliceResult result = Try(kept);
            if (result.Differences.Different == 0 || kept == all)
            {
                return result.Differences.Different == 0 || best is not { } better
                    || better.Differences.Different > result.Differences.Different
                    ? result
                    : Try(better.Kept);
            }

            best = best is { } known && known.Differences.Different <= result.Differences.Different ? known : (kept, result.Differences);
            context = context < longest ? (long)(context * Growth) : long.MaxValue;
        }

        string Seconds(long ticks) => ReadableDuration.At(new Duration(clock.NanosecondsFromHeader(ticks)));

        // What reaches the trace's first or last event has no edge there: what began before it is told by its end.
        TraceWindow Part(Int128 from, Int128 to) => new(
            from <= Math.Max(facts.FirstTicks, all.Begin) ? all.Begin : (long)from,
            to >= Math.Min(facts.LastTicks, all.End) ? all.End : (long)to);

        SliceResult Try(TraceWindow kept)
        {
            // Judged as the whole was, but for the times: the slice knows them.
            output.SetLength(start);
            output.Position = start;
            (long events, long ofPart) = SliceWriting.Write(reader, judged, kept, output, redaction);
            if (ofPart == 0 && whole.Episodes.Count == 0)
            {
                throw new MeaninglessRequestException(
                    $"no event lies from {Seconds(judged.Begin)} to {Seconds(judged.End)}; this trace has events from "
                    + $"{Seconds(facts.FirstTicks)} to {Seconds(facts.LastTicks)}");
            }

            output.Position = start;
            using var slice = EtlReader.Open(new BorrowedStream(output), path);
            BlameRequest again = asked with { From = null, To = null };
            BlameReport report = BlameAnalysis.Analyze(path, slice, redaction?.Asked(again) ?? again).Report;
            output.Position = output.Length;
            return new SliceResult(
                new Duration(clock.NanosecondsFromHeader(judged.Begin)),
                new Duration(clock.NanosecondsFromHeader(judged.End)),
                new Duration(clock.NanosecondsOf(Math.Max(0, judged.Begin - Math.Max(kept.Begin, facts.FirstTicks)))),
                new Duration(clock.NanosecondsOf(Math.Max(0, Math.Min(kept.End, facts.LastTicks) - judged.End))),
                events,
                SliceDifferences.Between(whole, report, redaction is null ? null : redaction.NameOf),
                report);
        }
    }

    public static string RangeOf(IReadOnlyList<Episode> episodes)
    {
        ArgumentNullException.ThrowIfNull(episodes);
        return episodes.Count switch
        {
            0 => "it has none at this threshold",
            1 => $"it has only {episodes[0].Id}",
            _ => $"it has {episodes.Min(episode => episode.Id)} to {episodes.Max(episode => episode.Id)}",
        };
    }
}
