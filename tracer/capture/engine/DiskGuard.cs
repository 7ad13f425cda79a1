namespace Tracer.Capture.Engine;

/// <summary>
/// Keeps the disk from filling up. An episode needs its snapshot, which is at most the ring, and the trace made of it, which is less;
/// beyond that <see cref="ReserveBytes"/> stay free. Where there is less, a capture does not begin, or ends.
/// </summary>
public sealed class DiskGuard(ICaptureDisk disk, string folder, long ringBytes)
{
    /// <summary>Stays free whatever we write: 1 GiB.</summary>
    public const long ReserveBytes = 1L << 30;

    /// <summary>Bytes free now.</summary>
    public long FreeBytes => disk.FreeBytes(folder);

    /// <summary>Bytes that must be free for another episode.</summary>
    public long NeededBytes => ReserveBytes + (2 * ringBytes);

    /// <summary>Whether there is room for another episode.</summary>
    public bool HasRoom => FreeBytes >= NeededBytes;
}

/// <summary>The machine's disks.</summary>
public sealed class SystemDisk : ICaptureDisk
{
    public long FreeBytes(string folder)
    {
        try
        {
            return new DriveInfo(Path.GetFullPath(folder)).AvailableFreeSpace;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return long.MaxValue; // A network path: it will refuse by itself.
        }
    }
}
