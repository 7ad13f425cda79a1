using System.Runtime.InteropServices;

namespace Tracer.Capture.Driver;

/// <summary>Writes the records of one run of the driver into a file for <c>tracer import</c>.</summary>
public sealed class DriverRecording : IDriverRecordSink
{
    private readonly IReadOnlyList<ModuleRecord> _modules;
    private readonly Stream _output;

    private DriverRecording(IReadOnlyList<ModuleRecord> modules, Stream output) => (_modules, _output) = (modules, output);

    public long Wakeups { get; private set; }

    public long Episodes { get; private set; }

    /// <summary>Records that the driver lost, because they were not read in time.</summary>
    public ulong Dropped { get; private set; }

    /// <summary>Starts a run, writes its records until it is cancelled or somebody else stops it, and ends it.</summary>
    /// <param name="modules">What the kernel has loaded; written first.</param>
    /// <exception cref="DriverException">The driver refused the run, or a reply of it can't be used.</exception>
    /// <exception cref="IOException">The storage failed.</exception>
    public static DriverRecording Write(
        DriverClient client, DriverRunPlan plan, IReadOnlyList<ModuleRecord> modules, Stream output, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(output);
        var recording = new DriverRecording(modules, output);
        DriverRun.Read(client, plan, recording, cancellation);
        output.Flush();
        return recording;
    }

    public void Begin(in DriverStatus status)
    {
        foreach (ModuleRecord module in _modules)
        {
            _output.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<ModuleRecord>(in module)));
        }
    }

    public void Take(scoped in DriverBatch batch)
    {
        _output.Write(batch.Bytes);
        Dropped = batch.Dropped;
        foreach (ReadOnlySpan<byte> record in batch)
        {
            switch (DriverBatch.TypeOf(record))
            {
                case DriverRecordType.Wakeup:
                    Wakeups++;
                    break;
                case DriverRecordType.EpisodeBegin:
                    Episodes++;
                    break;
                default:
                    break;
            }
        }
    }
}
