using Tracer.Etl.Kernel;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>
/// Writes what a simulated machine logs to an .etl file as a kernel session of Windows does: header, group masks, rundowns, a stream of
/// buffers for each CPU, configuration at the end. Memory is one buffer for each CPU and the table of stacks.
/// </summary>
/// <remarks>
/// <see cref="Finish"/> ends the file; disposed without, it is what a crash leaves. Changes of the machine (drivers and threads that come
/// and go) are logged by the methods named after them, so that the rundown at the end knows them.
/// </remarks>
public sealed class KernelLogWriter : IKernelLog, IDisposable
{
    private const ushort ClockInterruptHook = 0x0F4F;
    private const ushort IdleEnterHook = 0x1239;
    private const ushort IdleExitHook = 0x123A;
    private const byte UserWait = 1;
    private const byte IdlePriority = 16;

    /// <summary>Why threads wait that called from user mode.</summary>
    private static readonly byte[] UserWaits =
    [
        Engine.WaitReason.UserRequest, Engine.WaitReason.DelayExecution, Engine.WaitReason.KeyedEvent, Engine.WaitReason.AlertByThreadId,
    ];

    private static readonly Guid AcpiProvider = new("c514638f-7723-485b-bcfc-96565d735d4a");

    private readonly MachineInventory _machine;
    private readonly KernelLogOptions _options;
    private readonly RecordKinds _kinds;
    private readonly SessionClock _clock;
    private readonly EtlWriter _writer;
    private readonly CpuStreams _streams;
    private readonly StackWriting _stacks;
    private readonly MachineRundown _rundown;
    private readonly RecordEmitter _emitter;
    private readonly PowerRecords _power;
    private readonly ProviderRecords _providers;
    private readonly LockAndPriorityRecords _locks;
    private readonly FirmwareMethods _methods = new();
    private readonly RandomSequence _random;
    private readonly uint[] _running;
    private readonly int _pointerBytes;
    private readonly int _rundownCpu;

    /// <param name="stream">The stream; it must be able to seek.</param>
    /// <param name="machine">The machine; the session lists what it has at the first call.</param>
    /// <param name="options">How to record; the usual way when left out.</param>
    /// <param name="leaveOpen">Whether the stream stays open when the writer is disposed.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public KernelLogWriter(Stream stream, MachineInventory machine, KernelLogOptions? options = null, bool leaveOpen = true)
    {
        ArgumentNullException.ThrowIfNull(machine);
        _machine = machine;
        _options = options ?? new KernelLogOptions();
        _kinds = KindsOf(machine.Build, _options.Kinds);
        _pointerBytes = machine.Build.PointerBytes;
        _random = new RandomSequence(machine.Seed, "session");
        _clock = new SessionClock(machine, _options);
        InventoryThread thread = machine.Process("cmd.exe").Threads[0];
        var controller = new SessionController(_pointerBytes, thread.Process.Id, thread.Id);
        _writer = SessionFile.Begin(stream, machine, _options, _kinds, _clock, controller, leaveOpen);
        _streams = new CpuStreams(_writer, _options.Losses.Select(loss => (_clock.TicksAt(loss.TimeNs), loss)));
        _stacks = new StackWriting(machine, _streams, _options.UsesStackKeys && machine.Build.IsModern);
        _rundown = new MachineRundown(machine, controller, _options);
        _running = new uint[machine.CpuCount];
        _rundownCpu = (int)_random.NextBelow(machine.CpuCount);
        _emitter = new RecordEmitter(machine, _kinds, _clock, _streams, _rundown, _random, _rundownCpu);
        _power = new PowerRecords(_emitter);
        _providers = new ProviderRecords(_emitter);
        _locks = new LockAndPriorityRecords(_emitter);
    }

    /// <summary>Of what was asked for that which a Windows knows.</summary>
    public static RecordKinds KindsOf(WindowsBuild build, RecordKinds asked)
    {
        ArgumentNullException.ThrowIfNull(build);
        return build.IsModern ? asked : asked & ~RecordKinds.OnlyModern;
    }

    public void Isr(long startNs, long endNs, int cpu, ulong routine, ushort vector, bool isClaimed, uint? message)
    {
        if (!_emitter.Begins(RecordKinds.Interrupts, endNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.Int64(_clock.TicksAt(startNs));
        payload.Pointer(routine);
        payload.UInt8((byte)(isClaimed ? 1 : 0));
        payload.UInt16(vector);
        payload.UInt8(0);
        if (message is uint number)
        {
            payload.UInt32(number);
        }

        _emitter.Emit(cpu, ticks, message is null ? KernelHook.Isr : KernelHook.IsrMessageSignalled, RecordEmitter.Version, payload);
    }

    public void Dpc(long startNs, long endNs, int cpu, DpcRecordKind kind, ulong routine)
    {
        if (!_emitter.Begins(RecordKinds.Dpcs, endNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.Int64(_clock.TicksAt(startNs));
        payload.Pointer(routine);
        ushort hook = kind switch
        {
            DpcRecordKind.Timer => KernelHook.TimerDpc,
            DpcRecordKind.Threaded => KernelHook.ThreadedDpc,
            _ => KernelHook.Dpc,
        };
        _emitter.Emit(cpu, ticks, hook, RecordEmitter.Version, payload);
    }

    public void DpcEnqueued(long timeNs, int cpu, ulong key, int depth, uint count, int targetCpu, byte importance)
    {
        if (!_emitter.Begins(RecordKinds.DpcQueue, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.Pointer(key);
        payload.UInt32((uint)depth);
        payload.UInt32(count);
        payload.UInt32((uint)targetCpu);
        payload.UInt8(importance);
        payload.Zeros(3);
        _emitter.Emit(cpu, ticks, KernelHook.DpcEnqueue, RecordEmitter.Version, payload);
    }

    public void DpcExecuting(long timeNs, int cpu, ulong routine, ulong key)
    {
        if (!_emitter.Begins(RecordKinds.DpcQueue, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.Pointer(routine);
        payload.Pointer(key);
        _emitter.Emit(cpu, ticks, KernelHook.DpcExecution, RecordEmitter.Version, payload);
    }

    public void WdfCallback(long timeNs, int cpu, bool isInterrupt, ulong routine)
    {
        if (!_emitter.Begins(RecordKinds.Wdf, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.Pointer(routine);
        _emitter.Emit(cpu, ticks, isInterrupt ? KernelHook.WdfIsr : KernelHook.WdfDpc, RecordEmitter.Version, payload);
    }

    public void ReadyThread(long timeNs, int cpu, uint threadId, sbyte boost, bool isFromDpc, ReadOnlySpan<ulong> stack)
    {
        if (!_emitter.Begins(RecordKinds.ReadyThreads, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.UInt32(threadId);
        payload.UInt8((byte)(boost > 0 ? 1 : 0));
        payload.UInt8((byte)boost);
        payload.UInt8((byte)(isFromDpc ? 1 : 0));
        payload.UInt8(0);
        _emitter.Emit(cpu, ticks, KernelHook.ReadyThread, RecordEmitter.Version, payload);
        Stack(StackedKinds.ReadyThreads, cpu, ticks, _running[cpu], stack);
    }

    public void ContextSwitch(long timeNs, int cpu, in SimulatedSwitch change, ReadOnlySpan<ulong> stack)
    {
        _running[cpu] = change.NewThreadId;
        if (!_emitter.Begins(RecordKinds.ContextSwitches, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        bool isUserWait = UserWaits.Contains(change.OldWaitReason) && _machine.FindThread(change.OldThreadId)?.Process.Images.Count > 0;
        byte version = _machine.Build.ContextSwitchVersion;
        payload.UInt32(change.NewThreadId);
        payload.UInt32(change.OldThreadId);
        payload.UInt8((byte)change.NewPriority);
        payload.UInt8((byte)change.OldPriority);
        payload.UInt8(change.OldThreadId == 0 ? change.PreviousCState : (byte)0);
        payload.UInt8(0);
        payload.UInt8(change.OldWaitReason);
        payload.UInt8(isUserWait ? UserWait : (byte)0);
        payload.UInt8(change.OldState);
        payload.UInt8((byte)change.OldIdealProcessor);
        payload.UInt32(change.NewThreadId == 0 ? _clock.TicksSinceBootAt(timeNs) : change.NewWaitTicks);
        payload.UInt32(0);
        if (version >= 5)
        {
            payload.UInt32(1);
        }

        _emitter.Emit(cpu, ticks, KernelHook.ContextSwitch, version, payload);
        Stack(StackedKinds.ContextSwitches, cpu, ticks, change.NewThreadId, stack);
    }

    public void Sample(
        long timeNs, int cpu, ulong instruction, uint threadId, int priority, bool isInDpc, bool isInIsr, ReadOnlySpan<ulong> stack)
    {
        if (!_emitter.Begins(RecordKinds.Samples, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        // Before Windows 8 the flags hold no priority.
        int level = !_machine.Build.IsModern ? 0 : threadId == 0 ? IdlePriority : priority;
        payload.Pointer(instruction);
        payload.UInt32(threadId);
        payload.UInt16(1);
        payload.UInt8((byte)((isInDpc ? 1 : 0) | (isInIsr ? 2 : 0) | (level << 3)));
        payload.UInt8(0);
        _emitter.Emit(cpu, ticks, KernelHook.SampledProfile, RecordEmitter.Version, payload);
        Stack(StackedKinds.Samples, cpu, ticks, threadId, stack);
    }

    public void ClockInterrupt(long timeNs, int cpu, bool isOwner)
    {
        if (!_emitter.Begins(RecordKinds.ClockInterrupts, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var record = new KernelRecordWriter(PerfInfoLayouts.ClockInterrupt, RecordEmitter.Version, _pointerBytes, room);
        record.Put("InterruptTime", _clock.InterruptTimeAt(timeNs));
        record.Put("Flags", isOwner ? 1UL : 0);
        record.Append(2);
        _emitter.Emit(cpu, ticks, ClockInterruptHook, RecordEmitter.Version, record.Written);
    }

    public void IdleEnter(long timeNs, int cpu, uint state)
    {
        if (!_emitter.Begins(RecordKinds.IdleStates, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.UInt32(state);
        payload.UInt32(0);
        payload.UInt64(0);
        _emitter.Emit(cpu, ticks, IdleEnterHook, RecordEmitter.Version, payload);
    }

    public void IdleExit(long timeNs, int cpu, uint state)
    {
        if (!_emitter.Begins(RecordKinds.IdleStates, timeNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.UInt32(state);
        payload.UInt32(0);
        _emitter.Emit(cpu, ticks, IdleExitHook, RecordEmitter.Version, payload);
    }

    public void HardFault(long startNs, long endNs, int cpu, uint threadId, ulong address, uint bytes)
    {
        if (!_emitter.Begins(RecordKinds.HardFaults, endNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        payload.Int64(_clock.TicksAt(startNs));
        payload.UInt64((ulong)_random.NextBelow(0x1000_0000) & ~0xFFFUL);
        payload.Pointer(address);
        payload.Pointer(SomeStructure());
        payload.UInt32(threadId);
        payload.UInt32(bytes);
        _emitter.Emit(cpu, ticks, KernelHook.HardFault, RecordEmitter.Version, payload);
    }

    public void DiskTransfer(long startNs, long endNs, int cpu, bool isWrite, uint threadId, uint bytes)
    {
        if (!_emitter.Begins(RecordKinds.DiskTransfers, endNs, cpu, out long ticks))
        {
            return;
        }

        Span<byte> room = stackalloc byte[RecordEmitter.LargestPayload];
        var record = new KernelRecordWriter(IoLayouts.DiskTransfer, _machine.Build.DiskVersion, _pointerBytes, room);
        record.Put("DiskNumber", 0);
        record.Put("IrpFlags", isWrite ? 0x6_0A01u : 0x6_0900u);
        record.Put("TransferSize", bytes);
        record.Put("ResponseTime", 0);
        record.Put("ByteOffset", (ulong)_random.NextBelow(_machine.Hardware.DiskBytes) & ~0xFFFUL);
        record.Put("FileObject", SomeStructure());
        record.Put("Irp", SomeStructure());
        record.Put("HighResResponseTime", (ulong)(ticks - _clock.TicksAt(startNs)));
        record.Put("IssuingThreadId", threadId);
        _emitter.Emit(cpu, ticks, isWrite ? KernelHook.DiskWrite : KernelHook.DiskRead, _machine.Build.DiskVersion, record.Written);
    }

    public void FirmwareMethod(long timeNs, int cpu, uint threadId, string method, bool isEnd)
    {
        if (!_emitter.Begins(RecordKinds.FirmwareMethods, timeNs, cpu, out long ticks))
        {
            return;
        }

        var header = EtlEventHeader.Event(
            AcpiProvider, FirmwareMethods.EventId, 0, ticks, _machine.ProcessIdOf(threadId), threadId, _pointerBytes) with
        {
            Channel = RecordEmitter.DiagnosticChannel,
            Level = RecordEmitter.InformationLevel,
            Keyword = FirmwareMethods.Keyword,
        };
        Span<byte> room = stackalloc byte[FirmwareMethods.LargestPayload];
        var payload = new PayloadSpan(room, _pointerBytes);
        _methods.Lay(ref payload, timeNs, threadId, method, isEnd);
        _streams.Write(cpu, header, payload.Written);
    }

    public void IdleExitLatency(long timeNs, int cpu, uint state, long latencyNs) => _power.IdleExitLatency(timeNs, cpu, state, latencyNs);

    public void SpeedChanged(long timeNs, int cpu, int newPercent, int oldPercent) =>
        _power.SpeedChanged(timeNs, cpu, newPercent, oldPercent);

    public void CpuParked(long timeNs, int cpu, int parkedCpu, bool isParked) => _power.CpuParked(timeNs, cpu, parkedCpu, isParked);

    public void Slept(long timeNs, long ns) => _power.Slept(timeNs, ns);

    public void StandbyEntered(long timeNs, int cpu, uint threadId) => _power.StandbyEntered(timeNs, cpu, threadId);

    public void StandbyLeft(long timeNs, int cpu, uint threadId, long ns, long sleptNs, int sleeps) =>
        _power.StandbyLeft(timeNs, cpu, threadId, ns, sleptNs, sleeps);

    public void GarbageCollection(long timeNs, int cpu, uint threadId, CollectionStep step, uint number) =>
        _providers.GarbageCollection(timeNs, cpu, threadId, step, number);

    public void SoundGlitch(long timeNs, int cpu, uint threadId, ushort eventId, long? deadlineNs, ReadOnlySpan<ulong> fields) =>
        _providers.SoundGlitch(timeNs, cpu, threadId, eventId, deadlineNs, fields);

    public void MeasuringStarted(
        long timeNs, int cpu, uint threadId, int priority, long periodNs, long thresholdNs, bool isProcess = false) =>
        _providers.MeasuringStarted(timeNs, cpu, threadId, priority, periodNs, thresholdNs, isProcess);

    public void ClocksRelated(long timeNs, int cpu, uint threadId) => _providers.ClocksRelated(timeNs, cpu, threadId);

    public void WakeupMeasured(long timeNs, int cpu, uint threadId, in SimulatedWakeup wakeup) =>
        _providers.WakeupMeasured(timeNs, cpu, threadId, in wakeup);

    public void TimerTold(long timeNs, int cpu, uint threadId, in SimulatedTimerState state) =>
        _providers.TimerTold(timeNs, cpu, threadId, in state);

    public void MeasuringStopped(long timeNs, int cpu, uint threadId, ulong wakeups) =>
        _providers.MeasuringStopped(timeNs, cpu, threadId, wakeups);

    public void SpinLock(in SimulatedLockUse use) => _locks.SpinLock(in use);

    public void PrioritySet(long timeNs, int cpu, uint threadId, int oldPriority, int newPriority) =>
        _locks.PrioritySet(timeNs, cpu, threadId, oldPriority, newPriority);

    public void AntiStarvationBoost(long timeNs, int cpu, uint threadId, int queueCpu, int oldPriority) =>
        _locks.AntiStarvationBoost(timeNs, cpu, threadId, queueCpu, oldPriority);

    /// <summary>Ends the recording: rundown, configuration, definitions of stacks, header. Nothing can be logged afterwards.</summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public void Finish(long timeNs)
    {
        _streams.EndLosses();
        long ticks = Math.Max(_clock.TicksAt(timeNs), _streams.LastTicksOf(_rundownCpu));
        _emitter.LogPending(_rundownCpu, long.MaxValue, ticks);
        ticks = Math.Max(ticks, _streams.LastTicksOf(_rundownCpu));
        var end = new RundownPace(_rundown.End(_kinds), _clock, _clock.Clock.NanosecondsFromHeader(ticks) - _clock.SleptNs, _random);
        while (end.TryTake(long.MaxValue, out MachineRecord record, out long recordTicks))
        {
            _streams.Write(_rundownCpu, record.Header with { TimestampTicks = recordTicks }, record.Payload);
        }

        _stacks.DefineKeys(_rundownCpu, _streams.LastTicksOf(_rundownCpu));
        long endNs = _clock.Clock.NanosecondsFromHeader(_streams.LastTicksOf(_rundownCpu));
        _writer.Complete(_clock.FileTimeAt(endNs) + 1);
    }

    public void Dispose() => _writer.Dispose();

    private void Stack(StackedKinds kind, int cpu, long ticks, uint threadId, ReadOnlySpan<ulong> frames)
    {
        if ((_options.Stacks & kind) != 0)
        {
            _stacks.Write(cpu, ticks, threadId, frames);
        }
    }

    private ulong SomeStructure() => _pointerBytes == 8
        ? 0xFFFFA800_00000000 + (0x10 * (ulong)_random.NextBelow(0x1000_0000))
        : 0x8600_0000 + (0x8 * (ulong)_random.NextBelow(0x10_0000));
}
