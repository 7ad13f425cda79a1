using System.Collections.ObjectModel;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Which devices a driver runs, and which processor a buffer's index means, from the configuration that a session logs when it stops. Add
/// events in any order, call <see cref="Complete"/> once, then query. Memory is bounded.
/// </summary>
/// <remarks>
/// SystemConfig_PnP (MOF). A device names the service of its driver, not the file. For most drivers the file name without its extension is
/// the service's name (41 of 47 and 74 of 86 on two machines); for the others the device stays unknown. Filters count only where the file
/// runs no device itself.
/// </remarks>
public sealed class DriverDevices
{
    private const ushort PnpDevice = 0x0B16;
    private const ushort ProcessorNumber = 0x0B1B;
    private const int MaximumDevices = 1 << 12;
    private const int MaximumFilters = 16;

    private readonly NamePool _names = new();
    private readonly SortedSet<Device> _devices = [];
    private readonly Dictionary<string, List<string>> _namesOfService = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, List<string>> _namesOfFilter = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<Guid, List<string>> _servicesOfClass = [];
    private readonly List<(ushort Group, byte Number)> _processors = [];

    /// <summary>How many records were ignored because they were too short or too many.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds a kernel event; events about neither devices nor processors are ignored.</summary>
    /// <param name="hookId">The event's hook id, also where it has a classic header.</param>
    public void Add(ushort hookId, in EtlEvent traceEvent)
    {
        switch (hookId)
        {
            case PnpDevice:
                AddDevice(in traceEvent);
                break;
            case ProcessorNumber when ProcessorNumberRecord.TryRead(in traceEvent, out ProcessorNumberRecord processors):
                for (int cpu = _processors.Count; cpu < Math.Min(processors.Count, EtlBufferHeader.MaximumProcessors); cpu++)
                {
                    _processors.Add((processors.Group(cpu), processors.Number(cpu)));
                }

                break;
            default:
                break;
        }
    }

    public void Complete()
    {
        foreach (Device device in _devices)
        {
            Note(device.IsFilter ? _namesOfFilter : _namesOfService, device.Service, device.Name);
            if (!device.IsFilter)
            {
                if (!_servicesOfClass.TryGetValue(device.Class, out List<string>? services))
                {
                    _servicesOfClass.Add(device.Class, services = []);
                }

                if (!services.Contains(device.Service, StringComparer.OrdinalIgnoreCase))
                {
                    services.Add(device.Service);
                }
            }
        }
    }

    /// <summary>The device that a driver runs, by its friendly name.</summary>
    /// <param name="driverFileName">File name of the driver with its extension.</param>
    /// <returns>The names of several devices are separated by commas; null where none is known.</returns>
    public string? DeviceOf(string driverFileName) =>
        DevicesOf(driverFileName) is { Count: > 0 } names ? string.Join(", ", names) : null;

    /// <summary>The devices that a driver runs or, where it runs none, those that it filters.</summary>
    /// <param name="driverFileName">File name of the driver with its extension.</param>
    public IReadOnlyList<string> DevicesOf(string driverFileName)
    {
        ArgumentNullException.ThrowIfNull(driverFileName);
        int dot = driverFileName.LastIndexOf('.');
        string stem = dot > 0 ? driverFileName[..dot] : driverFileName;
        return _namesOfService.TryGetValue(stem, out List<string>? names) || _namesOfFilter.TryGetValue(stem, out names)
            ? new ReadOnlyCollection<string>(names)
            : [];
    }

    /// <summary>The services that run the devices of a setup class, sorted by name.</summary>
    public IReadOnlyList<string> ServicesOfClass(Guid classId) =>
        _servicesOfClass.TryGetValue(classId, out List<string>? services) ? new ReadOnlyCollection<string>(services) : [];

    /// <returns>Where the trace does not tell, 64 processors to a group are assumed: right where all groups are full.</returns>
    public (ushort Group, byte Number) ProcessorOf(int cpu) =>
        (uint)cpu < (uint)_processors.Count ? _processors[cpu] : ((ushort)(cpu / 64), (byte)(cpu % 64));

    /// <summary>The index of a processor by group and number; -1 where none has them.</summary>
    /// <param name="processors">How many processors there are, at most.</param>
    public int IndexOf(int processors, ushort group, byte number)
    {
        for (int cpu = 0; cpu < processors; cpu++)
        {
            if (ProcessorOf(cpu) == (group, number))
            {
                return cpu;
            }
        }

        return -1;
    }

    /// <summary>Whether all processors are in the first group: a thread's mask does not tell the group that it counts in.</summary>
    /// <param name="processors">How many processors there are, at least.</param>
    public bool HasOneGroup(int processors)
    {
        for (int cpu = Math.Max(processors, _processors.Count) - 1; cpu >= 0; cpu--)
        {
            if (ProcessorOf(cpu).Group != 0)
            {
                return false;
            }
        }

        return true;
    }

    private static void Note(Dictionary<string, List<string>> namesOf, string service, string name)
    {
        if (!namesOf.TryGetValue(service, out List<string>? names))
        {
            namesOf.Add(service, names = []);
        }

        if (!names.Contains(name))
        {
            names.Add(name);
        }
    }

    private void AddDevice(in EtlEvent traceEvent)
    {
        if (!PnpDeviceRecord.TryRead(in traceEvent, out PnpDeviceRecord record))
        {
            Dropped++;
            return;
        }

        string friendly = _names.OfUtf16(record.FriendlyName);
        string name = friendly.Length > 0 ? friendly : _names.OfUtf16(record.DeviceDescription);
        Add(record.ServiceName, name, record.ClassGuid ?? Guid.Empty, isFilter: false);
        for (int i = 0; i < Math.Min(record.UpperFilterCount, MaximumFilters); i++)
        {
            Add(record.UpperFilter(i), name, Guid.Empty, isFilter: true);
        }

        for (int i = 0; i < Math.Min(record.LowerFilterCount, MaximumFilters); i++)
        {
            Add(record.LowerFilter(i), name, Guid.Empty, isFilter: true);
        }
    }

    private void Add(ReadOnlySpan<byte> service, string name, Guid classId, bool isFilter)
    {
        string serviceName = _names.OfUtf16(service);
        if (serviceName.Length == 0 || name.Length == 0)
        {
            return;
        }

        if (_devices.Count == MaximumDevices)
        {
            Dropped++;
            return;
        }

        _devices.Add(new Device(serviceName, isFilter, name, classId));
    }

    private readonly record struct Device(string Service, bool IsFilter, string Name, Guid Class) : IComparable<Device>
    {
        public int CompareTo(Device other)
        {
            int order = StringComparer.OrdinalIgnoreCase.Compare(Service, other.Service);
            order = order != 0 ? order : string.CompareOrdinal(Service, other.Service);
            order = order != 0 ? order : IsFilter.CompareTo(other.IsFilter);
            order = order != 0 ? order : string.CompareOrdinal(Name, other.Name);
            return order != 0 ? order : Class.CompareTo(other.Class);
        }
    }
}
