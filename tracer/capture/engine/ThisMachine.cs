using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;
using Tracer.Windows;

namespace Tracer.Capture.Engine;

/// <summary>The Windows machine we run on, as the engine needs it.</summary>
[SupportedOSPlatform("windows")]
public static partial class ThisMachine
{
    /// <summary>
    /// In the Windows folder, where only administrators write: what it says is done with an administrator's rights at the next start.
    /// </summary>
    private const string StateFileName = "tracer-capture.state";

    private const int LongestVolumeName = 1024;

    public static CaptureMachine Of(ITraceSessions sessions)
    {
        string windows = Environment.GetFolderPath(Environment.SpecialFolder.Windows);
        IReadOnlyList<VolumeName> volumes = Volumes();
        return new CaptureMachine
        {
            Sessions = sessions,
            Clock = new SystemCaptureClock(),
            Disk = new SystemDisk(),
            Images = new DiskImageFiles(new NtPaths(windows, volumes).PathOf, volumes),
            Size = MachineSize.Here,
            StateFile = Path.Combine(windows, StateFileName),
            EndProcess = End,
            KeepAwake = static () => new PowerRequest("Tracer records what is late on this machine"),
            CpuTimeOf = CpuTimeOf,
            ClockPeriod100ns = ClockPeriod,
        };
    }

    /// <summary>Ends a process, if its id, start and program are those of one of ours.</summary>
    private static bool End(LeftProcess left)
    {
        try
        {
            using var process = Process.GetProcessById(left.Id);
            bool isOurs = Math.Abs((process.StartTime.ToUniversalTime() - left.StartedUtc).TotalSeconds) < 1
                && string.Equals(process.MainModule?.FileName, Environment.ProcessPath, StringComparison.OrdinalIgnoreCase);
            if (isOurs)
            {
                process.Kill();
            }

            return isOurs;
        }
        catch (Exception fault) when (fault is ArgumentException or InvalidOperationException or Win32Exception)
        {
            return false; // It has ended already.
        }
    }

    private static TimeSpan? CpuTimeOf(LeftProcess ours)
    {
        try
        {
            using var process = Process.GetProcessById(ours.Id);
            return process.TotalProcessorTime;
        }
        catch (Exception fault) when (fault is ArgumentException or InvalidOperationException or Win32Exception)
        {
            return null; // It has ended.
        }
    }

    private static unsafe uint? ClockPeriod()
    {
        uint coarsest;
        uint finest;
        uint now;
        return ThreadNatives.NtQueryTimerResolution(&coarsest, &finest, &now) == 0 ? now : null;
    }

    private static List<VolumeName> Volumes()
    {
        List<VolumeName> volumes = [];
        char[] name = new char[LongestVolumeName];
        foreach (string drive in Environment.GetLogicalDrives())
        {
            // "C:", and a list of names of which the first counts; a network drive has none that image records use.
            uint length = QueryDosDevice(drive[..2], name, (uint)name.Length);
            int end = Array.IndexOf(name, '\0');
            if (length > 0 && end > 0)
            {
                volumes.Add(new VolumeName(new string(name, 0, end) + "\\", drive));
            }
        }

        return volumes;
    }

    [LibraryImport("kernel32.dll", EntryPoint = "QueryDosDeviceW", StringMarshalling = StringMarshalling.Utf16, SetLastError = true)]
    private static partial uint QueryDosDevice(string deviceName, [Out] char[] targetPath, uint characters);
}
