using Tracer.Capture;

namespace Tracer.TracerCommand;

/// <summary>The driver as a trigger: loaded for the capture where it is not loaded already, and unloaded again then.</summary>
/// <param name="machine">The machine.</param>
/// <param name="options">What the user asked for.</param>
/// <param name="qpcHz">Ticks of the performance counter in a second.</param>
internal sealed class LoadedDriverTrigger(DriverMachine machine, CaptureOptions options, long qpcHz) : ITriggerSource
{
    private DriverTrigger? _trigger;
    private bool _wasLoadedByUs;

    /// <inheritdoc/>
    public TriggerKind Kind => TriggerKind.Driver;

    /// <inheritdoc/>
    public TimeSpan Delay => TimeSpan.FromMilliseconds(10);

    /// <inheritdoc/>
    public long FloorNs => _trigger?.FloorNs ?? 0;

    /// <inheritdoc/>
    public void Start()
    {
        _wasLoadedByUs = DriverCommand.ServiceOf(machine).Load();
        DriverClient client = DriverCommand.Open(machine);
        try
        {
            _trigger = new DriverTrigger(client, new DriverRunPlan { Threshold = options.Threshold }, qpcHz);
        }
        catch
        {
            client.Dispose();
            throw;
        }

        _trigger.Start();
    }

    /// <inheritdoc/>
    public void Drain(ITriggerSink sink) => _trigger?.Drain(sink);

    /// <inheritdoc/>
    public void Dispose()
    {
        _trigger?.Dispose();
        _trigger = null;
        if (_wasLoadedByUs)
        {
            _wasLoadedByUs = false;
            DriverCommand.ServiceOf(machine).Unload();
        }
    }
}
