using System.Text;
using System.Text.RegularExpressions;

namespace Tracer.AnalyzerShared.Redact;

/// <summary>
/// What is left of the description of a device: words that many devices have in their names, and numbers of models by their form or behind
/// the word that they belong to. A description is free text: that of an adapter or a phone may hold names, initials, telephone numbers.
/// </summary>
internal static partial class HardwareText
{
    private static readonly HashSet<string> Words = new(StringComparer.OrdinalIgnoreCase)
    {
        "Intel", "GenuineIntel", "Intel64", "AMD", "AuthenticAMD", "AMD64", "Advanced", "Micro", "Devices", "NVIDIA", "Realtek",
        "Qualcomm", "Atheros", "Broadcom", "Marvell", "MediaTek", "Killer", "Microsoft", "VIA", "ASMedia", "Renesas", "Texas",
        "Instruments", "Samsung", "Western", "Digital", "WDC", "Seagate", "Toshiba", "Hitachi", "HGST", "Kingston", "Crucial", "Micron",
        "Kioxia", "SanDisk", "Corsair", "Hynix", "Creative", "Logitech", "Dell", "HP", "Lenovo", "ASUS", "Apple", "VMware",
        "VirtualBox", "Oracle", "QEMU", "Red", "Hat", "VirtIO", "Hyper", "Core", "Xeon", "Pentium", "Celeron", "Atom",
        "Ryzen", "Threadripper", "EPYC", "Athlon", "Radeon", "GeForce", "Quadro", "GTX", "RTX", "GT", "RX", "Ti", "SUPER", "Arc", "Iris",
        "Xe", "UHD", "HD", "Vega", "Pro", "Plus", "EVO", "Ultra", "CPU", "Processor", "Family", "Model", "Stepping", "GHz", "MHz", "GB",
        "TB", "MB", "with", "Graphics", "Display", "Adapter", "Basic", "Render", "Driver", "Controller", "Host", "Ethernet", "Gigabit",
        "Fast", "Gaming", "Network", "Connection", "Wireless", "WiFi", "Wi", "Fi", "LAN", "WAN", "WLAN", "Miniport", "Bluetooth", "Dual",
        "Band", "Centrino", "PCI", "PCIe", "Express", "Root", "Port", "Complex", "Bridge", "Bus", "USB", "xHCI", "EHCI", "UHCI", "OHCI",
        "Hub", "eXtensible", "Enhanced", "Universal", "Serial", "Composite", "Device", "Generic", "Standard", "SATA", "AHCI", "NVMe",
        "NVM", "SSD", "HDD", "Disk", "Drive", "RAID", "SCSI", "IDE", "ATA", "Storage", "Volume", "Audio", "High", "Definition", "Sound",
        "Speakers", "Microphone", "Camera", "Webcam", "Keyboard", "Mouse", "HID", "compliant", "Touch", "Pad", "Touchpad", "Pen",
        "ACPI", "Thermal", "Zone", "Fan", "Power", "Button", "Battery", "Embedded", "System", "Timer", "Event", "Clock", "CMOS", "real",
        "time", "Programmable", "interrupt", "direct", "memory", "access", "Management", "Engine", "Interface", "SMBus", "SPI", "I2C",
        "GPIO", "LPC", "Thunderbolt", "Trusted", "Platform", "Module", "Monitor", "Internal", "External", "Virtual", "Kernel", "Debug",
        "Teredo", "Tunneling", "ISATAP", "Pseudo", "and", "for", "of", "the", "x64", "x86", "ARM64", "Series", "Chipset", "Filter",
        "Manager", "Service", "Mount", "Enumerator", "Software", "Remote", "Desktop", "Redirector", "Input", "Output", "Configuration",
        "Protocol", "Version", "Numeric", "Data", "Area", "Personal", "Link", "Layer", "Topology", "Discovery", "Mapper", "Responder",
        "Scheduler", "Packet", "QoS", "NDIS", "Usermode", "TCP", "IP", "HTTP", "Security", "File", "Store", "Performance", "Beep",
        "Null", "Print", "Printer", "Scanner", "Imaging", "Legacy", "Motherboard", "resources", "Board",
    };

    /// <summary>Words behind which a number tells the model.</summary>
    private static readonly HashSet<string> Numbered = new(StringComparer.OrdinalIgnoreCase)
    {
        "Family", "Model", "Stepping", "GTX", "RTX", "GT", "RX", "HD", "UHD", "Vega", "Ryzen", "Athlon", "EPYC", "Threadripper", "Arc",
        "USB", "NVMe", "SSD", "Wireless", "Connection", "Controller", "Radeon", "GeForce", "Quadro", "Port", "i3", "i5", "i7", "i9",
        "E3", "E5", "E7", "Pentium", "Celeron", "Core",
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
        bool mayNumber = false;
        foreach (Match part in Part().Matches(text))
        {
            string token = part.Value;
            if (Separator().IsMatch(token))
            {
                // A word's number stands right behind it: "Family 6", "RTX 3080".
                mayNumber &= token is " " or "-" or "(" or "/";
                left.Append(token);
                continue;
            }

            bool isWord = Words.Contains(token) || token is "(R)" or "(TM)" or "PS/2" or "I/O";
            words += isWord ? 1 : 0;
            if (isWord || Model().IsMatch(token) || (mayNumber && Number().IsMatch(token)))
            {
                left.Append(token);
            }
            else if (left.Length == 0 || left[^1] != '*')
            {
                left.Append('*');
            }

            mayNumber = Numbered.Contains(token);
        }

        return words > 0 ? left.ToString().Trim() : "";
    }

    /// <summary>What is left of a device id: bus, vendor, device and revision; the instance may be a serial number.</summary>
    public static string OfId(string id) => HardwareId().Match(id) is { Success: true } known ? known.Value : "";

    [GeneratedRegex(@"\(R\)|\(TM\)|PS/2|I/O|I2[0-9]{2}-(?:LM|V|T|AT)\b|[0-9]{1,2}(?:\.[0-9]{1,2})?[GM]Hz|[\p{L}\p{N}]+|[^\p{L}\p{N}]",
        RegexOptions.CultureInvariant)]
    private static partial Regex Part();

    /// <summary>A number behind its word: no telephone number begins so, or is so short.</summary>
    [GeneratedRegex("^(?:0|[1-9][0-9]{0,4}(?:[A-Z]|HK|HX|HS|HQ|KF|KS|XT|LM|GE)?)$", RegexOptions.CultureInvariant)]
    private static partial Regex Number();

    /// <summary>A model that its form tells, of a processor, an adapter or a codec.</summary>
    [GeneratedRegex(
        "^(?:i[3579]|E[357]|[0-9]{1,2}(?:[.][0-9]{1,2})?[GM]Hz|I2[0-9]{2}(?:-[A-Z]{1,2})?|X[57][0-9]{2}|AX[0-9]{3}|BE[0-9]{3}|RTL8[0-9]{3}"
        + "|BCM[0-9]{4,5}|QCA[0-9]{4}|ALC[0-9]{3,4}|MT7[0-9]{3}|82[0-9]{3}(?:LM|LF|DM|V|L)?|GbE)$",
        RegexOptions.CultureInvariant)]
    private static partial Regex Model();

    [GeneratedRegex(@"^[ ()\-/@.,&+#_]$", RegexOptions.CultureInvariant)]
    private static partial Regex Separator();

    [GeneratedRegex("[0-9]+[.][0-9]+[.][0-9]+|(?:[0-9A-Fa-f]{2,4}[-:]){3}", RegexOptions.CultureInvariant)]
    private static partial Regex Address();

    [GeneratedRegex(
        @"^(?:PCI|USB|HDAUDIO|HID)\\(?:VEN|VID|FUNC)_[0-9A-F]{1,8}(?:&(?:VEN|DEV|SUBSYS|REV|PID|MI|CC)_[0-9A-F]{1,8})*(?=\\|$)",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex HardwareId();
}
