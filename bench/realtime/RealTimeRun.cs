using System.Diagnostics;
using System.Text;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;

namespace Tracer.Bench.RealTime;

/// <summary>
/// <c>realtime [--events 400000] [--rounds 15] [-o FILE]</c>: how many DPCs and ISRs a second the real-time trigger takes on one core,
/// against plain reading of the same events from a trace. Both ways in turn, in one process on one core; medians of CPU time count.
/// </summary>
internal static class RealTimeRun
{
    private const int WarmRounds = 4;

    public static int Run(string[] args)
    {
        int events = 400_000;
        int rounds = 15;
        string? output = null;
        for (int i = 0; i + 1 < args.Length; i += 2)
        {
            switch (args[i])
            {
                case "--events":
                    events = int.Parse(args[i + 1], CultureInfo.InvariantCulture);
                    break;
                case "--rounds":
                    rounds = int.Parse(args[i + 1], CultureInfo.InvariantCulture);
                    break;
                case "-o":
                    output = args[i + 1];
                    break;
                default:
                    Console.Error.WriteLine("realtime [--events 400000] [--rounds 15] [-o FILE]");
                    return 2;
            }
        }

        string load = File.Exists("/proc/loadavg") ? File.ReadAllText("/proc/loadavg")[..14].Trim() : "unknown";
        StayOnOneCore();
        using ReplayedEvents replayed = new(events);
        replayed.Install();
        string report = Measure(replayed, rounds, load);
        Console.Write(report);
        if (output is not null)
        {
            File.WriteAllText(output, report);
        }

        return 0;
    }

    private static string Measure(ReplayedEvents replayed, int rounds, string load)
    {
        ReplaySessions sessions = new(replayed.Count);
        TriggerKind[] kinds = [TriggerKind.Dpc, TriggerKind.Isr];
        using DpcIsrTrigger trigger = new(sessions, SessionPlans.Trigger(new MachineSize(8, 16L << 30), kinds), new StandingClock(), kinds);
        trigger.Start();
        double[] byCpu = new double[rounds];
        double[] byTime = new double[rounds];
        double[] realTime = new double[rounds];
        long allocated = 0;
        for (int round = -WarmRounds; round < rounds; round++)
        {
            (double cpuSeconds, long cpuSum) = Read(replayed, EtlOrder.Cpu);
            (double timeSeconds, long timeSum) = Read(replayed, EtlOrder.Time);
            Measurements measurements = new();
            sessions.Replay(trigger, measurements);
            if (measurements.Count != replayed.Count || measurements.Sum != cpuSum || cpuSum != timeSum || measurements.Lost != 0)
            {
                throw new InvalidOperationException("The ways do not agree on what happened.");
            }

            if (round >= 0)
            {
                (byCpu[round], byTime[round], realTime[round]) = (cpuSeconds, timeSeconds, sessions.Last.Seconds);
                allocated = Math.Max(allocated, sessions.Last.AllocatedBytes);
            }
        }

        return Report(replayed.Count, rounds, load, Median(byCpu), Median(byTime), Median(realTime), allocated);
    }

    private static string Report(int events, int rounds, string load, double byCpu, double byTime, double realTime, long allocated)
    {
        StringBuilder text = new();
        text.AppendLine("# The real-time trigger")
            .AppendLine()
            .AppendLine("Written by `dotnet run -c Release --project bench -- realtime -o bench/realtime.md`")
            .AppendLine(Text($"on {DateTime.UtcNow:yyyy-MM-dd}: {rounds} rounds in turn on one core, {events} DPCs and ISRs each,"))
            .AppendLine(Text($"medians of CPU time; load before: {load}; .NET {Environment.Version}."))
            .AppendLine()
            .AppendLine("| what | M events/s | ns/event | against plain reading | bytes allocated |")
            .AppendLine("|---|---|---|---|---|")
            .AppendLine(Row("typed decode from a trace, CPU after CPU: plain reading", events, byCpu, byCpu, ""))
            .AppendLine(Row("the same in order of time", events, byTime, byCpu, ""))
            .AppendLine(Row(
                "real time: EVENT_RECORD, TraceEvent, trigger, ring, measurement", events, realTime, byCpu, Text($"{allocated}")))
            .AppendLine()
            .AppendLine("Bytes: what the reading thread allocated from the first event of a pass to the last, the worst pass.");
        return text.ToString();
    }

    private static string Row(string what, int events, double seconds, double plain, string allocated) => Text(
        $"| {what} | {events / seconds / 1e6:0.0} | {seconds / events * 1e9:0.0} | {seconds / plain:0.00}x | {allocated} |");

    private static (double Seconds, long Sum) Read(ReplayedEvents replayed, EtlOrder order)
    {
        TimeSpan start = Environment.CpuUsage.TotalTime;
        using EtlReader reader = EtlReader.Open(replayed.TracePath);
        InterruptSums sums = default;
        reader.Read(order, ref sums);
        return ((Environment.CpuUsage.TotalTime - start).TotalSeconds, sums.Sum);
    }

    private static void StayOnOneCore()
    {
        if (OperatingSystem.IsLinux())
        {
            using Process self = Process.GetCurrentProcess();
            self.ProcessorAffinity = 1;
        }
    }

    private static double Median(double[] values)
    {
        Array.Sort(values);
        return values[values.Length / 2];
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>What both ways add up: length, start, routine and CPU of each.</summary>
    private static long SumOf(long beginTicks, long lengthNs, ulong routine, int cpu) => beginTicks + lengthNs + (long)routine + cpu;

    /// <summary>Plain reading.</summary>
    private struct InterruptSums : IEtlEventSink
    {
        private const long NanosecondsPerTick = 100;

        public long Sum { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            switch (traceEvent.HookId)
            {
                case KernelHook.Isr or KernelHook.IsrMessageSignalled when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                    Add(in traceEvent, isr.InitialTime, isr.Routine);
                    break;
                case KernelHook.Dpc or KernelHook.TimerDpc when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                    Add(in traceEvent, dpc.InitialTime, dpc.Routine);
                    break;
            }

            return true;
        }

        private void Add(scoped in EtlEvent traceEvent, long begin, ulong routine) =>
            Sum += SumOf(begin, (traceEvent.TimestampTicks - begin) * NanosecondsPerTick, routine, traceEvent.Cpu);
    }

    /// <summary>The engine's place.</summary>
    private sealed class Measurements : ITriggerSink
    {
        public long Count { get; private set; }

        public long Sum { get; private set; }

        public long Lost { get; private set; }

        public void OnMeasurement(in TriggerMeasurement measurement)
        {
            Count++;
            Sum += SumOf(measurement.StartQpc, measurement.LatencyNs, measurement.Routine, measurement.Cpu);
        }

        public void OnLost(TriggerKind kind, long count) => Lost += count;
    }

    /// <summary>A counter of the replayed trace's rate; the time itself stands still, so that no session is asked for losses.</summary>
    private sealed class StandingClock : ICaptureClock
    {
        public long Qpc => 0;

        public long QpcHz => 10_000_000;

        public DateTime UtcNow => DateTime.UnixEpoch;

        public void Wait(TimeSpan time, CancellationToken cancellation) => throw new NotSupportedException();
    }
}
