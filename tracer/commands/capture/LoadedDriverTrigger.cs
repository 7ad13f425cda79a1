using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Ground;
using Tracer.Capture.Triggers;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>
/// The driver as a trigger: loaded for the capture where it is not loaded already, and unloaded again then. Where it does not know its
/// floor, the probe process measures in its place; so too where it can't measure, and was not asked for by name.
/// </summary>
/// <param name="qpcHz">Ticks of the performance counter in a second.</param>
internal sealed class LoadedDriverTrigger(
    DriverMachine machine, Duration threshold, long qpcHz, bool isNamed, Func<ITriggerSource> probe)
    : ITriggerSource, IOwnProcess, ITriggerRemarks
{
    private readonly List<(CaptureNoteLevel Level, string Text)> _remarks = [];
    private DriverTrigger? _trigger;
    private ITriggerSource? _instead;
    private bool _wasLoadedByUs;

    public TriggerKind Kind => _instead?.Kind ?? TriggerKind.Driver;

    public TimeSpan Delay => _instead?.Delay ?? TimeSpan.FromMilliseconds(30);

    public long FloorNs => _instead?.FloorNs ?? _trigger?.FloorNs ?? 0;

    public LeftProcess? Process => (_instead as IOwnProcess)?.Process;

    public void Start()
    {
        string why;
        try
        {
            StartDriver();
            if (FloorNs > 0)
            {
                return;
            }

            why = "the driver does not know how late wake-ups come when nothing is wrong";
        }
        catch (DriverException refused) when (!isNamed)
        {
            why = refused.Message;
        }

        EndDriver();
        _remarks.Add((CaptureNoteLevel.Warning, $"{why}; the probe process measures wake-ups instead"));
        _instead = probe();
        _instead.Start();
    }

    public void Drain(ITriggerSink sink)
    {
        _instead?.Drain(sink);
        _trigger?.Drain(sink);
    }

    public IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks()
    {
        (CaptureNoteLevel, string)[] remarks =
        [
            .. _remarks, .. (_instead as ITriggerRemarks)?.TakeRemarks() ?? [], .. _trigger?.TakeRemarks() ?? [],
        ];
        _remarks.Clear();
        return remarks;
    }

    public void Dispose()
    {
        _instead?.Dispose();
        EndDriver();
    }

    private void StartDriver()
    {
        _wasLoadedByUs = machine.Driver().Load();
        DriverClient client = machine.OpenClient();
        try
        {
            _trigger = new DriverTrigger(client, new DriverRunPlan { Threshold = threshold }, qpcHz);
        }
        catch
        {
            client.Dispose();
            throw;
        }

        _trigger.Start();
    }

    private void EndDriver()
    {
        _trigger?.Dispose();
        _trigger = null;
        if (_wasLoadedByUs)
        {
            _wasLoadedByUs = false;
            machine.Driver().Unload();
        }
    }
}
