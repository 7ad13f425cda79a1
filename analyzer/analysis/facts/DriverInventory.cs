namespace Tracer.Analysis.Facts;

/// <summary>Lists the drivers of a trace with their versions.</summary>
public static class DriverInventory
{
    /// <summary>Reads a whole trace, in the fastest order.</summary>
    /// <returns>Every image of the kernel once, by name.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public static IReadOnlyList<DriverFile> Read(EtlReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        reader.Settle();
        EtlFileHeader header = reader.Header;
        DateTime? recordedAt = reader.IsClockKnown && header.Clock.FileTimeAt(header.Clock.HeaderTicks) is { } start and > 0
            ? DateTime.FromFileTimeUtc(start)
            : null;
        var images = new ImageTable(header.PointerBytes, recordedAt);
        var sink = new Sink(images);
        reader.Read(EtlOrder.Any, ref sink);
        images.Complete();
        return Of(images);
    }

    /// <summary>Every image of the kernel once, by name.</summary>
    internal static IReadOnlyList<DriverFile> Of(ImageTable images) =>
        [
            .. images.Images.Take(images.KernelImageCount)
                .Select(FileOf)
                .Distinct()
                .OrderBy(file => file.Name, StringComparer.OrdinalIgnoreCase)
                .ThenBy(file => file.Path, StringComparer.Ordinal)
                .ThenBy(file => file.Version, StringComparer.Ordinal)
                .ThenBy(file => file.Size)
                .ThenBy(file => file.PdbId, StringComparer.Ordinal),
        ];

    private static DriverFile FileOf(LoadedImage image) => new()
    {
        Name = image.Name,
        Path = image.Description?.Path,
        Version = image.Description?.Version,
        Company = image.Description?.Company,
        Timestamp = image.Description?.Timestamp,
        Size = (long)Math.Min(image.Size, long.MaxValue),
        Pdb = image.Pdb is { Name.Length: > 0 } pdb ? pdb.Name[(pdb.Name.LastIndexOfAny(['\\', '/']) + 1)..] : null,
        PdbId = image.Pdb?.Id.StoreKey,
    };

    private readonly struct Sink(ImageTable images) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (KernelHook.Of(in traceEvent) is not { } hook)
            {
                images.Add(in traceEvent);
            }
            else if ((KernelGroup)(hook >> 8) is KernelGroup.Process or KernelGroup.Image)
            {
                images.Add(hook, in traceEvent);
            }

            return true;
        }
    }
}
