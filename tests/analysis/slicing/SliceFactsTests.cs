using Tracer.Analysis.Contents;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Request;
using Tracer.Analysis.Slicing;
using Tracer.Analysis.Tests.Scenarios;
using Tracer.Simulator.Scenarios;

namespace Tracer.Analysis.Tests.Slicing;

/// <summary>
/// Whatever a record of the part refers to is in the slice: addresses, threads, keys of stacks, files and parked processors mean there what
/// they mean in the whole trace. Nothing of other times is.
/// </summary>
[Trait("Speed", "slow")]
public class SliceFactsTests
{
    private static readonly (Duration From, Duration To) Part = (Duration.FromMilliseconds(2900), Duration.FromMilliseconds(3300));

    [Theory]
    [InlineData("kmdf-client-no-events", true)]
    [InlineData("hard-faults", false)]
    [InlineData("parked-cores", false)]
    [InlineData("slow-core", true)]
    public void Records_of_the_part_mean_what_they_mean_in_the_whole_trace(string name, bool keys)
    {
        byte[] whole = Simulated(name, keys);
        byte[] slice = Slice(whole);
        TraceFacts facts = Facts(whole, out TraceClock clock);
        TraceFacts sliced = Facts(slice, out _);
        var window = new TraceWindow(clock.TicksAt(Part.From.Nanoseconds), clock.TicksAt(Part.To.Nanoseconds));
        string[] expected = Meanings(whole, facts, window);
        Assert.True(expected.Length > 500, $"{expected.Length} records");
        Assert.Equal(expected, Meanings(slice, sliced, window));
        Assert.Equal(facts.Images.Images.Count, sliced.Images.Images.Count);
        Assert.Equal(facts.Threads.Processes.Count, sliced.Threads.Processes.Count);
        Assert.Equal(facts.SampleIntervals.Changes, sliced.SampleIntervals.Changes);
        foreach (CpuActivity cpu in facts.Cpus)
        {
            Assert.Equal(
                facts.Parked.Of(cpu.Cpu, window.Begin, window.End), sliced.Parked.Of(cpu.Cpu, window.Begin, window.End));
        }
    }

    [Fact]
    public void A_part_that_lies_in_standby_tells_so()
    {
        byte[] whole = ScenarioFile.Write(ScenarioText.Read("standby", """
            cpus 2
            100ms cpu0 standby
            every 1ms from 1ms to 6000ms : +0us cpu1 sample 0x401000
            5000ms cpu0 standby left
            5500ms cpu0 standby
            """));
        byte[] slice = Slice(whole);
        Assert.True(slice.Length < whole.Length / 2);
        foreach (byte[] trace in new[] { whole, slice })
        {
            StandbyTimes standby = Facts(trace, out TraceClock clock).Standby;
            Assert.True(standby.Covers(clock.TicksAt(Part.From.Nanoseconds), clock.TicksAt(Part.To.Nanoseconds)));
            Assert.False(standby.Covers(clock.TicksAt(Part.To.Nanoseconds), clock.TicksAt(5_100_000_000)));
        }
    }

    [Fact]
    public void What_lies_outside_and_is_not_referred_to_is_left_behind_and_counted()
    {
        byte[] whole = Simulated("ndis-miniport", keys: false);
        byte[] slice = Slice(whole);
        SliceOrigin origin = Facts(slice, out TraceClock clock).Tracer.Recorder.Slice!;
        var all = new TraceWindow(long.MinValue, long.MaxValue);
        var kept = new TraceWindow(origin.KeptFromTicks, origin.KeptToTicks);
        Assert.InRange(clock.NanosecondsFromHeader(origin.KeptFromTicks), 1, Part.From.Nanoseconds);
        Assert.Equal(Count(whole, kept, KernelHook.SampledProfile), Count(slice, all, KernelHook.SampledProfile));
        Assert.Equal(Count(whole, all, KernelHook.SampledProfile) - Count(whole, kept, KernelHook.SampledProfile), (long)origin.Samples);
        long switches = Count(slice, all, KernelHook.ContextSwitch) - Count(whole, kept, KernelHook.ContextSwitch);
        Assert.InRange(switches, 1, 2); // The last before the part, of each of the two CPUs.
    }

    private static byte[] Simulated(string name, bool keys)
    {
        using var file = new MemoryStream();
        _ = new ScenarioRun(ScenarioCatalog.Find(name)!, 4)
        {
            Duration = Duration.FromSeconds(5),
            ChangeRecording = options => options with { UsesStackKeys = keys },
        }.WriteTo(file);
        return file.ToArray();
    }

    private static byte[] Slice(byte[] trace)
    {
        using var output = new MemoryStream();
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace), "whole");
        _ = TraceSlicing.Cut(
            "whole", reader, new BlameRequest { From = Part.From, To = Part.To }, episode: null, output);
        return output.ToArray();
    }

    private static TraceFacts Facts(byte[] trace, out TraceClock clock)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace), "trace");
        clock = reader.Header.Clock;
        return TraceFacts.Read(reader);
    }

    private static string[] Meanings(byte[] trace, TraceFacts facts, TraceWindow window)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace), "trace");
        var sink = new MeaningSink(facts, window);
        reader.Read(EtlOrder.Time, ref sink);
        return [.. sink.Lines];
    }

    private static long Count(byte[] trace, TraceWindow window, ushort hook)
    {
        using EtlReader reader = EtlReader.Open(new MemoryStream(trace), "trace");
        var sink = new CountSink(window, hook);
        reader.Read(EtlOrder.Any, ref sink);
        return sink.Count;
    }

    private sealed class CountSink(TraceWindow window, ushort hook) : IEtlEventSink
    {
        public long Count { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Count += traceEvent.HookId == hook && window.Contains(traceEvent.TimestampTicks) ? 1 : 0;
            return true;
        }
    }

    private sealed class MeaningSink(TraceFacts facts, TraceWindow window) : IEtlEventSink
    {
        public List<string> Lines { get; } = [];

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            long ticks = traceEvent.TimestampTicks;
            if (KernelHook.Of(in traceEvent) is { } named && FaultedFiles.IsName(named)
                && facts.FaultedFiles.TryRead(named, in traceEvent, out FileName name))
            {
                facts.FaultedFiles.AddName(in name); // In order of time, as the analysis does.
            }

            if (!window.Contains(ticks))
            {
                return true;
            }

            switch (traceEvent.HookId)
            {
                case KernelHook.SampledProfile when SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample):
                    uint? process = facts.Threads.ProcessOf(sample.ThreadId, ticks);
                    Lines.Add($"{ticks} sample {facts.Images.Find(sample.InstructionPointer, ticks)?.Name} {sample.ThreadId} of {process} "
                        + $"{(process is { } id ? facts.Threads.NameOf(id, ticks) : "")}");
                    break;
                case KernelHook.StackKernelKey when StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord key)
                    && window.Contains(key.EventTimeStamp):
                    Lines.Add(facts.Stacks.TryResolve(key.Key, ticks, out ReadOnlySpan<ulong> frames)
                        ? $"{ticks} key {string.Join(',', frames.ToArray())}"
                        : $"{ticks} key unknown");
                    break;
                case KernelHook.HardFault when HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault):
                    Lines.Add($"{ticks} fault {facts.FaultedFiles.Of(fault.FileObject)?.Name}");
                    break;
                default:
                    break;
            }

            return true;
        }
    }
}
