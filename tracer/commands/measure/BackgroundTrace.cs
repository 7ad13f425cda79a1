using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Measure.Ground;
using Tracer.Measure.Recording;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>What ran in each second of a trace, as a measurement of the machine that it was recorded on.</summary>
internal static class BackgroundTrace
{
    /// <exception cref="MeasureException">It can't be read, or has no context switches.</exception>
    public static MeasureReport Read(string path)
    {
        try
        {
            using EtlReader reader = EtlReader.Open(path);
            var facts = TraceFacts.Read(reader);
            TraceSummary trace = facts.Summary(path, reader);
            if (!trace.Has.ContextSwitches)
            {
                throw new MeasureException(
                    $"{path}: it has no context switches, so it does not tell what ran: record the keyword CSWITCH, as "
                    + "samples/latency.wprp does");
            }

            long hz = reader.Header.Clock.TicksPerSecond;
            var tally = new BackgroundTally();
            ThreadSecondsRead read = ThreadSeconds.Read(reader, facts, new Tallying(tally, hz));
            MeasureResult result = tally.ToResult(own: null);
            return new MeasureReport
            {
                Measurement = "background",
                Result = result.Sentence,
                Machine = new MeasuredMachine
                {
                    System = trace.OsBuild is { } build ? $"Windows, build {build}" : "Windows",
                    Processor = trace.Machine.Cpu,
                    Cpus = trace.Cpus ?? 0,
                    ClockSource = trace.Clock?.ToString(),
                    CounterHz = hz,
                    ClockTick = null,
                    PowerPolicy = null,
                    IsVirtual = trace.Machine.Hypervisor,
                },
                Parameters = [new("trace", path)],
                Settings = [],
                Elapsed = Duration.FromSeconds(read.Seconds),
                WasCutShort = false,
                Figures = result.Figures,
                Tables = result.Tables,
                Series = result.Series,
                Cost = new MeasureCost(0, 0, 0, 0),
                Notes = [.. NotesOf(read), .. result.Notes],
            };
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new MeasureException(failure.Message, failure);
        }
    }

    private static IEnumerable<string> NotesOf(ThreadSecondsRead read)
    {
        yield return "Whole seconds from the first context switch on; interrupts and DPCs count for the thread that they came in, and idle "
            + "threads are left out.";
        if (read.Pauses > 0)
        {
            yield return $"{Counted.Of(read.Pauses, "time")} there was no context switch for more than {ThreadSeconds.LongestPause} s: "
                + "that, and the seconds that it cuts, are left out. Nothing was recorded then, or time stamps are bad.";
        }

        if (read.WithLosses > 0)
        {
            yield return $"Records of {Counted.Of(read.WithLosses, "second")} are missing: what ran across that does not count.";
        }
    }

    private sealed class Tallying(BackgroundTally tally, long ticksPerSecond) : IThreadSeconds
    {
        public void Take(ThreadSecond one) => tally.Add(
            one.ProcessId ?? 0, one.Process, one.ThreadId, one.Second, TickRate.NanosecondsOf(one.Ticks, ticksPerSecond));

        public void EndSecond(long second) => tally.EndSecond(second);
    }
}
