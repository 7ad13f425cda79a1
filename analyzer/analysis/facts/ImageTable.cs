using System.Diagnostics.CodeAnalysis;
using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.Analysis;

/// <summary>
/// Which image was where and when: from an address to the driver. Takes events in any order; then <see cref="Complete"/> once; then it is
/// asked. Memory is bounded. Not for several threads at once.
/// </summary>
/// <remarks>
/// Image_Load (MOF). An image that is known from a rundown only counts from before the trace, or since another one left its address.
/// Several records of one image are one; the same driver loaded twice is two with one name; what comes to an address whose image has not
/// been unloaded ends that one.
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
    private readonly List<ImageSighting> _sightings = [];
    private readonly Dictionary<uint, AddressMap> _userMaps = [];
    private AddressMap _kernelMap = new([]);
    private LoadedImage[] _images = [];
    private bool _isComplete;

    /// <summary>Starts with nothing.</summary>
    /// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
    /// <param name="recordedAt">When the trace was recorded, UTC; images stamped later carry a hash instead of a date.</param>
    public ImageTable(int pointerBytes, DateTime? recordedAt = null)
    {
        _pointerBytes = pointerBytes;
        _recordedAt = recordedAt;
        _descriptions = new ImageDescriptions(_names, pointerBytes);
        _pdbs = new ImagePdbs(_names, pointerBytes);
    }

    /// <summary>All images: the kernel's by address and time, then those of each process.</summary>
    public IReadOnlyList<LoadedImage> Images => _images;

    /// <summary>How many of <see cref="Images"/> are the kernel's: so many of the first.</summary>
    public int KernelImageCount { get; private set; }

    /// <summary>How many records and images were left out, because they made no sense or would have taken too much memory.</summary>
    public long Dropped { get; private set; }

    /// <summary>Takes a kernel event; those that tell of no image are passed over.</summary>
    /// <param name="hookId">Its hook id, also where a classic header stands for it.</param>
    /// <param name="traceEvent">The event.</param>
    public void Add(ushort hookId, in EtlEvent traceEvent)
    {
        switch (hookId)
        {
            case KernelHook.ImageLoad or KernelHook.ImageLoadOfImageGroup:
                Add(SightingKind.Start, in traceEvent);
                break;
            case KernelHook.ImageUnload:
                Add(SightingKind.End, in traceEvent);
                break;
            case KernelHook.ImageDCStart or KernelHook.ImageDCEnd:
                Add(SightingKind.There, in traceEvent);
                break;
            default:
                break;
        }
    }

    /// <summary>Takes an event that has no hook id: identities, versions and volume names stand in such.</summary>
    /// <param name="traceEvent">The event.</param>
    public void Add(in EtlEvent traceEvent)
    {
        _descriptions.Add(in traceEvent);
        if (traceEvent.Kind is EtlHeaderKind.Full32 or EtlHeaderKind.Full64 && traceEvent.ProviderId == KernelRecordCatalog.ImageIdClass)
        {
            _pdbs.Add(in traceEvent);
        }
    }

    /// <summary>Makes the images from all that was taken.</summary>
    public void Complete()
    {
        if (_isComplete)
        {
            return;
        }

        _isComplete = true;
        _descriptions.Complete();
        _pdbs.Complete();
        List<Lifetime<ImageSighting>> lives = Lifetimes.Of(_sightings, MaximumImages, out long dropped);
        _sightings.Clear();
        _sightings.TrimExcess();
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
    /// <param name="address">The address.</param>
    public bool IsKernelAddress(ulong address) => ImageSighting.IsKernelAddress(address, _pointerBytes);

    /// <summary>The driver, or kernel image, that was at an address.</summary>
    /// <param name="address">An address of the kernel.</param>
    /// <param name="ticks">When.</param>
    /// <returns>Null for what lies outside any image.</returns>
    public LoadedImage? Find(ulong address, long ticks) => _kernelMap.Find(address, ticks);

    /// <summary>The image that was at an address of a process.</summary>
    /// <param name="processId">The process.</param>
    /// <param name="address">An address; one of the kernel gives the kernel's image.</param>
    /// <param name="ticks">When.</param>
    /// <returns>Null for what lies outside any image.</returns>
    public LoadedImage? FindUser(uint processId, ulong address, long ticks) => IsKernelAddress(address)
        ? _kernelMap.Find(address, ticks)
        : _userMaps.TryGetValue(processId, out AddressMap? map) ? map.Find(address, ticks) : null;

    /// <summary>Whether a kernel image of that file name was there at any time.</summary>
    /// <param name="name">The name, in any case.</param>
    /// <param name="image">The first of them by address.</param>
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

    private bool IsOfSameSpace(LoadedImage one, LoadedImage other) =>
        one.ProcessId == other.ProcessId && IsKernelAddress(one.Base) == IsKernelAddress(other.Base);

    private void Add(SightingKind kind, in EtlEvent traceEvent)
    {
        if (!ImageRecord.TryRead(in traceEvent, out ImageRecord record)
            || record.ImageSize == 0
            || _sightings.Count == MaximumRecords)
        {
            Dropped++;
            return;
        }

        uint processId = record.ProcessId ?? (traceEvent.ProcessId == EtlEvent.NotInHeader ? 0 : traceEvent.ProcessId);
        _sightings.Add(new ImageSighting(
            ImageSighting.SpaceOf(processId, record.ImageBase, _pointerBytes),
            record.ImageBase,
            record.ImageSize,
            traceEvent.TimestampTicks,
            kind,
            record.TimeDateStamp ?? 0,
            _names.OfUtf16(record.FileName)));
    }

    private LoadedImage Image(int number, in Lifetime<ImageSighting> life)
    {
        ImageSighting what = life.What;
        string name = what.Name.IsEmpty
            ? _descriptions.OriginalName(what.Space, what.Base, life.FromTicks, life.ToTicks)
                ?? FormattableString.Invariant($"image@0x{what.Base:x}")
            : _names.Of(what.Name);
        return new LoadedImage
        {
            Name = name,
            Path = what.Path,
            Base = what.Base,
            Size = what.Size,
            ProcessId = what.Space == ImageSighting.KernelSpace ? 0 : (uint)what.Space,
            LoadTicks = life.FromTicks,
            UnloadTicks = life.ToTicks,
            TimeDateStamp = what.Stamp != 0 ? what.Stamp : _descriptions.Stamp(what.Space, what.Base, life.FromTicks, life.ToTicks),
            Pdb = _pdbs.Of(what.Space, what.Base, life.FromTicks, life.ToTicks),
            Description = _descriptions.Of(in what, life.FromTicks, life.ToTicks, _recordedAt),
            Number = number,
        };
    }
}
