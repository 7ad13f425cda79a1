using System.Runtime.Versioning;
using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Capture.Sessions;
using Tracer.Capture.Snap;
using Tracer.Capture.Triggers;
using Tracer.Capture.Triggers.Events;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>The Windows machine that this program runs on.</summary>
[SupportedOSPlatform("windows")]
internal sealed class WindowsCaptureHost : ICaptureHost
{
    private readonly DriverMachine? _driver = DriverMachine.Current;

    public IProviderCatalog Providers { get; } = new WindowsProviderCatalog();

    public ISnapSignals Snap { get; } = new WindowsSnapSignals();

    public string? Analyzer { get; } = EpisodePages.Beside();

    public string? Open(string page) => BrowserPage.Open(page);

    public CaptureMachine Machine() => ThisMachine.Of(new EtwSessions()) with { EndDriverRun = EndDriverRun };

    public IReadOnlyList<ITriggerSource> Triggers(CaptureOptions options, IReadOnlyList<EventRule> events, CaptureMachine machine)
    {
        bool isNamed = options.Triggers.Count > 0 || events.Count > 0 || options.Processes.Count > 0;
        IReadOnlyList<TriggerKind> kinds = isNamed ? options.Triggers : [Offered(options)];
        List<ITriggerSource> sources = [];
        if (kinds.Contains(TriggerKind.Driver))
        {
            sources.Add(new LoadedDriverTrigger(_driver!, options.Threshold, machine.Clock.QpcHz, isNamed, Probe));
        }

        if (kinds.Contains(TriggerKind.Wakeup))
        {
            sources.Add(Probe());
        }

        TriggerKind[] work = [.. kinds.Where(static kind => kind is TriggerKind.Dpc or TriggerKind.Isr)];
        if (work.Length > 0)
        {
            sources.Add(new DpcIsrTrigger(machine.Sessions, SessionPlans.Trigger(machine.Size, work), machine.Clock, work));
        }

        if (events.Count > 0)
        {
            sources.Add(new EventTrigger(machine.Sessions, machine.Size, machine.Clock, events));
        }

        if (kinds.Contains(TriggerKind.Job))
        {
            sources.Add(new JobTrigger(machine.Sessions, machine.Size, machine.Clock, options.Processes, options.Deadline));
        }
        else if (options.Processes.Count > 0)
        {
            sources.Add(new ProcessTrigger(machine.Sessions, machine.Size, machine.Clock, options.Processes));
        }

        return sources;

        WakeupTrigger Probe() => WakeupTrigger.ForThisMachine(
            new ProbeSettings { Threshold = options.Threshold, Priority = options.ProbePriority });
    }

    /// <summary>The driver where it is installed, since it measures interrupts as well; else the probe process.</summary>
    private TriggerKind Offered(CaptureOptions options) =>
        options.WithDriver && _driver is not null && _driver.Driver().Find() is not null
            ? TriggerKind.Driver
            : TriggerKind.Wakeup;

    private bool EndDriverRun()
    {
        try
        {
            if (_driver is null || _driver.Driver().Find()?.State != ServiceState.Running)
            {
                return false;
            }

            using DriverClient client = _driver.OpenClient();
            return client.Stop() is not null;
        }
        catch (DriverException)
        {
            return false; // It does not answer: then it has no run of ours either.
        }
    }
}
