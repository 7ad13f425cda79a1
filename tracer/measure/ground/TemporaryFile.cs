namespace Tracer.Measure.Ground;

/// <summary>
/// A file in the folder for temporary files, written through to the disk: only this user can read it, and it is gone when it is closed, or
/// has no name from the start where the system allows that.
/// </summary>
internal sealed class TemporaryFile : IMeasureFile
{
    /// <summary>Ramamritham and others write so many.</summary>
    private const int Values = 40_000;

    private readonly FileStream _file;
    private long _written;

    /// <exception cref="MeasureException">It can't be made.</exception>
    public TemporaryFile()
    {
        try
        {
            _file = Made(Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()));
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            string variable = OperatingSystem.IsWindows() ? "TEMP" : "TMPDIR";
            throw new MeasureException(
                $"no file can be made in {Path.GetTempPath()} ({refusal.Message.TrimEnd('.')}): "
                + $"set {variable} to a folder that can be written",
                refusal);
        }
    }

    public void Write(long value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BitConverter.TryWriteBytes(bytes, value);
        RandomAccess.Write(_file.SafeFileHandle, bytes, _written++ % Values * sizeof(long));
    }

    public void Dispose() => _file.Dispose();

    private static FileStream Made(string path)
    {
        bool isWindows = OperatingSystem.IsWindows();
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.Write,
            Share = FileShare.None,
            BufferSize = 0,
            PreallocationSize = Values * sizeof(long),
            Options = FileOptions.WriteThrough | (isWindows ? FileOptions.DeleteOnClose : FileOptions.None),
        };
        if (!isWindows)
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        var file = new FileStream(path, options);
        if (!isWindows)
        {
            File.Delete(path);
        }

        return file;
    }
}
