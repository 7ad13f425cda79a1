using System.Diagnostics.CodeAnalysis;
using Tracer.Analysis.Clocks;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Which image was mapped where and when: maps an address to its driver. Add events in any order, call <see cref="Complete"/> once, then
/// query. Memory is bounded. Not thread-safe.
/// </summary>
/// <remarks>
/// Image_Load (MOF). An image known only from a rundown counts as mapped from before the trace, or since the previous image left its
/// address. Several records of one image are merged; a driver loaded twice gives two images of one name. An image that comes to an address
/// whose image was not unloaded ends the old one.
/// </remarks>
public sealed class ImageTable
{
    private const int MaximumRecords = 1 << 20;
    private const int MaximumImages = 1 << 18;

    private readonly int _pointerBytes;
    private readonly DateTime? _recordedAt;
    private readonly NamePool _names = new();
    private readonly ImageDescriptions _descriptions;
    private readonly ImagePdbs _pdbs;
    private readonly List<ImageLifetimeRecord> _records = [];
    private readonly Dictionary<uint, AddressMap> _userMaps = [];
    private AddressMap _kernelMap = new([]);
    private LoadedImage[] _images = [];
    private bool _isComplete;

    /// <summary>Creates an empty table.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    /// <param name="recordedAt">When the trace was recorded, UTC; a later time stamp in an image is a hash instead of a date.</param>
    public ImageTable(int pointerBytes, DateTime? recordedAt = null)
    {
        _pointerBytes = pointerBytes;
        _recordedAt = recordedAt;
        _descriptions = new ImageDescriptions(_names, pointerBytes);
        _pdbs = new ImagePdbs(_names, pointerBytes);
    }

    /// <summary>All images: those of the kernel by address and time, then those of each process.</summary>
    public IReadOnlyList<LoadedImage> Images => _images;

    /// <summary>Number of the kernel's images, which come first in <see cref="Images"/>.</summary>
    public int KernelImageCount { get; private set; }

    /// <summary>How many records and images were ignored because they made no sense or would have taken too much memory.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds a kernel event; events that are not about images are ignored.</summary>
    /// <param name="hookId">The event's hook id, also where it has a classic header.</param>
    public void Add(ushort hookId, in EtlEvent traceEvent)
    {
        switch (hookId)
        {
            case KernelHook.ImageLoad or KernelHook.ImageLoadOfImageGroup:
                Add(LifetimeRecordKind.Start, in traceEvent);
                break;
            case KernelHook.ImageUnload:
                Add(LifetimeRecordKind.End, in traceEvent);
                break;
            case KernelHook.ImageDCStart or KernelHook.ImageDCEnd:
                Add(LifetimeRecordKind.There, in traceEvent);
                break;
            default:
                break;
        }
    }

    /// <summary>Adds an event without a hook id: identities, versions and volume names are in such events.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        _descriptions.Add(in traceEvent);
        if (traceEvent.Kind is EtlHeaderKind.Full32 or EtlHeaderKind.Full64 && traceEvent.ProviderId == KernelRecordCatalog.ImageIdClass)
        {
            _pdbs.Add(in traceEvent);
        }
    }

    /// <param name="threads">How many threads may be used.</param>
    public void Complete(int threads = 1)
    {
        if (_isComplete)
        {
            return;
        }

        _isComplete = true;
        (List<Lifetime<ImageLifetimeRecord>> lives, long dropped) = BesideWork.Do(
            _records.Count < LongRecords.WorthThread ? 1 : threads,
            () => (Lifetimes.Of(_records, MaximumImages, out long more), more),
            () =>
            {
                _descriptions.Complete();
                _pdbs.Complete();
            });
        _records.Clear();
        _records.TrimExcess();
        var images = new LoadedImage[lives.Count];
        for (int i = 0; i < images.Length; i++)
        {
            images[i] = Image(i, lives[i]);
        }

        _images = images;
        for (int start = 0; start < images.Length;)
        {
            int end = start + 1;
            while (end < images.Length && IsOfSameSpace(images[end], images[start]))
            {
                end++;
            }

            var map = new AddressMap(images[start..end]);
            dropped += map.Dropped;
            if (IsKernelAddress(images[start].Base))
            {
                _kernelMap = map;
                KernelImageCount = end - start;
            }
            else
            {
                _userMaps[images[start].ProcessId] = map;
            }

            start = end;
        }

        Dropped += dropped + _descriptions.Dropped + _pdbs.Dropped + _names.Dropped;
    }

    /// <summary>Whether an address is the kernel's: the upper half of the address space.</summary>
    public bool IsKernelAddress(ulong address) => ImageLifetimeRecord.IsKernelAddress(address, _pointerBytes);

    /// <summary>A map of the kernel's images that shares nothing that changes with any other; the table must be complete.</summary>
    internal AddressMap NewKernelMap() => _kernelMap.Copy();

    /// <summary>The driver, or other kernel image, that was mapped at an address.</summary>
    /// <returns>Null for an address outside all images.</returns>
    public LoadedImage? Find(ulong address, long ticks) => _kernelMap.Find(address, ticks);

    /// <param name="address">The address; for a kernel address the kernel's image is returned.</param>
    /// <returns>Null for an address outside all images.</returns>
    public LoadedImage? FindUser(uint processId, ulong address, long ticks) => IsKernelAddress(address)
        ? _kernelMap.Find(address, ticks)
        : _userMaps.TryGetValue(processId, out AddressMap? map) ? map.Find(address, ticks) : null;

    /// <summary>Whether a kernel image with a given file name was mapped at any time.</summary>
    /// <param name="image">The first such image by address.</param>
    public bool TryFindByName(string name, [NotNullWhen(true)] out LoadedImage? image)
    {
        foreach (LoadedImage one in _images.AsSpan(0, KernelImageCount))
        {
            if (one.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                image = one;
                return true;
            }
        }

        image = null;
        return false;
    }

    /// <summary>An NT path with a drive letter, where the trace has the mapping.</summary>
    public string PathForPeople(string path) => _descriptions.ForPeople(path);

    private bool IsOfSameSpace(LoadedImage one, LoadedImage other) =>
        one.ProcessId == other.ProcessId && IsKernelAddress(one.Base) == IsKernelAddress(other.Base);

    private void Add(LifetimeRecordKind kind, in EtlEvent traceEvent)
    {
        if (!ImageRecord.TryRead(in traceEvent, out ImageRecord record)
            || record.ImageSize == 0
            || _records.Count == MaximumRecords)
        {
            Dropped++;
            return;
        }

        uint processId = record.ProcessId ?? (traceEvent.ProcessId == EtlEvent.NotInHeader ? 0 : traceEvent.ProcessId);
        _records.Add(new ImageLifetimeRecord(
            ImageLifetimeRecord.SpaceOf(processId, record.ImageBase, _pointerBytes),
            record.ImageBase,
            record.ImageSize,
            traceEvent.TimestampTicks,
            kind,
            record.TimeDateStamp ?? 0,
            _names.OfUtf16(record.FileName)));
    }

    private LoadedImage Image(int number, in Lifetime<ImageLifetimeRecord> life)
    {
        ImageLifetimeRecord what = life.What;
        ImageIdentity? identity = _descriptions.Find(what.Space, what.Base, life.FromTicks, life.ToTicks);
        string name = what.Name.IsEmpty
            ? identity is { OriginalName: { Length: > 0 } original } ? original : FormattableString.Invariant($"image@0x{what.Base:x}")
            : _names.Of(what.Name);
        return new LoadedImage
        {
            Name = name,
            Path = what.Path,
            Base = what.Base,
            Size = what.Size,
            ProcessId = what.Space == ImageLifetimeRecord.KernelSpace ? 0 : (uint)what.Space,
            LoadTicks = life.FromTicks,
            UnloadTicks = life.ToTicks,
            TimeDateStamp = what.Stamp != 0 ? what.Stamp : identity?.Stamp ?? 0,
            Pdb = _pdbs.Of(what.Space, what.Base, life.FromTicks, life.ToTicks),
            Description = _descriptions.Of(in what, in identity, _recordedAt),
            Number = number,
        };
    }
}
