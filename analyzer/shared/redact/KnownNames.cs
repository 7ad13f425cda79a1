using System.Text.RegularExpressions;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>Names that every Windows has, so that they tell nothing about a machine or the people at it. All others are replaced.</summary>
internal static partial class KnownNames
{
    private const int LongestCutName = 14;

    /// <summary>Processes of Windows itself, and of its own recorder.</summary>
    private static readonly HashSet<string> Processes = new(StringComparer.OrdinalIgnoreCase)
    {
        "", "System", "Idle", "Registry", "MemCompression", "Memory Compression", "Secure System", "vmmem", "smss.exe", "csrss.exe",
        "wininit.exe", "winlogon.exe", "services.exe", "lsass.exe", "lsm.exe", "LsaIso.exe", "svchost.exe", "dwm.exe", "audiodg.exe",
        "explorer.exe", "fontdrvhost.exe", "conhost.exe", "dllhost.exe", "taskhost.exe", "taskhostw.exe", "taskhostex.exe", "sihost.exe",
        "ctfmon.exe", "spoolsv.exe", "SearchIndexer.exe", "WmiPrvSE.exe", "WUDFHost.exe", "MsMpEng.exe", "NisSrv.exe",
        "RuntimeBroker.exe", "rundll32.exe", "LogonUI.exe", "TrustedInstaller.exe", "TiWorker.exe", "ShellExperienceHost.exe",
        "StartMenuExperienceHost.exe", "ApplicationFrameHost.exe", "SystemSettings.exe", "Taskmgr.exe", "vmwp.exe", "vmcompute.exe",
        "xperf.exe", "wpr.exe", "wpa.exe",
    };

    public static readonly HashSet<string> Accounts = new(StringComparer.OrdinalIgnoreCase)
    {
        "Public", "Default", "Default User", "All Users", "desktop.ini",
    };

    public static readonly HashSet<string> HomesOfUsers = new(StringComparer.OrdinalIgnoreCase) { "Users", "Documents and Settings" };

    public static readonly HashSet<string> WindowsFolders = new(StringComparer.OrdinalIgnoreCase) { "Windows", "WINNT", "SystemRoot" };

    /// <summary>Files in which pages are faulted in on every Windows.</summary>
    public static readonly HashSet<string> SystemFiles = new(StringComparer.OrdinalIgnoreCase)
    {
        "pagefile.sys", "swapfile.sys", "hiberfil.sys", "$Mft", "$LogFile",
    };

    /// <summary>Endings that stay when the name of a file is replaced.</summary>
    public static readonly HashSet<string> Endings = new(StringComparer.OrdinalIgnoreCase)
    {
        ".dll", ".exe", ".sys", ".mui", ".nls", ".dat", ".db", ".etl", ".log", ".pf", ".drv", ".ocx", ".cpl", ".ax", ".efi", ".bin", ".pdb",
    };

    private static readonly HashSet<string> Folders = new(StringComparer.OrdinalIgnoreCase)
    {
        "", ".", "?", "??", "Device", "GLOBAL??", "Windows", "WINNT", "SystemRoot", "System32", "SysWOW64", "SysNative", "SysArm32",
        "drivers", "DriverStore", "FileRepository", "WinSxS", "umdf", "Program Files", "Program Files (x86)", "Common Files",
        "ProgramData", "Users", "Documents and Settings", "AppData", "Local", "Roaming", "LocalLow", "Temp", "wbem", "config", "Boot",
        "Fonts", "Prefetch", "spool", "SystemApps", "WindowsApps", "SystemResources", "assembly", "GAC_MSIL", "GAC_64", "GAC_32",
        "Microsoft.NET", "Framework", "Framework64", "en-US", "Globalization", "Sorting", "Desktop", "Documents", "Downloads", "$Extend",
    };

    /// <summary>Whether a process is one of Windows itself. Records of old systems cut names behind 14 characters.</summary>
    public static bool IsProcess(string name) => Processes.Contains(name)
        || (name.Length == LongestCutName && Processes.Any(known => known.StartsWith(name, StringComparison.OrdinalIgnoreCase)));

    /// <summary>Whether a machine of no domain has that for one.</summary>
    public static bool IsWorkgroup(string domain) => domain.Equals("WORKGROUP", StringComparison.OrdinalIgnoreCase);

    public static bool IsFolder(string name) => Folders.Contains(name) || Numbered().IsMatch(name);

    /// <summary>A drive, or a volume by its number.</summary>
    [GeneratedRegex(@"^(?:[A-Za-z]:|HarddiskVolume[0-9]{1,4}|HarddiskVolumeShadowCopy[0-9]{1,4}|v[0-9]\.[0-9]\.[0-9]{1,5})$",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Numbered();
}
