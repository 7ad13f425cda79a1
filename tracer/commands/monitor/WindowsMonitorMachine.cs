using System.Runtime.Versioning;
using Tracer.Capture.Driver.Modules;
using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>The Windows machine that this program runs on, for its monitor.</summary>
[SupportedOSPlatform("windows")]
internal static class WindowsMonitorMachine
{
    /// <summary>In the Windows folder, where only administrators write.</summary>
    private const string LockFileName = "tracer-monitor.state";

    public static MonitorMachine Of(bool withProbe) => new()
    {
        Sessions = new EtwSessions(),
        Clock = new SystemCaptureClock(),
        Size = MachineSize.Here,
        Modules = new WindowsKernelModules(),
        LockFile = Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.Windows), LockFileName),
        CpuTime = static () => Environment.CpuUsage.TotalTime,
        Probe = withProbe ? static () => WakeupTrigger.ForThisMachine(new ProbeSettings { Threshold = Defaults.Threshold }) : null,
    };
}
