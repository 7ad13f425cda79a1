using System.IO.MemoryMappedFiles;
using Tracer.Symbols;

namespace Tracer.Bench.Symbols;

/// <summary>A file in the address space of the process, as the commands give symbol files to the readers.</summary>
internal sealed unsafe class MappedFile : SymbolBytes, IDisposable
{
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly byte* _bytes;

    public MappedFile(string path)
    {
        Length = new FileInfo(path).Length;
        _file = MemoryMappedFile.CreateFromFile(path, FileMode.Open, null, 0, MemoryMappedFileAccess.Read);
        _view = _file.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref _bytes);
    }

    public override long Length { get; }

    public override ReadOnlySpan<byte> At(long offset, int length) => offset < 0 || length <= 0 || offset >= Length
        ? default
        : new ReadOnlySpan<byte>(_bytes + offset, (int)Math.Min(length, Length - offset));

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }
}
