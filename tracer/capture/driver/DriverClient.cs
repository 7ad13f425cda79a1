using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Driver;

/// <summary>
/// Talks to the driver by its device interface (<c>kdriver/include/tracer_ioctl.h</c>). Whatever a reply says is checked before it is
/// used: length, version, and every record. One thread may read while others ask; reading allocates nothing.
/// </summary>
/// <param name="device">The device; disposed of with this.</param>
public sealed class DriverClient(IDriverDevice device) : IDisposable
{
    private const int BatchBytes = 64 * 1024;

    private readonly byte[] _batch = new byte[BatchBytes];

    /// <summary>Asks what the driver can do and is doing.</summary>
    /// <exception cref="DriverException">The driver or Windows refused, or the reply can't be used.</exception>
    public DriverStatus Status() => StatusOf(DriverIoctl.Status, Request<AbiHeader>(), "status");

    /// <exception cref="DriverException">As for <see cref="Status"/>; a refusal is told with its reason.</exception>
    public DriverStatus Start(DriverRunPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        DriverStatus status;
        try
        {
            status = StatusOf(DriverIoctl.Start, plan.ToRequest(), "answer to a start");
        }
        catch (DriverException refusal) when (refusal.Code == Win32Error.RequestNotAccepted)
        {
            status = Status();
            throw DriverException.Refused(status.Refusal, FloorOf(status));
        }

        return status.State == DriverState.Running
            ? status
            : throw DriverException.BadReply("answer to a start", "it accepted the run and does not run");
    }

    /// <returns>The driver's status then; null where no run was on.</returns>
    /// <exception cref="DriverException">As for <see cref="Status"/>.</exception>
    public DriverStatus? Stop()
    {
        try
        {
            return StatusOf(DriverIoctl.Stop, Request<AbiHeader>(), "answer to a stop");
        }
        catch (DriverException failure) when (failure.Code == Win32Error.BadCommand)
        {
            return null;
        }
    }

    /// <summary>Waits for records of the run. Call it from one thread at a time.</summary>
    /// <param name="batch">The records; valid until the next call.</param>
    /// <returns>False where no run is on and all its records have been read.</returns>
    /// <exception cref="DriverException">As for <see cref="Status"/>.</exception>
    /// <exception cref="OperationCanceledException">The waiting was ended; no record is lost by it.</exception>
    public bool TryRead(CancellationToken cancellation, out DriverBatch batch)
    {
        batch = default;
        AbiHeader request = Request<AbiHeader>();
        int length;
        try
        {
            length = device.Control(DriverIoctl.Read, Bytes(in request), _batch, cancellation);
        }
        catch (DriverException failure) when (failure.Code == Win32Error.BadCommand)
        {
            return false;
        }

        const string Name = "batch of records";
        int headBytes = Unsafe.SizeOf<ReadBatch>();
        ReadOnlySpan<byte> reply = Checked(_batch, length, headBytes, BatchBytes, Name);
        ReadBatch head = MemoryMarshal.Read<ReadBatch>(reply);
        ReadOnlySpan<byte> left = reply[headBytes..];
        uint records = 0;
        while (DriverRecordShape.TryMeasure(left, out int size, out _))
        {
            left = left[size..];
            records++;
        }

        if (!left.IsEmpty || records != head.Records)
        {
            throw DriverException.BadReply(
                Name, $"it announces {head.Records} records, holds {records}, and {left.Length} bytes that are not records");
        }

        batch = new DriverBatch(reply[headBytes..], head.Dropped);
        return true;
    }

    /// <summary>Asks for a histogram of the run's latencies.</summary>
    /// <param name="cpu">Logical processor, or <see cref="DriverInterface.AllCpus"/>.</param>
    /// <param name="priority">Priority of the thread, for the phases that end in one; 0 for all.</param>
    /// <returns>Null where there was no run, or none with this CPU or priority.</returns>
    /// <exception cref="DriverException">As for <see cref="Status"/>.</exception>
    public LatencyHistogram? Histogram(LatencyPhase phase, ushort cpu = DriverInterface.AllCpus, byte priority = 0)
    {
        HistogramRequest request = Request<HistogramRequest>();
        (request.Phase, request.Cpu, request.Priority) = (phase, cpu, priority);
        DriverHistogram histogram = default;
        Span<byte> reply = MemoryMarshal.AsBytes(new Span<DriverHistogram>(ref histogram));
        int length;
        try
        {
            length = device.Control(DriverIoctl.Histogram, Bytes(in request), reply, CancellationToken.None);
        }
        catch (DriverException failure) when (failure.Code is Win32Error.BadCommand or Win32Error.InvalidParameter)
        {
            return null;
        }

        Checked(reply, length, reply.Length, reply.Length, "histogram");
        return new LatencyHistogram(in histogram);
    }

    /// <summary>Closes the device. A run that was started by it ends, unless it was to stay.</summary>
    public void Dispose() => device.Dispose();

    /// <summary>Latency of a wake-up that nothing delays, by a status; zero where it is not measured.</summary>
    public static Duration FloorOf(in DriverStatus status) => new((long)Math.Min(status.FloorNs, long.MaxValue));

    private static TRequest Request<TRequest>()
        where TRequest : unmanaged
    {
        TRequest request = default;
        Unsafe.As<TRequest, AbiHeader>(ref request) = new AbiHeader
        {
            Version = DriverAbi.Version,
            Size = (uint)Unsafe.SizeOf<TRequest>(),
        };
        return request;
    }

    private static ReadOnlySpan<byte> Bytes<TRequest>(in TRequest request)
        where TRequest : unmanaged => MemoryMarshal.AsBytes(new ReadOnlySpan<TRequest>(in request));

    private DriverStatus StatusOf<TRequest>(uint code, in TRequest request, string name)
        where TRequest : unmanaged
    {
        DriverStatus status = default;
        Span<byte> reply = MemoryMarshal.AsBytes(new Span<DriverStatus>(ref status));
        int length = device.Control(code, Bytes(in request), reply, CancellationToken.None);
        Checked(reply, length, reply.Length, reply.Length, name);
        return status;
    }

    /// <summary>A reply whose length and version are what they must be.</summary>
    private static ReadOnlySpan<byte> Checked(ReadOnlySpan<byte> buffer, int length, int least, int most, string name)
    {
        if (length < Unsafe.SizeOf<AbiHeader>() || length > buffer.Length)
        {
            throw DriverException.BadReply(name, $"it has {length} bytes");
        }

        AbiHeader abi = MemoryMarshal.Read<AbiHeader>(buffer);
        if (abi.Version != DriverAbi.Version)
        {
            throw DriverException.BadReply(name, $"it is of version {abi.Version}, not {DriverAbi.Version}");
        }

        if (length < least || length > most || abi.Size != length)
        {
            throw DriverException.BadReply(name, $"it has {length} bytes, calls itself {abi.Size} long, and {least} are the least");
        }

        return buffer[..length];
    }
}
