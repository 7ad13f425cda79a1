using System.Text;
using System.Text.RegularExpressions;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>
/// What is left of the description of a device: words that many devices have in their names, and short numbers of models. A description is
/// free text, and that of a network adapter may hold the name of a company.
/// </summary>
internal static partial class HardwareText
{
    /// <summary>Numbers that a description may keep: more would be an address or a serial number.</summary>
    private const int MostNumbers = 4;

    private static readonly HashSet<string> Words = new(StringComparer.OrdinalIgnoreCase)
    {
        "Intel", "GenuineIntel", "Intel64", "AMD", "AuthenticAMD", "AMD64", "Advanced", "Micro", "Devices", "NVIDIA", "Realtek",
        "Qualcomm", "Atheros", "Broadcom", "Marvell", "MediaTek", "Killer", "Microsoft", "VIA", "ASMedia", "Renesas", "Texas",
        "Instruments", "Samsung", "Western", "Digital", "WDC", "Seagate", "Toshiba", "Hitachi", "HGST", "Kingston", "Crucial", "Micron",
        "Kioxia", "SanDisk", "Corsair", "Hynix", "SK", "Creative", "Logitech", "Dell", "HP", "Lenovo", "ASUS", "Apple", "VMware",
        "VirtualBox", "Oracle", "QEMU", "Red", "Hat", "VirtIO", "Hyper", "Core", "TM", "R", "Xeon", "Pentium", "Celeron", "Atom",
        "Ryzen", "Threadripper", "EPYC", "Athlon", "Radeon", "GeForce", "Quadro", "GTX", "RTX", "GT", "RX", "Ti", "SUPER", "Arc", "Iris",
        "Xe", "UHD", "HD", "Vega", "Pro", "Plus", "EVO", "Ultra", "CPU", "Processor", "Family", "Model", "Stepping", "GHz", "MHz", "GB",
        "TB", "MB", "with", "Graphics", "Display", "Adapter", "Basic", "Render", "Driver", "Controller", "Host", "Ethernet", "Gigabit",
        "Fast", "Gaming", "Network", "Connection", "Wireless", "WiFi", "Wi", "Fi", "LAN", "WAN", "WLAN", "Miniport", "Bluetooth", "Dual",
        "Band", "Centrino", "PCI", "PCIe", "Express", "Root", "Port", "Complex", "Bridge", "Bus", "USB", "xHCI", "EHCI", "UHCI", "OHCI",
        "Hub", "eXtensible", "Enhanced", "Universal", "Serial", "Composite", "Device", "Generic", "Standard", "SATA", "AHCI", "NVMe",
        "NVM", "SSD", "HDD", "Disk", "Drive", "RAID", "SCSI", "IDE", "ATA", "Storage", "Volume", "Audio", "High", "Definition", "Sound",
        "Speakers", "Microphone", "Camera", "Webcam", "Keyboard", "Mouse", "HID", "PS", "compliant", "Touch", "Pad", "Touchpad", "Pen",
        "ACPI", "Thermal", "Zone", "Fan", "Power", "Button", "Battery", "Embedded", "System", "Timer", "Event", "Clock", "CMOS", "real",
        "time", "Programmable", "interrupt", "direct", "memory", "access", "Management", "Engine", "Interface", "SMBus", "SPI", "I2C",
        "GPIO", "LPC", "Thunderbolt", "Trusted", "Platform", "Module", "Monitor", "Internal", "External", "Virtual", "Kernel", "Debug",
        "Teredo", "Tunneling", "ISATAP", "Pseudo", "and", "for", "of", "the", "x64", "x86", "ARM64", "Series", "Chipset", "Filter",
        "Manager", "Service", "Mount", "Enumerator", "Software", "Remote", "Desktop", "Redirector", "Input", "Output", "Configuration",
        "Protocol", "Version", "Numeric", "Data", "Area", "Personal", "Link", "Layer", "Topology", "Discovery", "Mapper", "Responder",
        "Scheduler", "Packet", "QoS", "NDIS", "Usermode", "TCP", "IP", "HTTP", "Security", "File", "Store", "Performance", "Beep",
        "Null", "Print", "Printer", "Scanner", "Imaging", "Legacy", "Motherboard", "resources", "Board",
    };

    /// <summary>What is left of a text; empty where that is nothing but numbers.</summary>
    public static string Of(string text)
    {
        if (Address().IsMatch(text))
        {
            return "";
        }

        var left = new StringBuilder();
        int words = 0;
        int numbers = 0;
        foreach (Match part in Part().Matches(text))
        {
            string token = part.Value;
            bool isWord = Words.Contains(token);
            bool isNumber = !isWord && Number().IsMatch(token) && numbers < MostNumbers;
            words += isWord ? 1 : 0;
            numbers += isNumber ? 1 : 0;
            if (isWord || isNumber || Separator().IsMatch(token))
            {
                left.Append(token);
            }
            else if (left.Length == 0 || left[^1] != '*')
            {
                left.Append('*');
            }
        }

        return words > 0 ? left.ToString().Trim() : "";
    }

    /// <summary>What is left of a device id: bus, vendor, device and revision; the instance may be a serial number.</summary>
    public static string OfId(string id) => HardwareId().Match(id) is { Success: true } known ? known.Value : "";

    [GeneratedRegex("[A-Za-z0-9]+|[^A-Za-z0-9]", RegexOptions.CultureInvariant)]
    private static partial Regex Part();

    [GeneratedRegex("^(?:[A-Za-z]|[A-Za-z]{1,3}[0-9]{1,4}|[0-9]{1,5}[A-Za-z]{0,3})$", RegexOptions.CultureInvariant)]
    private static partial Regex Number();

    [GeneratedRegex(@"^[ ()\-/@.,&+#_]$", RegexOptions.CultureInvariant)]
    private static partial Regex Separator();

    [GeneratedRegex("[0-9]+[.][0-9]+[.][0-9]+|(?:[0-9A-Fa-f]{2,4}[-:]){3}", RegexOptions.CultureInvariant)]
    private static partial Regex Address();

    [GeneratedRegex(
        @"^(?:PCI|USB|HDAUDIO|HID)\\(?:VEN|VID|FUNC)_[0-9A-F]{1,8}(?:&(?:VEN|DEV|SUBSYS|REV|PID|MI|CC)_[0-9A-F]{1,8})*(?=\\|$)",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex HardwareId();
}
