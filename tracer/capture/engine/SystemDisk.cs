namespace Tracer.Capture;

/// <summary>The machine's disks.</summary>
public sealed class SystemDisk : ICaptureDisk
{
    /// <inheritdoc/>
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
