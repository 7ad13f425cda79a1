using System.Text;
using Tracer.Etl.Kernel;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>
/// Which image of the kernel an address lies in: those loaded when the monitor began, and those that come and go. Bounded; allocates only
/// for an image that is new.
/// </summary>
public sealed class KernelImages
{
    /// <summary>More images are not remembered.</summary>
    public const int MostImages = 4096;

    /// <summary>Kernel addresses begin here on 64-bit and on 32-bit systems.</summary>
    private const ulong LeastKernel64 = 0xFFFF_0000_0000_0000;
    private const ulong LeastKernel32 = 0x8000_0000;

    private readonly List<Image> _images = [];

    public int Count => _images.Count;

    /// <summary>Adds an image; it replaces what was known of its addresses.</summary>
    /// <param name="first">Its first address.</param>
    /// <param name="bytes">Bytes it takes.</param>
    public void Add(ulong first, ulong bytes, string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        if (bytes == 0 || first + bytes < first)
        {
            return;
        }

        _images.RemoveAll(other => first < other.End && other.First < first + bytes);
        if (_images.Count < MostImages)
        {
            string name = path[(path.AsSpan().LastIndexOfAny('\\', '/') + 1)..];
            _images.Insert(After(first), new Image(first, first + bytes, name));
        }
    }

    /// <summary>Takes what a record of an image tells.</summary>
    public void Learn(in EtlEvent traceEvent)
    {
        bool isLoaded = traceEvent.HookId is KernelHook.ImageLoad or KernelHook.ImageDCStart or KernelHook.ImageLoadOfImageGroup;
        if ((!isLoaded && traceEvent.HookId != KernelHook.ImageUnload) || !ImageRecord.TryRead(in traceEvent, out ImageRecord image)
            || image.ImageBase < (traceEvent.PointerBytes == sizeof(ulong) ? LeastKernel64 : LeastKernel32))
        {
            return;
        }

        if (isLoaded)
        {
            Add(image.ImageBase, image.ImageSize, Encoding.Unicode.GetString(image.FileName));
        }
        else
        {
            ulong first = image.ImageBase;
            _images.RemoveAll(one => one.First == first);
        }
    }

    /// <returns>Its name without folder; null where none is known there.</returns>
    public string? NameAt(ulong address)
    {
        int at = After(address) - 1;
        return at >= 0 && address < _images[at].End ? _images[at].Name : null;
    }

    /// <summary>How many images begin at an address or before it.</summary>
    private int After(ulong address)
    {
        (int low, int high) = (0, _images.Count);
        while (low < high)
        {
            int middle = (low + high) / 2;
            (low, high) = _images[middle].First <= address ? (middle + 1, high) : (low, middle);
        }

        return low;
    }

    private readonly record struct Image(ulong First, ulong End, string Name);
}
