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
    private readonly List<ImageIdentity> _identities = [];
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
        LongRecords.Sort(
            _identities,
            static (in ImageIdentity one) => ImageLifetimeRecord.PlaceOf(one.Space, one.Base),
            static (in ImageIdentity one, in ImageIdentity other) => one.CompareTo(in other));
        _mappings.Sort((first, second) => second.Nt.Length != first.Nt.Length
            ? second.Nt.Length.CompareTo(first.Nt.Length)
            : string.CompareOrdinal(first.Nt, second.Nt));
    }

    /// <summary>The last identity that was logged for this address while the image was mapped: with its load, or in a rundown.</summary>
    public ImageIdentity? Find(long space, ulong imageBase, long loadTicks, long unloadTicks)
    {
        int behind = SortedSearch.FirstNot(
            0,
            _identities.Count,
            (_identities, space, imageBase, unloadTicks),
            static (at, i) => !at._identities[i].IsBehind(at.space, at.imageBase, at.unloadTicks));

        return behind > 0 && _identities[behind - 1] is var found
            && found.Space == space && found.Base == imageBase && found.Ticks >= loadTicks
            ? found
            : null;
    }

    /// <param name="identity">The last that was logged for it; null where none was.</param>
    /// <param name="recordedAt">When the trace was recorded, UTC; a later time stamp in an image is a hash.</param>
    /// <returns>Null where the image's path is not known.</returns>
    public ImageDescription? Of(in ImageLifetimeRecord record, in ImageIdentity? identity, DateTime? recordedAt)
    {
        if (record.Path.Length == 0)
        {
            return null;
        }

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

                _identities.Add(new ImageIdentity(
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

    private long SpaceOf(uint processId, ulong imageBase) => ImageLifetimeRecord.SpaceOf(processId, imageBase, _pointerBytes);

    private readonly record struct FileVersion(string Version, string Company);
}

/// <param name="Space">The address space, as <see cref="ImageLifetimeRecord"/> has it.</param>
/// <param name="Ticks">When it was logged: with the image's load, or in a rundown.</param>
/// <param name="Stamp">The time stamp in the image's header.</param>
/// <param name="OriginalName">The file name in its version resource; empty where it has none.</param>
internal readonly record struct ImageIdentity(long Space, ulong Base, long Ticks, uint Stamp, string OriginalName)
{
    /// <summary>Orders those of one address.</summary>
    public int CompareTo(in ImageIdentity other)
    {
        int order = Ticks.CompareTo(other.Ticks);
        order = order != 0 ? order : Stamp.CompareTo(other.Stamp);
        return order != 0 ? order : string.CompareOrdinal(OriginalName, other.OriginalName);
    }

    /// <summary>Whether it stands behind all of an address up to a time.</summary>
    public bool IsBehind(long space, ulong imageBase, long ticks) =>
        Space != space ? Space > space : Base != imageBase ? Base > imageBase : Ticks > ticks;
}
