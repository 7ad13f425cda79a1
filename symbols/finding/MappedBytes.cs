using System.IO.MemoryMappedFiles;

namespace Tracer.Symbols;

/// <summary>
/// The bytes of a file, mapped into memory: only what is looked at is read. They must not be asked for while another thread disposes of
/// them; afterwards there are none. A program that cuts the file short meanwhile ends this process, so only files that nobody writes to
/// should be mapped: finished ones get their name in one step.
/// </summary>
public sealed unsafe class MappedBytes : SymbolBytes, IDisposable
{
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private byte* _first;

    private MappedBytes(MemoryMappedFile file, long length)
    {
        (_file, Length) = (file, length);
        _view = file.CreateViewAccessor(0, length, MemoryMappedFileAccess.Read);
        byte* first = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref first);
        _first = first + _view.PointerOffset;
    }

    /// <inheritdoc/>
    public override long Length { get; }

    /// <summary>Maps a file.</summary>
    /// <param name="path">Its path.</param>
    /// <exception cref="IOException">It is not there, is empty, is no plain file, or can't be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It is another user's, or a folder.</exception>
    public static MappedBytes Open(string path)
    {
        // Pipes and devices have no length: opening one could wait for ever, so it is asked before.
        if (new FileInfo(path).Length == 0)
        {
            throw new IOException("the file is empty");
        }

        FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 1);
        MemoryMappedFile? file = null;
        try
        {
            long length = stream.Length;
            file = MemoryMappedFile.CreateFromFile(
                stream, null, length, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: false);
            return new MappedBytes(file, length);
        }
        catch (Exception fault)
        {
            file?.Dispose();
            stream.Dispose();
            throw fault is ArgumentException ? new IOException("the file is empty", fault) : fault;
        }
    }

    /// <inheritdoc/>
    public override ReadOnlySpan<byte> At(long offset, int length)
    {
        byte* first = _first;
        return first is null || offset < 0 || length <= 0 || offset >= Length
            ? default
            : new ReadOnlySpan<byte>(first + offset, (int)Math.Min(length, Length - offset));
    }

    /// <summary>Unmaps the file.</summary>
    public void Dispose()
    {
        if (_first is not null)
        {
            _first = null;
            _view.SafeMemoryMappedViewHandle.ReleasePointer();
            _view.Dispose();
            _file.Dispose();
        }
    }
}
