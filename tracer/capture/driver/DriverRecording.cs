using System.Runtime.InteropServices;
using Tracer.Contract;

namespace Tracer.Capture;

/// <summary>Writes the records of one run of the driver into a file for <c>tracer import</c>.</summary>
public sealed class DriverRecording
{
    /// <summary>The driver says its last word at once; one that does not is not waited for.</summary>
    private static readonly TimeSpan LastWord = TimeSpan.FromSeconds(5);

    private readonly DriverClient _client;
    private readonly Stream _output;
    private bool _isOver;

    private DriverRecording(DriverClient client, Stream output) => (_client, _output) = (client, output);

    /// <summary>Wake-ups written.</summary>
    public long Wakeups { get; private set; }

    /// <summary>Episodes written.</summary>
    public long Episodes { get; private set; }

    /// <summary>Records that the driver lost, because they were not read in time.</summary>
    public ulong Dropped { get; private set; }

    /// <summary>Starts a run, writes its records until it is cancelled or somebody else stops it, and ends it.</summary>
    /// <param name="client">The driver.</param>
    /// <param name="plan">The run.</param>
    /// <param name="modules">What the kernel has loaded; written first.</param>
    /// <param name="output">Takes the records.</param>
    /// <param name="cancellation">Ends the run.</param>
    /// <returns>What was written.</returns>
    /// <exception cref="DriverException">The driver refused the run, or a reply of it can't be used.</exception>
    /// <exception cref="IOException">The storage failed.</exception>
    public static DriverRecording Write(
        DriverClient client, DriverRunPlan plan, IReadOnlyList<ModuleRecord> modules, Stream output, CancellationToken cancellation)
    {
        var recording = new DriverRecording(client, output);
        client.Start(plan);
        try
        {
            foreach (ModuleRecord module in modules)
            {
                output.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<ModuleRecord>(in module)));
            }

            recording.ReadUntilCancelled(cancellation);
        }
        catch
        {
            TryStop(client);
            throw;
        }

        client.Stop();
        recording.ReadRest();
        output.Flush();
        return recording;
    }

    /// <summary>Ends the run after something went wrong, which is what is told.</summary>
    private static void TryStop(DriverClient client)
    {
        try
        {
            client.Stop();
        }
        catch (DriverException)
        {
            // The driver may be what went wrong.
        }
    }

    private void ReadUntilCancelled(CancellationToken cancellation)
    {
        try
        {
            while (!_isOver)
            {
                ReadBatch(cancellation);
            }
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            // This is how a run ends.
        }
    }

    private void ReadRest()
    {
        using var patience = new CancellationTokenSource(LastWord);
        try
        {
            while (!_isOver)
            {
                ReadBatch(patience.Token);
            }
        }
        catch (OperationCanceledException)
        {
            throw DriverException.Because("the driver ended the run without its last record; the recording is all that it gave");
        }
    }

    private void ReadBatch(CancellationToken cancellation)
    {
        if (!_client.TryRead(cancellation, out DriverBatch batch))
        {
            _isOver = true;
            return;
        }

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
                case DriverRecordType.Stop:
                    _isOver = true;
                    break;
                default:
                    break;
            }
        }
    }
}
