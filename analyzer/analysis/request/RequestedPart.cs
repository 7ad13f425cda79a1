using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Request;

/// <summary>Checks that a trace has the part of it that was asked about.</summary>
internal static class RequestedPart
{
    /// <param name="facts">What the first reading learnt.</param>
    /// <exception cref="MeaninglessRequestException">No CPU that was asked about is in the trace, or no time of it.</exception>
    public static void Check(BlameRequest request, TraceFacts facts, TraceClock clock)
    {
        int[] cpus = [.. facts.Cpus.Select(cpu => cpu.Cpu)];
        if (request.Cpus is { } asked && cpus.Length > 0 && !asked.Any(cpus.Contains))
        {
            throw new MeaninglessRequestException(
                $"--cpu {NumberRanges.Of(asked)}: this trace has no such CPU; it has {NumberRanges.Of(cpus)}");
        }

        SliceOrigin? slice = facts.Tracer.Recorder.Slice;
        var first = new Duration(clock.NanosecondsFromHeader(Math.Max(facts.FirstTicks, slice?.FromTicks ?? long.MinValue)));
        var last = new Duration(clock.NanosecondsFromHeader(Math.Min(facts.LastTicks, slice?.ToTicks ?? long.MaxValue)));
        if (request.From > last)
        {
            throw new MeaninglessRequestException(
                $"--from {request.Shown(request.From)}: this trace ends at {ReadableDuration.At(BlameRequest.Minus(last, request.Zero))}");
        }

        if (request.To < first)
        {
            throw new MeaninglessRequestException(
                $"--to {request.Shown(request.To)}: this trace begins at {ReadableDuration.At(BlameRequest.Minus(first, request.Zero))}");
        }
    }
}
