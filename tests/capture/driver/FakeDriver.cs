using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Capture.Driver;

namespace Tracer.Capture.Tests;

/// <summary>
/// The driver as <c>kdriver/include/tracer_ioctl.h</c> documents it, without a kernel: checks requests in the documented order, keeps
/// records of a run for reads, lets reads wait. It knows no floor before a run has begun, hands over late wake-ups only unless it is asked
/// for all, and ends a run with the handle that began it. What it says can be bent by <see cref="Bend"/>.
/// </summary>
internal sealed class FakeDriver : IDriverDevice
{
    private readonly Lock _lock = new();
    private readonly Queue<byte[]> _records = new();
    private readonly SemaphoreSlim _arrived = new(0);
    private IDriverDevice? _starter;
    private DriverStatus _status;

    public FakeDriver()
    {
        _status = new DriverStatus
        {
            Abi = Header<DriverStatus>(),
            Capabilities = DriverCapabilities.TimerHighResolution | DriverCapabilities.LogEvents,
            Cpus = 2,
            Mode = ProbeMode.Timer,
            Clock = ProbeClock.Qpc,
            ClockHz = 10_000_000,
        };
    }

    /// <summary>What a start measures as the floor, in ns; 0 where it can't be measured.</summary>
    public ulong MeasuredFloorNs { get; set; } = 20_000;

    /// <summary>The version of the interface that it speaks.</summary>
    public uint Version { get; set; } = DriverAbi.Version;

    /// <summary>Why it refuses each start, beyond what is wrong with the request.</summary>
    public DriverRefusal AlwaysRefuses { get; set; }

    /// <summary>Whether it is the laboratory driver, which has an interrupt of its own.</summary>
    public bool IsLaboratory { get; set; }

    /// <summary>Changes a reply before it is sent: the code, the reply with room behind it, its length; gives the length.</summary>
    public Func<uint, Memory<byte>, int, int>? Bend { get; set; }

    /// <summary>Latencies that the histograms count, in ns, by priority.</summary>
    public List<(byte Priority, ulong Ns)> Latencies { get; } = [];

    public StartRequest? LastRequest { get; private set; }

    public bool IsDisposed { get; private set; }

    public bool IsRunning => _status.State == DriverState.Running;

    public ref DriverStatus Status => ref _status;

    public int Control(uint code, ReadOnlySpan<byte> request, Span<byte> reply, CancellationToken cancellation) =>
        Control(this, code, request, reply, cancellation);

    private int Control(IDriverDevice handle, uint code, ReadOnlySpan<byte> request, Span<byte> reply, CancellationToken cancellation)
    {
        ObjectDisposedException.ThrowIf(IsDisposed && handle == this, this);
        cancellation.ThrowIfCancellationRequested();
        byte[] answer = Answer(handle, code, request.ToArray(), reply.Length, cancellation);
        byte[] room = new byte[Math.Max(answer.Length, reply.Length)];
        answer.CopyTo(room, 0);
        int length = Bend?.Invoke(code, room, answer.Length) ?? answer.Length;
        room.AsSpan(0, reply.Length).CopyTo(reply);
        return length;
    }

    /// <summary>Gives a record to whoever reads.</summary>
    public void Emit<TRecord>(TRecord record)
        where TRecord : unmanaged => EmitBytes(MemoryMarshal.AsBytes(new ReadOnlySpan<TRecord>(in record)));

    public void EmitBytes(ReadOnlySpan<byte> record)
    {
        lock (_lock)
        {
            _records.Enqueue(record.ToArray());
        }

        _arrived.Release();
    }

    /// <summary>A wake-up that was due at a moment and came so many ticks later, without an ISR that could be measured.</summary>
    public void Wake(ulong expected, ulong late, byte priority = 28, ushort cpu = 0) => Give(
        new WakeupRecord
        {
            Header = Records.Header<WakeupRecord>(DriverRecordType.Wakeup, cpu),
            Sequence = ++_status.Probes,
            Expected = expected,
            Dpc = expected + (late / 2),
            Thread = expected + late,
            Mode = _status.Mode,
            Priority = priority,
        },
        late,
        0);

    /// <summary>One of the timer of all CPUs: its tick, its callback, and how long the CPU took from when its DPC was queued.</summary>
    public void WakeByTimer(ulong tick, ulong callback, ulong late, ushort timerCpu, ushort cpu) => Give(
        new WakeupRecord
        {
            Header = Records.Header<WakeupRecord>(DriverRecordType.Wakeup, cpu),
            Sequence = ++_status.Probes,
            Expected = tick == 0 ? callback : tick - 3,
            Tick = tick,
            TimerCpu = timerCpu,
            Callback = callback,
            Queued = callback + 10 + cpu,
            Dpc = callback + 10 + cpu + (late / 2),
            Thread = callback + 10 + cpu + late,
            Mode = _status.Mode,
            Priority = 28,
        },
        late,
        tick == 0 ? 0 : callback - tick);

    /// <summary>Ends the run as another program's stop does.</summary>
    public void EndRun()
    {
        _status.State = DriverState.Stopped;
        Emit(new StopRecord
        {
            Header = Records.Header<StopRecord>(DriverRecordType.Stop),
            Probes = _status.Probes,
            Dropped = _status.Dropped,
        });
    }

    public IDriverDevice Open() => new Handle(this);

    /// <summary>The handle that this object stands for is closed: its run ends with it, unless that was to stay.</summary>
    public void Dispose()
    {
        IsDisposed = true;
        CloseRunOf(this);
    }

    private void CloseRunOf(IDriverDevice handle)
    {
        if (IsRunning && _starter == handle && !LastRequest!.Value.Flags.HasFlag(StartOptions.Stay))
        {
            EndRun();
        }
    }

    private void Give(WakeupRecord wakeup, ulong lateTicks, ulong timerLateTicks)
    {
        ulong ns = lateTicks * 1_000_000_000 / _status.ClockHz;
        bool isTimerLate = timerLateTicks * 1_000_000_000 / _status.ClockHz >= _status.ThresholdNs;
        Latencies.Add((wakeup.Priority, ns));
        if (ns >= _status.ThresholdNs || isTimerLate || LastRequest!.Value.Flags.HasFlag(StartOptions.AllWakeups))
        {
            Emit(wakeup);
        }
    }

    private static AbiHeader Header<T>() => new() { Version = DriverAbi.Version, Size = (uint)Unsafe.SizeOf<T>() };

    private static DriverException Refusal(int code) => DriverException.Of(DriverStep.Talk, code);

    private T Read<T>(byte[] request)
        where T : unmanaged
    {
        if (request.Length < Unsafe.SizeOf<AbiHeader>())
        {
            throw Refusal(Win32Error.BadLength);
        }

        AbiHeader abi = MemoryMarshal.Read<AbiHeader>(request);
        if (abi.Version != Version)
        {
            throw Refusal(Win32Error.RevisionMismatch);
        }

        return request.Length < Unsafe.SizeOf<T>() || abi.Size != Unsafe.SizeOf<T>()
            ? throw Refusal(Win32Error.BadLength)
            : MemoryMarshal.Read<T>(request);
    }

    private static void Need(int room, int bytes)
    {
        if (room < bytes)
        {
            throw Refusal(Win32Error.InsufficientBuffer);
        }
    }

    private byte[] Answer(IDriverDevice handle, uint code, byte[] request, int room, CancellationToken cancellation)
    {
        switch (code)
        {
            case DriverIoctl.Status:
                Read<AbiHeader>(request);
                return StatusBytes(room);
            case DriverIoctl.Start:
                Start(handle, Read<StartRequest>(request), room);
                return StatusBytes(room);
            case DriverIoctl.Stop:
                Read<AbiHeader>(request);
                Need(room, Unsafe.SizeOf<DriverStatus>());
                if (!IsRunning)
                {
                    throw Refusal(Win32Error.BadCommand);
                }

                EndRun();
                return StatusBytes(room);
            case DriverIoctl.Read:
                Read<AbiHeader>(request);
                Need(room, DriverInterface.ReadLeastBytes);
                return Batch(room, cancellation);
            case DriverIoctl.Histogram:
                return Histogram(Read<HistogramRequest>(request), room);
            default:
                throw Refusal(Win32Error.InvalidFunction);
        }
    }

    private byte[] StatusBytes(int room)
    {
        Need(room, Unsafe.SizeOf<DriverStatus>());
        return MemoryMarshal.AsBytes(new ReadOnlySpan<DriverStatus>(in _status)).ToArray();
    }

    private void Start(IDriverDevice handle, StartRequest request, int room)
    {
        Need(room, Unsafe.SizeOf<DriverStatus>());
        if (!IsRunning)
        {
            LastRequest = request;
            _status.FloorNs = MeasuredFloorNs;
        }

        _status.Refusal = request switch
        {
            _ when IsRunning => DriverRefusal.Running,
            { Mode: not ProbeMode.Timer } when !IsLaboratory => DriverRefusal.NotLaboratory,
            _ when request.ThresholdNs < 2 * _status.FloorNs => DriverRefusal.Threshold,
            { PeriodNs: > 10_000_000_000 } => DriverRefusal.Period,
            { PriorityCount: 0 or > DriverAbi.MaxPriorities } => DriverRefusal.Priorities,
            _ => AlwaysRefuses,
        };
        if (_status.Refusal != DriverRefusal.None)
        {
            throw Refusal(Win32Error.RequestNotAccepted);
        }

        lock (_lock)
        {
            _records.Clear();
        }

        _starter = handle;
        (_status.State, _status.ThresholdNs, _status.PeriodNs) = (DriverState.Running, request.ThresholdNs, request.PeriodNs);
        (_status.Probes, _status.Dropped) = (0, 0);
        Emit(new StartRecord
        {
            Header = Records.Header<StartRecord>(DriverRecordType.Start),
            ClockHz = _status.ClockHz,
            ThresholdNs = request.ThresholdNs,
            PeriodNs = request.PeriodNs,
            FloorNs = _status.FloorNs,
            Capabilities = _status.Capabilities,
            Mode = request.Mode,
            Clock = _status.Clock,
            PriorityCount = request.PriorityCount,
            Priorities = request.Priorities,
        });
    }

    private byte[] Batch(int room, CancellationToken cancellation)
    {
        while (true)
        {
            lock (_lock)
            {
                if (_records.Count > 0)
                {
                    return Batch(room);
                }
            }

            if (!IsRunning)
            {
                throw Refusal(Win32Error.BadCommand);
            }

            _arrived.Wait(cancellation);
        }
    }

    private byte[] Batch(int room)
    {
        var bytes = new List<byte>(new byte[Unsafe.SizeOf<ReadBatch>()]);
        uint count = 0;
        while (_records.TryPeek(out byte[]? record) && bytes.Count + record.Length <= room)
        {
            bytes.AddRange(_records.Dequeue());
            count++;
        }

        byte[] batch = [.. bytes];
        var head = new ReadBatch
        {
            Abi = new AbiHeader { Version = DriverAbi.Version, Size = (uint)batch.Length },
            Records = count,
            Dropped = _status.Dropped,
        };
        MemoryMarshal.Write(batch, in head);
        return batch;
    }

    private byte[] Histogram(HistogramRequest request, int room)
    {
        Need(room, Unsafe.SizeOf<DriverHistogram>());
        if (request.Phase > LatencyPhase.Timer || (request.Cpu >= _status.Cpus && request.Cpu != DriverInterface.AllCpus))
        {
            throw Refusal(Win32Error.InvalidParameter);
        }

        var histogram = new DriverHistogram { Abi = Header<DriverHistogram>() };
        foreach ((byte priority, ulong ns) in Latencies)
        {
            if (request.Phase == LatencyPhase.Total && (request.Priority == 0 || request.Priority == priority))
            {
                histogram.Total++;
                histogram.MaxNs = Math.Max(histogram.MaxNs, ns);
                histogram.Buckets[BucketOf(ns)]++;
            }
        }

        return MemoryMarshal.AsBytes(new ReadOnlySpan<DriverHistogram>(in histogram)).ToArray();
    }

    private sealed class Handle(FakeDriver driver) : IDriverDevice
    {
        public int Control(uint code, ReadOnlySpan<byte> request, Span<byte> reply, CancellationToken cancellation) =>
            driver.Control(this, code, request, reply, cancellation);

        public void Dispose() => driver.CloseRunOf(this);
    }

    /// <summary>As kdriver/core/tracer_histogram.c counts.</summary>
    private static int BucketOf(ulong ns)
    {
        int shift = 0;
        while (ns >> shift >= 32)
        {
            shift++;
        }

        return (int)Math.Min((ulong)(shift * 16) + (ns >> shift), DriverInterface.HistogramBuckets - 1);
    }
}
