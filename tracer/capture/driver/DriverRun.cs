namespace Tracer.Capture.Driver;

public interface IDriverRecordSink
{
    void Begin(in DriverStatus status);

    /// <param name="batch">The records; valid until this returns.</param>
    void Take(scoped in DriverBatch batch);
}

/// <summary>One run of the driver from its start to its last record.</summary>
public sealed class DriverRun
{
    /// <summary>The driver says its last word at once; one that does not is not waited for.</summary>
    private static readonly TimeSpan LastWord = TimeSpan.FromSeconds(5);

    private readonly DriverClient _client;
    private readonly IDriverRecordSink _sink;
    private bool _isOver;

    private DriverRun(DriverClient client, IDriverRecordSink sink) => (_client, _sink) = (client, sink);

    /// <summary>Starts a run, hands over its records until it is cancelled or somebody else stops it, and ends it.</summary>
    /// <exception cref="DriverException">The driver refused the run, or a reply of it can't be used.</exception>
    public static void Read(DriverClient client, DriverRunPlan plan, IDriverRecordSink sink, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(sink);
        var run = new DriverRun(client, sink);
        DriverStatus status = client.Start(plan);
        try
        {
            sink.Begin(in status);
            run.ReadUntilCancelled(cancellation);
        }
        catch
        {
            TryStop(client);
            throw;
        }

        client.Stop();
        run.ReadRest();
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

        _sink.Take(in batch);
        foreach (ReadOnlySpan<byte> record in batch)
        {
            _isOver |= DriverBatch.TypeOf(record) == DriverRecordType.Stop;
        }
    }
}
