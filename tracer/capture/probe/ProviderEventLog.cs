using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Tracer.Capture.Probe;

/// <summary>
/// Logs TraceLogging events of the Tracer provider: EventWriteTransfer with the provider's traits and the event's schema in front of the
/// payload, marked by their descriptors' types (evntprov.h; TraceLoggingProvider.h does the same).
/// </summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class ProviderEventLog : IProbeEventLog, IDisposable
{
    private const int ProviderSetTraits = 2;
    private const byte EventMetadata = 1;
    private const byte ProviderMetadata = 2;
    private const byte VerboseLevel = 5;

    private readonly ulong _registration;
    private readonly Memory[] _schemas;
    private readonly Memory _traits;

    /// <exception cref="Win32Exception">Windows refused.</exception>
    public ProviderEventLog()
    {
        Guid id = TracerProvider.Id;
        ulong registration;
        Check(EventRegister(&id, 0, 0, &registration));
        _registration = registration;
        _traits = Memory.Of(ProbeEvents.Schemas[0].Items[0].Data.Span);
        _schemas = [.. ProbeEvents.Schemas.Select(schema => Memory.Of(schema.Items[1].Data.Span))];
        // Before Windows 10 it is not known; the descriptor of the traits does instead.
        _ = EventSetInformation(_registration, ProviderSetTraits, (void*)_traits.Address, (uint)_traits.Bytes);
    }

    public bool IsOn => EventProviderEnabled(_registration, VerboseLevel, 0) != 0;

    public void Log(ProbeEvent kind, ReadOnlySpan<byte> payload)
    {
        var descriptor = new EventDescriptor { Channel = TraceLoggingEventSchema.Channel, Level = VerboseLevel };
        Memory schema = _schemas[(int)kind];
        fixed (byte* bytes = payload)
        {
            DataDescriptor* data = stackalloc DataDescriptor[3];
            data[0] = new DataDescriptor { Address = (ulong)_traits.Address, Bytes = (uint)_traits.Bytes, Type = ProviderMetadata };
            data[1] = new DataDescriptor { Address = (ulong)schema.Address, Bytes = (uint)schema.Bytes, Type = EventMetadata };
            data[2] = new DataDescriptor { Address = (ulong)bytes, Bytes = (uint)payload.Length };
            // What finds no buffer is counted as lost by the session itself.
            _ = EventWriteTransfer(_registration, &descriptor, null, null, 3, data);
        }
    }

    public void Dispose()
    {
        _ = EventUnregister(_registration);
        NativeMemory.Free((void*)_traits.Address);
        foreach (Memory schema in _schemas)
        {
            NativeMemory.Free((void*)schema.Address);
        }
    }

    private static void Check(uint code)
    {
        if (code != 0)
        {
            throw new Win32Exception((int)code);
        }
    }

    [LibraryImport("advapi32.dll")]
    private static partial uint EventRegister(Guid* provider, nint callback, nint context, ulong* registration);

    [LibraryImport("advapi32.dll")]
    private static partial uint EventUnregister(ulong registration);

    [LibraryImport("advapi32.dll")]
    private static partial uint EventSetInformation(ulong registration, int informationClass, void* information, uint bytes);

    [LibraryImport("advapi32.dll")]
    private static partial byte EventProviderEnabled(ulong registration, byte level, ulong keyword);

    [LibraryImport("advapi32.dll")]
    private static partial uint EventWriteTransfer(
        ulong registration, EventDescriptor* descriptor, Guid* activity, Guid* related, uint dataCount, DataDescriptor* data);

    /// <summary>Memory that no garbage collection moves.</summary>
    private readonly record struct Memory(nint Address, int Bytes)
    {
        public static Memory Of(ReadOnlySpan<byte> bytes)
        {
            void* address = NativeMemory.Alloc((nuint)bytes.Length);
            bytes.CopyTo(new Span<byte>(address, bytes.Length));
            return new Memory((nint)address, bytes.Length);
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct EventDescriptor
    {
        public ushort Id;
        public byte Version;
        public byte Channel;
        public byte Level;
        public byte Opcode;
        public ushort Task;
        public ulong Keyword;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct DataDescriptor
    {
        public ulong Address;
        public uint Bytes;
        public byte Type;
        public byte Reserved1;
        public ushort Reserved2;
    }
}
