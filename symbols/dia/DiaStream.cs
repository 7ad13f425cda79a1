using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Symbols.Dia;

/// <summary>
/// The bytes of a PDB as the IStream that DIA reads: read only. Its place is kept in native memory, and the bytes behind a handle, because
/// DIA keeps it as long as it likes.
/// </summary>
[SupportedOSPlatform("windows")]
internal static unsafe class DiaStream
{
    private const int Ok = 0;
    private const int False = 1;
    private const int NoInterface = unchecked((int)0x80004002);
    private const int InvalidFunction = unchecked((int)0x80030001);
    private const int Slots = 14;

    private static readonly Guid Unknown = new("00000000-0000-0000-C000-000000000046");
    private static readonly Guid SequentialStream = new("0C733A30-2A1C-11CE-ADE5-00AA0044773D");
    private static readonly Guid Stream = new("0000000C-0000-0000-C000-000000000046");
    private static readonly void** Functions = MakeFunctions();

    /// <summary>Makes a stream that is held once.</summary>
    public static DiaObject Of(SymbolBytes bytes)
    {
        var self = (State*)NativeMemory.AllocZeroed((nuint)sizeof(State));
        self->Functions = Functions;
        self->Holders = 1;
        self->Bytes = GCHandle.ToIntPtr(GCHandle.Alloc(bytes));
        return new DiaObject { Pointer = self };
    }

    private static void** MakeFunctions()
    {
        var functions = (void**)NativeMemory.Alloc(Slots, (nuint)sizeof(void*));
        functions[0] = (delegate* unmanaged<State*, Guid*, void**, int>)&QueryInterface;
        functions[1] = (delegate* unmanaged<State*, uint>)&AddRef;
        functions[2] = (delegate* unmanaged<State*, uint>)&Release;
        functions[3] = (delegate* unmanaged<State*, byte*, uint, uint*, int>)&Read;
        functions[4] = (delegate* unmanaged<State*, byte*, uint, uint*, int>)&Write;
        functions[5] = (delegate* unmanaged<State*, long, uint, ulong*, int>)&Seek;
        functions[6] = (delegate* unmanaged<State*, ulong, int>)&SetSize;
        functions[7] = (delegate* unmanaged<State*, void*, ulong, ulong*, ulong*, int>)&CopyTo;
        functions[8] = (delegate* unmanaged<State*, uint, int>)&Commit;
        functions[9] = (delegate* unmanaged<State*, int>)&Revert;
        functions[10] = (delegate* unmanaged<State*, ulong, ulong, uint, int>)&Lock;
        functions[11] = (delegate* unmanaged<State*, ulong, ulong, uint, int>)&Lock;
        functions[12] = (delegate* unmanaged<State*, Status*, uint, int>)&Stat;
        functions[13] = (delegate* unmanaged<State*, void**, int>)&Clone;
        return functions;
    }

    private static SymbolBytes BytesOf(State* self) => (SymbolBytes)GCHandle.FromIntPtr(self->Bytes).Target!;

    [UnmanagedCallersOnly]
    private static int QueryInterface(State* self, Guid* id, void** result)
    {
        bool isKnown = *id == Unknown || *id == SequentialStream || *id == Stream;
        *result = isKnown ? self : null;
        if (isKnown)
        {
            Interlocked.Increment(ref self->Holders);
        }

        return isKnown ? Ok : NoInterface;
    }

    [UnmanagedCallersOnly]
    private static uint AddRef(State* self) => (uint)Interlocked.Increment(ref self->Holders);

    [UnmanagedCallersOnly]
    private static uint Release(State* self)
    {
        int left = Interlocked.Decrement(ref self->Holders);
        if (left == 0)
        {
            GCHandle.FromIntPtr(self->Bytes).Free();
            NativeMemory.Free(self);
        }

        return (uint)left;
    }

    [UnmanagedCallersOnly]
    private static int Read(State* self, byte* target, uint length, uint* read)
    {
        int wanted = (int)Math.Min(length, int.MaxValue);
        ReadOnlySpan<byte> bytes = BytesOf(self).At(self->Place, wanted);
        bytes.CopyTo(new Span<byte>(target, wanted));
        self->Place += bytes.Length;
        if (read is not null)
        {
            *read = (uint)bytes.Length;
        }

        return bytes.Length == length ? Ok : False;
    }

    [UnmanagedCallersOnly]
    private static int Write(State* self, byte* source, uint length, uint* written) => InvalidFunction;

    [UnmanagedCallersOnly]
    private static int Seek(State* self, long distance, uint origin, ulong* place)
    {
        long from = origin switch { 0 => 0, 1 => self->Place, 2 => BytesOf(self).Length, _ => long.MinValue };
        if (from < 0 || distance > long.MaxValue - from || from + distance < 0)
        {
            return InvalidFunction;
        }

        self->Place = from + distance;
        if (place is not null)
        {
            *place = (ulong)self->Place;
        }

        return Ok;
    }

    [UnmanagedCallersOnly]
    private static int SetSize(State* self, ulong size) => InvalidFunction;

    [UnmanagedCallersOnly]
    private static int CopyTo(State* self, void* target, ulong length, ulong* read, ulong* written) => InvalidFunction;

    [UnmanagedCallersOnly]
    private static int Commit(State* self, uint flags) => Ok;

    [UnmanagedCallersOnly]
    private static int Revert(State* self) => Ok;

    [UnmanagedCallersOnly]
    private static int Lock(State* self, ulong offset, ulong length, uint type) => InvalidFunction;

    [UnmanagedCallersOnly]
    private static int Stat(State* self, Status* status, uint flags)
    {
        const uint StreamType = 2;
        Unsafe.InitBlockUnaligned(status, 0, (uint)sizeof(Status));
        status->Type = StreamType;
        status->Size = (ulong)BytesOf(self).Length;
        return Ok;
    }

    [UnmanagedCallersOnly]
    private static int Clone(State* self, void** result)
    {
        var copy = (State*)NativeMemory.AllocZeroed((nuint)sizeof(State));
        copy->Functions = Functions;
        copy->Holders = 1;
        copy->Place = self->Place;
        copy->Bytes = GCHandle.ToIntPtr(GCHandle.Alloc(BytesOf(self)));
        *result = copy;
        return Ok;
    }

    private struct State
    {
        public void** Functions;
        public nint Bytes;
        public long Place;
        public int Holders;
    }

    /// <summary>STATSTG, up to where anything but zeros stands in it.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Status
    {
        public void* Name;
        public uint Type;
        public ulong Size;
        public ulong Modified;
        public ulong Created;
        public ulong Accessed;
        public uint Mode;
        public uint Locks;
        public Guid Class;
        public uint State;
        public uint Reserved;
    }
}
