using System.Buffers.Binary;
using Tracer.Analysis.Facts;
using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// Reads a trace by time and gives what each CPU ran, what woke what, idle states, speeds and samples. Memory is bounded: what a CPU did
/// since its last context switch, and one flow for each thread that is ready and each DPC that is queued.
/// </summary>
/// <param name="facts">What a first reading learnt.</param>
internal sealed class ScheduleReading(ExportWindow window, TraceFacts facts, long ticksPerSecond, IScheduleWriter writer)
{
    /// <summary>The longest run of an ISR or DPC that is believed, and how far behind the window its record is waited for.</summary>
    private const int LongestRoutineSeconds = 1;

    /// <summary>Most threads that are ready, and most DPCs that are queued, at once.</summary>
    private const int MostWaiting = 1 << 16;

    private const int SpeedChangeBytes = 11;

    private readonly long _longestRoutineTicks = TickRate.TicksOfSeconds(LongestRoutineSeconds, ticksPerSecond);
    private readonly SpanNesting?[] _lanes = new SpanNesting?[EtlBufferHeader.MaximumProcessors];
    private readonly Dictionary<uint, (ulong Flow, long Ticks)> _ready = [];
    private readonly Dictionary<ulong, ulong> _queued = [];
    private readonly FlowNumbers _flows = new();
    private long _lastTicks;
    private long _leftOut;

    /// <summary>How many records contradict themselves: no length, or one that cannot be.</summary>
    public long Absurd { get; private set; }

    /// <summary>How many flows were left out because too many were under way at once.</summary>
    public long FlowsLeftOut => _leftOut + _lanes.Sum(lane => lane?.EndsLeftOut ?? 0);

    public long RoutinesCut => _lanes.Sum(lane => lane?.RoutinesCut ?? 0);

    /// <exception cref="IOException">The storage failed.</exception>
    public void Read(EtlReader reader)
    {
        var health = new TraceHealth();
        var joiner = new StackJoiner<Sink>(new Sink(this), facts.Stacks, reader.Header.Clock, health);
        if (reader.Read(EtlOrder.Time, ref joiner))
        {
            joiner.Complete();
        }

        long end = Math.Min(_lastTicks, window.ToTicks);
        foreach (SpanNesting? lane in _lanes)
        {
            lane?.Switch(end, null, writer);
        }
    }

    private bool Add(in EtlEvent traceEvent, in EventStack stack)
    {
        long ticks = traceEvent.TimestampTicks;
        if ((uint)traceEvent.Cpu >= (uint)_lanes.Length || ticks <= 0 || traceEvent.Kind == EtlHeaderKind.Message)
        {
            return true; // Its CPU or its time stamp cannot be trusted.
        }

        if (ticks > window.ToTicks && ticks - window.ToTicks > _longestRoutineTicks)
        {
            return false;
        }

        _lastTicks = Math.Max(_lastTicks, ticks);
        SpanNesting lane = _lanes[traceEvent.Cpu] ??= new SpanNesting(traceEvent.Cpu, window, facts.Images, _flows);
        ushort hook = traceEvent.IsKernelHook ? traceEvent.HookId : KernelHook.Of(in traceEvent) ?? 0;
        switch (hook)
        {
            case KernelHook.ContextSwitch when ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change):
                Switch(lane, traceEvent.Cpu, in change, ticks);
                break;
            case KernelHook.ReadyThread when ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready):
                Ready(lane, traceEvent.Cpu, ready.ThreadId, ticks);
                break;
            case KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr
                when IsrRecord.TryRead(in traceEvent, out IsrRecord isr):
                CpuSpanKind isrKind = hook == KernelHook.PassiveIsr ? CpuSpanKind.PassiveIsr : CpuSpanKind.Isr;
                Ran(lane, traceEvent.Cpu, isrKind, isr.InitialTime, ticks, isr.Routine, isr.Vector);
                break;
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc or KernelHook.ThreadedDpc
                when DpcRecord.TryRead(in traceEvent, out DpcRecord dpc):
                CpuSpanKind kind = hook switch
                {
                    KernelHook.Dpc => CpuSpanKind.Dpc,
                    KernelHook.ThreadedDpc => CpuSpanKind.ThreadedDpc,
                    _ => CpuSpanKind.TimerDpc,
                };
                Ran(lane, traceEvent.Cpu, kind, dpc.InitialTime, ticks, dpc.Routine, null);
                break;
            case KernelHook.DpcEnqueue when DpcEnqueueRecord.TryRead(in traceEvent, out DpcEnqueueRecord enqueue):
                Queued(lane, enqueue.Key, ticks);
                break;
            case KernelHook.DpcExecution when DpcExecutionRecord.TryRead(in traceEvent, out DpcExecutionRecord execution):
                if (_queued.Remove(execution.Key, out ulong queued) && window.Holds(ticks))
                {
                    lane.Add(ticks, queued, isEnd: true);
                }

                break;
            case KernelHook.SampledProfile when window.Holds(ticks)
                && SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample):
                writer.Sample(
                    new ExportedSample(
                        traceEvent.Cpu, ticks, sample.InstructionPointer, sample.ThreadId, Math.Max((ushort)1, sample.Count),
                        sample.IsInDpc == true, sample.IsInIsr == true),
                    in stack);
                break;
            default:
                if (window.Holds(ticks))
                {
                    Power(traceEvent.Cpu, hook, in traceEvent, ticks);
                }

                break;
        }

        return true;
    }

    private void Switch(SpanNesting lane, int cpu, in ContextSwitchRecord change, long ticks)
    {
        CpuSpan? next = null;
        bool wasReady = _ready.Remove(change.NewThreadId, out (ulong Flow, long Ticks) ready);
        if (change.NewThreadId != 0 && ticks <= window.ToTicks)
        {
            next = new CpuSpan
            {
                Kind = CpuSpanKind.Thread,
                Cpu = cpu,
                StartTicks = ticks,
                EndTicks = ticks,
                ThreadId = change.NewThreadId,
                Priority = change.NewThreadPriority,
                ReadyTicks = wasReady ? ready.Ticks : null,
            };
            if (wasReady && window.Holds(ready.Ticks))
            {
                next.Arrive(ready.Flow);
            }
        }

        lane.Switch(ticks, next, writer);
    }

    private void Ready(SpanNesting lane, int cpu, uint thread, long ticks)
    {
        if (_ready.Count >= MostWaiting && !_ready.ContainsKey(thread))
        {
            _leftOut++;
            return;
        }

        ulong flow = _flows.Next();
        _ready[thread] = (flow, ticks);
        if (window.Holds(ticks))
        {
            lane.Add(ticks, flow, isEnd: false);
            writer.Ready(cpu, ticks, thread, flow);
        }
    }

    private void Queued(SpanNesting lane, ulong key, long ticks)
    {
        if (!window.Holds(ticks))
        {
            return;
        }

        if (_queued.Count >= MostWaiting && !_queued.ContainsKey(key))
        {
            _leftOut++;
            return;
        }

        ulong flow = _flows.Next();
        _queued[key] = flow;
        lane.Add(ticks, flow, isEnd: false);
    }

    private void Ran(SpanNesting lane, int cpu, CpuSpanKind kind, long from, long to, ulong routine, ushort? vector)
    {
        if (from <= 0 || from > to || to - from > _longestRoutineTicks)
        {
            Absurd++;
        }
        else if (from <= window.ToTicks && to >= window.FromTicks)
        {
            lane.Add(
                new CpuSpan { Kind = kind, Cpu = cpu, StartTicks = from, EndTicks = to, Routine = routine, Vector = vector },
                writer);
        }
    }

    private void Power(int cpu, ushort hook, in EtlEvent traceEvent, long ticks)
    {
        switch (hook)
        {
            case KernelHook.IdleEnter when IdleEnterRecord.TryRead(in traceEvent, out IdleEnterRecord enter):
                writer.Idle(cpu, ticks, enter.State);
                break;
            case KernelHook.IdleExit when IdleExitRecord.TryRead(in traceEvent, out _):
                writer.Idle(cpu, ticks, null);
                break;
            case KernelHook.PerformanceStateChange
                when PerformanceStateRecord.TryRead(in traceEvent, out PerformanceStateRecord change)
                    && change.Type == PerformanceStateKind.Frequency:
                const int CpusOfMask = 64;
                ushort group = facts.Devices.ProcessorOf(cpu).Group;
                if (change.Processors == 0)
                {
                    writer.Speed(cpu, ticks, change.New);
                }

                for (byte number = 0; number < CpusOfMask; number++)
                {
                    if (((change.Processors >> number) & 1) != 0
                        && facts.Devices.IndexOf(EtlBufferHeader.MaximumProcessors, group, number) is >= 0 and var other)
                    {
                        writer.Speed(other, ticks, change.New);
                    }
                }

                break;
            case 0 when traceEvent.IsEventHeader && traceEvent.Id == ParkedProcessors.SpeedChange
                && traceEvent.ProviderId == ParkedProcessors.Provider && traceEvent.Payload.Length >= SpeedChangeBytes:
                ReadOnlySpan<byte> payload = traceEvent.Payload;
                (ushort, byte) processor = (BinaryPrimitives.ReadUInt16LittleEndian(payload[8..]), payload[10]);
                if (facts.Cpus.FirstOrDefault(one => facts.Devices.ProcessorOf(one.Cpu) == processor) is { } changed)
                {
                    writer.Speed(changed.Cpu, ticks, BinaryPrimitives.ReadUInt32LittleEndian(payload[4..]));
                }

                break;
            default:
                break;
        }
    }

    private readonly struct Sink(ScheduleReading reading) : IStackedEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack) => reading.Add(in traceEvent, in stack);
    }
}
