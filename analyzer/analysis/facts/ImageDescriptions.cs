using Tracer.Symbols;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Descriptions of images that merging adds to a trace: vendor and version, time stamps, and how NT paths map to drive letters (the records
/// of TraceEvent's SymbolTraceEventParser, KernelTraceControl.h's ImageID group, and SystemConfig). Accepts classic events in any order;
/// memory is bounded.
/// </summary>
internal sealed class ImageDescriptions
{
    /// <summary>Most identities that are kept; the largest trace examined has 46,000.</summary>
    private const int MaximumIdentities = 1 << 18;

    private const int MaximumVersions = 1 << 16;
    private const int MaximumMappings = 256;

    private const byte InfoOpcode = 0;
    private const byte ReproducibleOpcode = 40;
    private const byte FileVersionOpcode = 64;
    private const byte VolumeMappingOpcode = 35;

    /// <summary>Release of Windows NT 3.1: no driver has an earlier time stamp.</summary>
    private static readonly DateTime Earliest = new(1993, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    private static readonly Guid SystemConfigExClass = new("9b79ee91-b5fd-41c0-a243-4248e266e9d0");

    private readonly NamePool _names;
    private readonly int _pointerBytes;
    private readonly List<Identity> _identities = [];
    private readonly HashSet<(long Space, ulong Base)> _reproducible = [];
    /// <summary>By size in whole pages: image records have that, versions the bytes of the header.</summary>
    private readonly Dictionary<(ulong Size, uint Stamp), FileVersion> _versions = [];
    private readonly List<(string Nt, string Dos)> _mappings = [];

    /// <summary>Creates an empty collection.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    public ImageDescriptions(NamePool names, int pointerBytes)
    {
        _names = names;
        _pointerBytes = pointerBytes;
    }

    /// <summary>How many records were ignored.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds an event without a hook id.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.Kind is not (EtlHeaderKind.Full32 or EtlHeaderKind.Full64))
        {
            return;
        }

        Guid classId = traceEvent.ProviderId;
        if (classId == KernelRecordCatalog.ImageIdClass)
        {
            AddImageId(in traceEvent);
        }
        else if (classId == SystemConfigExClass
            && traceEvent.Opcode == VolumeMappingOpcode
            && VolumeMappingRecord.TryRead(in traceEvent, out VolumeMappingRecord mapping))
        {
            AddMapping(_names.OfUtf16(mapping.NtPath), _names.OfUtf16(mapping.DosPath));
        }
    }

    /// <summary>Sorts the records; queries are valid afterwards.</summary>
    public void Complete()
    {
        LongRecords.Sort(_identities, static (in Identity one, in Identity other) => one.CompareTo(other));
        _mappings.Sort((first, second) => second.Nt.Length != first.Nt.Length
            ? second.Nt.Length.CompareTo(first.Nt.Length)
            : string.CompareOrdinal(first.Nt, second.Nt));
    }

    /// <summary>The original file name in the version resource of an image; null where it is not known.</summary>
    public string? OriginalName(long space, ulong imageBase, long loadTicks, long unloadTicks) =>
        Find(space, imageBase, loadTicks, unloadTicks) is { OriginalName.Length: > 0 } identity ? identity.OriginalName : null;

    /// <summary>The time stamp in an image's header; 0 where it is not known.</summary>
    public uint Stamp(long space, ulong imageBase, long loadTicks, long unloadTicks) =>
        Find(space, imageBase, loadTicks, unloadTicks)?.Stamp ?? 0;

    /// <param name="recordedAt">When the trace was recorded, UTC; a later time stamp in an image is a hash.</param>
    /// <returns>Null where the image's path is not known.</returns>
    public ImageDescription? Of(in ImageLifetimeRecord record, long loadTicks, long unloadTicks, DateTime? recordedAt)
    {
        if (record.Path.Length == 0)
        {
            return null;
        }

        Identity? identity = Find(record.Space, record.Base, loadTicks, unloadTicks);
        uint stamp = record.Stamp != 0 ? record.Stamp : identity?.Stamp ?? 0;
        _versions.TryGetValue((ImageId.WholePages(record.Size), stamp), out FileVersion version);
        DateTime? built = DateTime.UnixEpoch.AddSeconds(stamp);
        bool isDate = stamp != 0
            && !_reproducible.Contains((record.Space, record.Base))
            && built >= Earliest
            && (recordedAt is null || built.Value.AddDays(-1) <= recordedAt);
        return new ImageDescription
        {
            Path = ForPeople(record.Path),
            Version = stamp == 0 || version.Version is not { Length: > 0 } text ? null : text,
            Company = stamp == 0 || version.Company is not { Length: > 0 } company ? null : company,
            Timestamp = isDate ? built : null,
        };
    }

    /// <summary>A path with a drive letter, where the trace has the mapping.</summary>
    public string ForPeople(string path)
    {
        foreach ((string nt, string dos) in _mappings)
        {
            if (path.StartsWith(nt, StringComparison.OrdinalIgnoreCase))
            {
                return dos + path[nt.Length..];
            }
        }

        return path;
    }

    private void AddMapping(string nt, string dos)
    {
        if (nt.Length == 0)
        {
            return;
        }

        if (_mappings.Count == MaximumMappings)
        {
            Dropped++;
        }
        else if (!_mappings.Contains((nt, dos)))
        {
            _mappings.Add((nt, dos));
        }
    }

    private void AddImageId(in EtlEvent traceEvent)
    {
        switch (traceEvent.Opcode)
        {
            case InfoOpcode when ImageIdInfoRecord.TryRead(in traceEvent, out ImageIdInfoRecord info):
                if (_identities.Count == MaximumIdentities)
                {
                    Dropped++;
                    break;
                }

                _identities.Add(new Identity(
                    SpaceOf(info.ProcessId, info.ImageBase),
                    info.ImageBase,
                    traceEvent.TimestampTicks,
                    info.TimeDateStamp,
                    _names.OfUtf16(info.OriginalFileName)));
                break;
            case ReproducibleOpcode when ImageIdReproducibleRecord.TryRead(in traceEvent, out ImageIdReproducibleRecord reproducible):
                if (_reproducible.Count < MaximumIdentities)
                {
                    _reproducible.Add((SpaceOf(reproducible.ProcessId, reproducible.ImageBase), reproducible.ImageBase));
                }

                break;
            case FileVersionOpcode when ImageFileVersionRecord.TryRead(in traceEvent, out ImageFileVersionRecord version):
                if (_versions.Count == MaximumVersions)
                {
                    Dropped++;
                    break;
                }

                string text = _names.OfUtf16(version.FileVersion);
                _versions.TryAdd(
                    (ImageId.WholePages(version.ImageSize), version.TimeDateStamp),
                    new FileVersion(
                        text.Length > 0 ? text : _names.OfUtf16(version.BinFileVersion), _names.OfUtf16(version.CompanyName)));
                break;
            default:
                break;
        }
    }

    /// <summary>The last identity logged for this address while the image was mapped: with its load, or in a rundown.</summary>
    private Identity? Find(long space, ulong imageBase, long loadTicks, long unloadTicks)
    {
        int at = _identities.BinarySearch(new Identity(space, imageBase, unloadTicks, uint.MaxValue, ""));
        at = at < 0 ? ~at - 1 : at;
        return at >= 0 && _identities[at] is var found && found.Space == space && found.Base == imageBase && found.Ticks >= loadTicks
            ? found
            : null;
    }

    private long SpaceOf(uint processId, ulong imageBase) => ImageLifetimeRecord.SpaceOf(processId, imageBase, _pointerBytes);

    private readonly record struct FileVersion(string Version, string Company);

    private readonly record struct Identity(long Space, ulong Base, long Ticks, uint Stamp, string OriginalName) : IComparable<Identity>
    {
        public int CompareTo(Identity other)
        {
            int order = Space.CompareTo(other.Space);
            order = order != 0 ? order : Base.CompareTo(other.Base);
            order = order != 0 ? order : Ticks.CompareTo(other.Ticks);
            order = order != 0 ? order : Stamp.CompareTo(other.Stamp);
            return order != 0 ? order : string.CompareOrdinal(OriginalName, other.OriginalName);
        }
    }
}
