namespace Tracer.Symbols;

/// <summary>
/// Identity of a PE image, as its header gives it. The image events of a trace have it too, but for the size: the kernel maps whole pages,
/// and headers of some drivers (nvlddmkm.sys, igdkmd64.sys) say fewer bytes.
/// </summary>
/// <param name="TimeDateStamp">Link time, or a hash in reproducible builds.</param>
/// <param name="SizeOfImage">Bytes that the image takes in memory.</param>
public readonly record struct ImageId(uint TimeDateStamp, uint SizeOfImage)
{
    private const uint PageBytes = 4096;

    /// <summary>Bytes rounded up to whole pages, as the kernel counts an image.</summary>
    /// <returns>The same where they do not fit into 32 bits.</returns>
    public static ulong WholePages(ulong bytes) => bytes > uint.MaxValue ? bytes : (bytes + PageBytes - 1) / PageBytes * PageBytes;

    /// <summary>Whether an image of this header takes so many bytes where it is loaded.</summary>
    /// <param name="mappedBytes">Bytes as the kernel tells them, or as a header has them.</param>
    /// <returns>True if so.</returns>
    public bool IsMappedAs(ulong mappedBytes) => mappedBytes == SizeOfImage || mappedBytes == WholePages(SizeOfImage);

    /// <summary>
    /// The folder of this image in a symbol store: eight upper-case hexadecimal digits of the time stamp, then the size in lower-case
    /// hexadecimal without leading zeros.
    /// </summary>
    public string StoreKey =>
        TimeDateStamp.ToString("X8", CultureInfo.InvariantCulture) + SizeOfImage.ToString("x", CultureInfo.InvariantCulture);
}
