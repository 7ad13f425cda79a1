namespace Tracer.Symbols;

/// <summary>Identity of a PE image, as its header and the image events of a trace give it.</summary>
/// <param name="TimeDateStamp">Link time, or a hash in reproducible builds.</param>
/// <param name="SizeOfImage">Bytes that the image takes in memory.</param>
public readonly record struct ImageId(uint TimeDateStamp, uint SizeOfImage)
{
    /// <summary>
    /// The folder of this image in a symbol store: eight upper-case hexadecimal digits of the time stamp, then the size in lower-case
    /// hexadecimal without leading zeros.
    /// </summary>
    public string StoreKey =>
        TimeDateStamp.ToString("X8", CultureInfo.InvariantCulture) + SizeOfImage.ToString("x", CultureInfo.InvariantCulture);
}
