using System.Text.RegularExpressions;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>
/// Names that every Windows has, so that they tell nothing about a machine or the people at it. All others are replaced, wherever they
/// lie.
/// </summary>
internal static partial class KnownNames
{
    /// <summary>Where records of old systems cut the names of processes.</summary>
    private const int LeastCutName = 14;
    private const int MostCutName = 15;

    private static readonly Lazy<HashSet<string>> Modules = new(ReadModules);

    /// <summary>Processes of Windows that are no file.</summary>
    private static readonly HashSet<string> Processes = new(StringComparer.OrdinalIgnoreCase)
    {
        "", "System", "Idle", "Registry", "MemCompression", "Memory Compression", "Secure System", "vmmem",
    };

    public static readonly HashSet<string> Accounts = new(StringComparer.OrdinalIgnoreCase)
    {
        "Public", "Default", "Default User", "All Users", "desktop.ini",
    };

    public static readonly HashSet<string> HomesOfUsers = new(StringComparer.OrdinalIgnoreCase) { "Users", "Documents and Settings" };

    /// <summary>Files that are no modules, in which pages are faulted in on every Windows.</summary>
    private static readonly HashSet<string> SystemFiles = new(StringComparer.OrdinalIgnoreCase)
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

    /// <summary>Who makes what Windows runs on; the company of any other module is replaced.</summary>
    private static readonly HashSet<string> Companies = new(StringComparer.OrdinalIgnoreCase)
    {
        "Microsoft Corporation", "Microsoft Corp.", "Microsoft", "Intel Corporation", "Intel(R) Corporation", "Intel", "NVIDIA Corporation",
        "Advanced Micro Devices, Inc.", "Advanced Micro Devices", "Advanced Micro Devices, Inc", "AMD", "Realtek", "Realtek Semiconductor",
        "Realtek Semiconductor Corp.", "Realtek Semiconductor Corporation", "Qualcomm", "Qualcomm Atheros, Inc.", "Qualcomm Incorporated",
        "Broadcom Corporation", "Broadcom Inc", "Broadcom", "Marvell", "MediaTek Inc.", "MediaTek, Inc.", "Synaptics Incorporated",
        "Samsung Electronics Co., Ltd.", "VIA Technologies, Inc.", "ASMedia Technology Inc", "VMware, Inc.", "Oracle Corporation",
        "Red Hat, Inc.", "Logitech", "Logitech, Inc.", "Creative Technology Ltd.",
    };

    /// <summary>
    /// Segments of firmware's paths that many machines have, beside those that begin with _, which the specification gives.
    /// </summary>
    private static readonly HashSet<string> FirmwareSegments = new(StringComparer.Ordinal)
    {
        "PCI0", "PCI1", "LPCB", "LPC", "LPC0", "ISA", "SBRG", "EC", "EC0", "ECDV", "TZ00", "TZ01", "THRM", "BAT0", "BAT1", "ADP1", "AC",
        "LID", "LID0", "PWRB", "SLPB", "FAN0", "FAN1", "CPU0", "CPU1", "GFX0", "PEG0", "GPP0", "XHC", "XHCI", "RP01", "RP02", "GPE",
    };

    /// <summary>Whether a module is one that Windows ships, its texts in a language, or its code compiled on this machine.</summary>
    public static bool IsModule(string file) => Modules.Value.Contains(file)
        || (file.EndsWith(".mui", StringComparison.OrdinalIgnoreCase) && Modules.Value.Contains(file[..^".mui".Length]))
        || (file.EndsWith(".ni.dll", StringComparison.OrdinalIgnoreCase) && Modules.Value.Contains(file[..^".ni.dll".Length] + ".dll"));

    /// <summary>Whether a file is one that every Windows has, a module or not.</summary>
    public static bool IsFile(string file) => IsModule(file) || SystemFiles.Contains(file);

    /// <summary>Whether a process is one of Windows itself, also where its name is cut.</summary>
    public static bool IsProcess(string name) => Processes.Contains(name)
        || (name.EndsWith(".exe", StringComparison.OrdinalIgnoreCase) && IsModule(name))
        || (name.Length is LeastCutName or MostCutName && Modules.Value.Any(known => known.EndsWith(".exe", StringComparison.Ordinal)
            && known.StartsWith(name, StringComparison.OrdinalIgnoreCase)));

    public static bool IsWorkgroup(string domain) => domain.Equals("WORKGROUP", StringComparison.OrdinalIgnoreCase);

    public static bool IsFolder(string name) => Folders.Contains(name) || Numbered().IsMatch(name);

    public static bool IsCompany(string name) => Companies.Contains(name);

    /// <summary>Whether a segment of a path in the firmware is one that the specification gives, or that many machines have.</summary>
    public static bool IsFirmwareSegment(string segment) => FirmwareSegments.Contains(segment) || Predefined().IsMatch(segment);

    private static HashSet<string> ReadModules()
    {
        using Stream list = typeof(KnownNames).Assembly.GetManifestResourceStream("WindowsModules.txt")!;
        using var lines = new StreamReader(list);
        var modules = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        while (lines.ReadLine() is { } line)
        {
            if (!line.StartsWith('#'))
            {
                modules.UnionWith(line.Split(' ', StringSplitOptions.RemoveEmptyEntries));
            }
        }

        return modules;
    }

    /// <summary>A drive, or a volume by its number.</summary>
    [GeneratedRegex(@"^(?:[A-Za-z]:|HarddiskVolume[0-9]{1,4}|HarddiskVolumeShadowCopy[0-9]{1,4}|v[0-9]\.[0-9]\.[0-9]{1,5})$",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Numbered();

    /// <summary>Names that ACPI gives itself: of the root's children, of events by their number, of some objects.</summary>
    [GeneratedRegex("^(?:_SB_?|_PR_?|_TZ_?|_SI_?|_GPE|_[QLEW][0-9A-F]{2}|_(?:STA|TMP|CRT|PSV|HOT|BIF|BIX|BST|BCM|BQC|DOD|PSR|LID|INI|REG"
        + "|ON_?|OFF"
        + "|PS[0-3]|PR[0-3]|WAK|PTS|CRS|PRS|SRS|DSM|OSC|CST|PSS|PPC|PCT|TPC|TSS|CPC|DSW|PRW|AC[0-9]|AL[0-9]|SCP|TZP|FST|FSL|FIF|FPS|DSD"
        + "|ADR|HID|CID|UID|EJ0|PXM|OST|RST|DIS|BTP|PCL))$",
        RegexOptions.CultureInvariant)]
    private static partial Regex Predefined();
}
