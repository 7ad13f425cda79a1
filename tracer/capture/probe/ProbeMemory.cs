using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;

namespace Tracer.Capture.Probe;

/// <summary>
/// The memory that the probe process and its parent share: a <see cref="ProbeStatus"/> and a <see cref="ProbeRing"/> for each CPU. On
/// Windows a named section, which goes with its last user; elsewhere, for tests, a file that its maker deletes.
/// </summary>
internal sealed unsafe class ProbeMemory : IDisposable
{
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly string? _ownFile;
    private readonly byte* _address;

    private ProbeMemory(string name, MemoryMappedFile file, int rings, string? ownFile)
    {
        Name = name;
        Rings = rings;
        _file = file;
        _ownFile = ownFile;
        _view = file.CreateViewAccessor(0, BytesFor(rings));
        byte* address = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref address);
        _address = address + _view.PointerOffset;
    }

    public string Name { get; }

    public int Rings { get; }

    /// <summary>Its first byte.</summary>
    public nint Address => (nint)_address;

    public nuint Bytes => (nuint)BytesFor(Rings);

    public ref ProbeStatus Status => ref Unsafe.AsRef<ProbeStatus>(_address);

    public ProbeState State
    {
        get => (ProbeState)Volatile.Read(ref Status.State);
        set => Volatile.Write(ref Status.State, (int)value);
    }

    /// <summary>Makes it; for the parent.</summary>
    public static ProbeMemory Create(int rings)
    {
        // Nobody can guess the name, so nobody can be there first.
        string name = $"Tracer.Probe.{Guid.NewGuid():N}";
        ProbeMemory memory;
        if (OperatingSystem.IsWindows())
        {
            memory = new ProbeMemory(name, MemoryMappedFile.CreateNew(name, BytesFor(rings)), rings, null);
        }
        else
        {
            name = Path.Combine(Path.GetTempPath(), name);
            memory = new ProbeMemory(
                name, MemoryMappedFile.CreateFromFile(name, FileMode.CreateNew, null, BytesFor(rings)), rings, name);
        }

        memory.Status.Magic = ProbeStatus.KnownMagic;
        memory.Status.Rings = rings;
        return memory;
    }

    /// <summary>Finds it; for the probe.</summary>
    /// <exception cref="IOException">There is none of this name and layout.</exception>
    public static ProbeMemory Open(string name, int rings)
    {
        MemoryMappedFile file = OperatingSystem.IsWindows() ? MemoryMappedFile.OpenExisting(name)
            : MemoryMappedFile.CreateFromFile(name, FileMode.Open, null, BytesFor(rings));
        var memory = new ProbeMemory(name, file, rings, null);
        if (memory.Status.Magic == ProbeStatus.KnownMagic && memory.Status.Rings == rings)
        {
            return memory;
        }

        memory.Dispose();
        throw new IOException($"{name} is not what a capture shares with its probe");
    }

    public ProbeRing Ring(int index)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Rings);
        return new ProbeRing(_address + ProbeStatus.Bytes + ((long)index * ProbeRing.Bytes));
    }

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
        if (_ownFile is not null)
        {
            File.Delete(_ownFile);
        }
    }

    private static long BytesFor(int rings) => ProbeStatus.Bytes + ((long)rings * ProbeRing.Bytes);
}
