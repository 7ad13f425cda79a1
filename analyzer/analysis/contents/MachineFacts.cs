using System.Text;

namespace Tracer.Analysis.Contents;

/// <summary>Learns about the machine from the SystemConfig records (MOF), which a session logs when it stops.</summary>
internal sealed class MachineFacts
{
    /// <summary>Most devices of a kind that are kept: no machine has more, but a damaged trace may claim so.</summary>
    private const int MaximumDevices = 64;

    /// <summary>Class of what merging adds about the system (SystemConfigEx), and its record of the build.</summary>
    private static readonly Guid BuildClass = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
    private const int BuildOpcode = 32;

    /// <summary>In front of the build's name stands when the system was installed.</summary>
    private const int BuildOffset = 8;

    private readonly List<string> _nics = [];
    private readonly List<string> _video = [];
    private readonly List<string> _disks = [];
    private string? _computer;
    private string? _cpu;
    private string? _model;
    private string? _firmware;
    private int? _mhz;
    private int? _memoryMb;
    private bool? _hypervisor;

    /// <summary>The computer's name, which reports do not print; null where not recorded.</summary>
    public string? Computer => _computer;

    /// <summary>Processors as the kernel counts them; null where not recorded.</summary>
    public int? Processors { get; private set; }

    /// <summary>Build number of the operating system; null where not recorded.</summary>
    public int? OsBuild { get; private set; }

    /// <summary>The machine as learnt so far.</summary>
    public MachineSummary Summary => new()
    {
        Cpu = _cpu,
        Mhz = _mhz,
        MemoryMb = _memoryMb,
        Hypervisor = _hypervisor,
        Model = _model,
        Firmware = _firmware,
        Nics = _nics,
        Video = _video,
        Disks = _disks,
    };

    /// <summary>Adds a record of the group SystemConfig or Image.</summary>
    /// <param name="hookId">The event's hook id, also where it has a classic header.</param>
    public void Add(in EtlEvent traceEvent, ushort hookId)
    {
        switch (hookId)
        {
            case KernelHook.SystemConfigCpu when SystemConfigCpuRecord.TryRead(in traceEvent, out SystemConfigCpuRecord cpu):
                _mhz = Positive(cpu.MHz) ?? _mhz;
                Processors = cpu.NumberOfProcessors is > 0 and <= EtlBufferHeader.MaximumProcessors
                    ? (int)cpu.NumberOfProcessors
                    : Processors;
                _memoryMb = Positive(cpu.MemSize) ?? _memoryMb;
                _computer ??= Text(cpu.ComputerName);
                break;
            case KernelHook.SystemConfigProcessor when ProcessorRecord.TryRead(in traceEvent, out ProcessorRecord processor):
                _cpu ??= Text(processor.Name);
                _mhz ??= Positive(processor.MHz);
                break;
            case KernelHook.SystemConfigNetworkAdapter when NetworkAdapterRecord.TryRead(in traceEvent, out NetworkAdapterRecord nic):
                AddDevice(_nics, Text(nic.Description));
                break;
            case KernelHook.SystemConfigVideoAdapter when VideoAdapterRecord.TryRead(in traceEvent, out VideoAdapterRecord video):
                AddDevice(_video, Text(video.AdapterString) ?? Text(video.ChipType));
                break;
            case KernelHook.SystemConfigPhysicalDisk when PhysicalDiskRecord.TryRead(in traceEvent, out PhysicalDiskRecord disk):
                AddDevice(_disks, Text(disk.Manufacturer));
                break;
            case KernelHook.SystemConfigPlatform:
                _model ??= Texts(in traceEvent, "Manufacturer", "Product") is { Length: > 0 } model ? string.Join(' ', model) : null;
                _firmware ??= Texts(in traceEvent, "BiosVersion", "BiosDate") is { Length: > 0 } firmware
                    ? string.Join(" of ", firmware)
                    : null;
                break;
            case KernelHook.HypercallPage:
                // The hypercall page, through which a guest calls its hypervisor.
                _hypervisor = true;
                break;
            default:
                break;
        }
    }

    /// <summary>Learns the build from the record that merging adds, such as <c>19041.1.amd64fre.vb_release.191206-1406</c>.</summary>
    public void AddBuild(in EtlEvent traceEvent)
    {
        if (traceEvent.Kind is EtlHeaderKind.Full32 or EtlHeaderKind.Full64 && traceEvent.Opcode == BuildOpcode
            && traceEvent.ProviderId == BuildClass && traceEvent.Payload.Length > BuildOffset)
        {
            string name = Encoding.Unicode.GetString(traceEvent.Payload[BuildOffset..(traceEvent.Payload.Length & ~1)]);
            OsBuild ??= int.TryParse(name.Split('.')[0], NumberStyles.None, CultureInfo.InvariantCulture, out int build) ? build : null;
        }
    }

    private static int? Positive(uint value) => value is > 0 and <= int.MaxValue ? (int)value : null;

    private static string[] Texts(in EtlEvent traceEvent, string first, string second)
    {
        string? one = Text(MachineLayouts.Platform.Text(in traceEvent, first));
        string? other = Text(MachineLayouts.Platform.Text(in traceEvent, second));
        return [.. new[] { one, other }.OfType<string>()];
    }

    private static string? Text(ReadOnlySpan<byte> utf16) =>
        Encoding.Unicode.GetString(utf16).Trim() is { Length: > 0 } text ? text : null;

    private static void AddDevice(List<string> devices, string? name)
    {
        if (name is not null && devices.Count < MaximumDevices && !devices.Contains(name))
        {
            devices.Add(name);
        }
    }
}
