using Tracer.Etl.Kernel;

namespace Tracer.Capture.Merge;

/// <summary>
/// The kernel's images of the last rundown. A driver that is unloaded between a snapshot and the rundown behind it stands in neither, while
/// the one before still knows it: such images are written into the trace as having been there.
/// </summary>
public sealed class KernelImageLog
{
    /// <summary>A machine has a few hundred.</summary>
    public const int MostImages = 4096;

    private readonly Dictionary<ulong, KernelImage> _images = [];

    public int Count => _images.Count;

    /// <summary>Takes an image record; passes over what is no image of the kernel.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.HookId is not (KernelHook.ImageDCStart or KernelHook.ImageDCEnd or KernelHook.ImageLoad or KernelHook.ImageUnload)
            || !ImageRecord.TryRead(in traceEvent, out ImageRecord image) || image.ProcessId != 0 || image.ImageSize == 0)
        {
            return;
        }

        if (traceEvent.HookId == KernelHook.ImageUnload)
        {
            // Its own record is in the trace, which is all that is needed.
            _images.Remove(image.ImageBase);
        }
        else if (_images.Count < MostImages)
        {
            _images[image.ImageBase] = new KernelImage(
                image.ImageBase, image.ImageSize, 0, image.TimeDateStamp ?? 0, System.Text.Encoding.Unicode.GetString(image.FileName))
            {
                Checksum = image.ImageChecksum ?? 0,
                DefaultBase = image.DefaultBase ?? 0,
                SignatureLevel = image.SignatureLevel ?? 0,
                SignatureType = image.SignatureType ?? 0,
            };
        }
    }

    /// <summary>The images of this, the earlier log, that have vanished without a record since.</summary>
    /// <returns>The vanished, by base; none whose place another image has taken.</returns>
    public IReadOnlyList<KernelImage> MissingFrom(KernelImageLog now, IReadOnlySet<ulong> unloaded)
    {
        ArgumentNullException.ThrowIfNull(now);
        ArgumentNullException.ThrowIfNull(unloaded);
        if (now.Count == 0)
        {
            return [.. _images.Values.Where(image => !unloaded.Contains(image.Base)).OrderBy(static image => image.Base)];
        }

        KernelImage[] there = [.. now._images.Values.OrderBy(static image => image.Base)];
        ulong[] bases = Array.ConvertAll(there, static image => image.Base);
        return
        [
            .. _images.Values
                .Where(image => !unloaded.Contains(image.Base) && !IsTaken(image))
                .OrderBy(static image => image.Base),
        ];

        bool IsTaken(KernelImage image)
        {
            int next = Array.BinarySearch(bases, image.Base);
            next = next >= 0 ? next : ~next;
            return (next < there.Length && there[next].Base - image.Base < image.Bytes)
                || (next > 0 && image.Base - there[next - 1].Base < there[next - 1].Bytes);
        }
    }
}
