using Tracer.Symbols;

namespace Tracer.Capture.Merge;

/// <summary>Image files on this machine's disks. Foreign bytes: only headers, debug directory and version are looked at.</summary>
/// <param name="pathOf">From names in traces to paths of the system; see <see cref="NtPaths"/>.</param>
public sealed class DiskImageFiles(Func<string, string?> pathOf, IReadOnlyList<VolumeName> volumes) : IImageFiles
{
    /// <summary>Larger files are no images: the format counts in 32 bits.</summary>
    private const long LargestFile = uint.MaxValue;

    public IReadOnlyList<VolumeName> Volumes { get; } = volumes;

    public ImageIdentity? Read(string traceName)
    {
        if (pathOf(traceName) is not { } path)
        {
            return null;
        }

        try
        {
            var file = new FileInfo(path);
            if (!file.Exists || file.Length is 0 or > LargestFile)
            {
                return null;
            }

            // Read, not mapped: an uninstaller that cuts a mapped file short would end this process.
            using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return PeImage.TryRead(new StreamedBytes(stream), out PeImage? image, out _) ? IdentityOf(image) : null;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            return null;
        }
    }

    public ImageFileStamp? StampOf(string traceName)
    {
        try
        {
            return pathOf(traceName) is { } path && new FileInfo(path) is { Exists: true } file
                ? new ImageFileStamp(file.Length, file.LastWriteTimeUtc, file.CreationTimeUtc)
                : null;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            return null;
        }
    }

    private static ImageIdentity IdentityOf(PeImage image)
    {
        PdbReference? pdb = image.Pdbs.FirstOrDefault(one => one.Id is not null && !one.IsPortable);
        PeVersion? version = image.Version;
        return new ImageIdentity(image.Id, pdb?.Id, pdb?.Path ?? "", version is null ? null : new ImageVersionTexts
        {
            OriginalFileName = version.OriginalFileName ?? "",
            Description = version.Description ?? "",
            FileVersion = version.FileVersion ?? "",
            NumberVersion = version.FixedFileVersion?.ToString() ?? "",
            Product = version.Product ?? "",
            Company = version.Company ?? "",
            ProductVersion = version.ProductVersion ?? "",
        });
    }
}
