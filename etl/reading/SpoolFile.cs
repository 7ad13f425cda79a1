namespace Tracer.Etl.Reading;

/// <summary>The copy of an input that can be read only once.</summary>
internal static class SpoolFile
{
    /// <summary>A file that only this user can read and that is gone when it is closed, or at once where the system allows it.</summary>
    public static FileStream Make()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = FileShare.Delete,
            BufferSize = 0,
            Options = FileOptions.DeleteOnClose,
        };
        try
        {
            return Made(path, options);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new IOException(
                $"no temporary file can be made in {Path.GetTempPath()}: set {(OperatingSystem.IsWindows() ? "TEMP" : "TMPDIR")} to a "
                + "folder that is there and can be written to",
                fault);
        }
    }

    private static FileStream Made(string path, FileStreamOptions options)
    {
        if (OperatingSystem.IsWindows())
        {
            return new FileStream(path, options);
        }

        options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        options.Options = FileOptions.None;
        var file = new FileStream(path, options);
        File.Delete(path);
        return file;
    }

    /// <summary>ENOSPC and EDQUOT; ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL.</summary>
    public static bool IsFull(IOException failure) => OperatingSystem.IsWindows()
        ? failure.HResult is unchecked((int)0x80070027) or unchecked((int)0x80070070)
        : failure.HResult is 28 or 122 or 69; // 69 is the quota of macOS.
}
