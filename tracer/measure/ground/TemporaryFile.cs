using Microsoft.Win32.SafeHandles;

namespace Tracer.Measure.Ground;

/// <summary>A file in the folder for temporary files, written through to the disk and gone when it is closed.</summary>
internal sealed class TemporaryFile : IMeasureFile
{
    /// <summary>Ramamritham and others write so many.</summary>
    private const int Values = 40_000;

    private readonly SafeFileHandle _file;
    private long _written;

    /// <exception cref="MeasureException">It can't be made.</exception>
    public TemporaryFile()
    {
        try
        {
            _file = File.OpenHandle(
                Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()), FileMode.CreateNew, FileAccess.Write, FileShare.None,
                FileOptions.WriteThrough | FileOptions.DeleteOnClose, Values * sizeof(long));
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            throw Refused(refusal);
        }
    }

    /// <summary>Tells that nothing can be made in the folder for temporary files.</summary>
    public static MeasureException Refused(Exception refusal)
    {
        string variable = OperatingSystem.IsWindows() ? "TEMP" : "TMPDIR";
        return new MeasureException(
            $"no file can be made in {Path.GetTempPath()} ({refusal.Message.TrimEnd('.')}): set {variable} to a folder that can be written",
            refusal);
    }

    public void Write(long value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BitConverter.TryWriteBytes(bytes, value);
        RandomAccess.Write(_file, bytes, _written++ % Values * sizeof(long));
    }

    public void Dispose() => _file.Dispose();
}
