using System.Buffers.Binary;

namespace Tracer.Capture.Tests;

/// <content>TraceSetInformation, TraceQueryInformation, EnableTraceEx2, AdjustTokenPrivileges.</content>
internal sealed partial class FakeWindows
{
    private const uint StackList = 3;
    private const uint EnableFlags = 4;
    private const uint SampledInterval = 5;
    private const uint MaxLoggers = 19;
    private const int EventIdBytes = 24;
    private const int MostStacks = 256;
    private const uint LeastInterval = 1_221;
    private const uint MostInterval = 10_000_000;
    private const uint DisableProvider = 0;
    private const uint EnableProvider = 1;
    private const uint CaptureState = 2;
    private const uint EventIdFilter = 0x8000_0200;
    private const uint LifetimeFlags = KernelSwitch.Process | KernelSwitch.Thread | KernelSwitch.Image;

    private bool _hasProfilePrivilege;

    /// <summary>Sampling interval of the machine in units of 100 ns.</summary>
    public uint ProfileInterval { get; private set; } = 10_000;

    public uint SetInformation(ulong handle, uint which, ReadOnlySpan<byte> data)
    {
        lock (_pulse)
        {
            FakeSession? session = Find(handle, null);
            if (Refused($"TraceSetInformation.{which}", session?.Name) is uint code)
            {
                return code;
            }

            if (!_options.IsAdministrator)
            {
                return WindowsCode.AccessDenied;
            }

            if (which == SampledInterval)
            {
                return SetInterval(handle, data);
            }

            if (session is null)
            {
                return WindowsCode.InvalidHandle;
            }

            if (!session.IsSystemLogger)
            {
                return WindowsCode.InvalidParameter;
            }

            switch (which)
            {
                case StackList:
                    return SetStacks(session, data);
                case EnableFlags:
                    if (data.Length is 0 or > 32 || data.Length % 4 != 0)
                    {
                        return WindowsCode.BadLength;
                    }

                    uint[] masks = new uint[8];
                    data.CopyTo(System.Runtime.InteropServices.MemoryMarshal.AsBytes(masks.AsSpan()));
                    SetMasks(session, masks);
                    return WindowsCode.Success;
                default:
                    return WindowsCode.InvalidParameter;
            }
        }
    }

    public uint QueryInformation(ulong handle, uint which, Span<byte> data, out uint returned)
    {
        lock (_pulse)
        {
            returned = 0;
            FakeSession? session = Find(handle, null);
            if (Refused($"TraceQueryInformation.{which}", session?.Name) is uint code)
            {
                return code;
            }

            if (!_options.IsAdministrator)
            {
                return WindowsCode.AccessDenied;
            }

            if (which == SampledInterval)
            {
                returned = 8;
                if (data.Length < returned)
                {
                    return WindowsCode.BadLength;
                }

                BinaryPrimitives.WriteUInt32LittleEndian(data[4..], ProfileInterval);
                return WindowsCode.Success;
            }

            if (which == MaxLoggers)
            {
                returned = sizeof(uint);
                BinaryPrimitives.WriteUInt32LittleEndian(data, MostSessions);
                return WindowsCode.Success;
            }

            if (session is null)
            {
                return WindowsCode.InvalidHandle;
            }

            // Stacks can be set only, as evntrace.h says; Learn's page says otherwise.
            if (which != EnableFlags)
            {
                return WindowsCode.InvalidParameter;
            }

            ReadOnlySpan<byte> answer = System.Runtime.InteropServices.MemoryMarshal.AsBytes(session.Masks.AsSpan());
            returned = (uint)answer.Length;

            if (data.Length < answer.Length)
            {
                return WindowsCode.BadLength;
            }

            answer.CopyTo(data);
            return WindowsCode.Success;
        }
    }

    public unsafe uint EnableTrace(ulong handle, Guid provider, uint control, byte level, ulong keywords, byte* parameters)
    {
        lock (_pulse)
        {
            FakeSession? session = Find(handle, null);
            if (Refused("EnableTraceEx2", session?.Name) is uint code)
            {
                return code;
            }

            if (session is null)
            {
                return WindowsCode.InvalidParameter;
            }

            if (control == EnableProvider)
            {
                session.Levels[provider] = level;
                session.Providers[provider] = parameters is null ? null : EventIds(parameters);
            }
            else if (control == DisableProvider)
            {
                session.Providers.Remove(provider);
            }

            if (provider == ParkedState.Provider && control is EnableProvider or CaptureState)
            {
                session.Log(0, _now, _parked.Record(_now));
            }

            Choose(session);
            return WindowsCode.Success;
        }
    }

    /// <summary>AdjustTokenPrivileges: the last error.</summary>
    public unsafe uint AdjustPrivileges(byte* privileges)
    {
        const int Attributes = 12;
        const byte SystemProfile = (byte)'S';
        if (Refused("AdjustTokenPrivileges", null) is uint code)
        {
            return code;
        }

        if (!_options.IsAdministrator || privileges[4] != SystemProfile)
        {
            return WindowsCode.NotAllAssigned;
        }

        _hasProfilePrivilege = privileges[Attributes] == 2;
        return WindowsCode.Success;
    }

    /// <summary>ENABLE_TRACE_PARAMETERS: ids of the events that are let in; null where no filter says.</summary>
    private static unsafe ushort[]? EventIds(byte* parameters)
    {
        const int FilterPointer = 32;
        const int FilterCount = 40;
        byte* filter = *(byte**)(parameters + FilterPointer);
        if (*(uint*)(parameters + FilterCount) == 0 || *(uint*)(filter + 12) != EventIdFilter)
        {
            return null;
        }

        byte* ids = *(byte**)filter;
        Assert.Equal(1, ids[0]); // FilterIn.
        return new ReadOnlySpan<ushort>(ids + 4, *(ushort*)(ids + 2)).ToArray();
    }

    private static (Guid Class, byte Opcode) NameOf(ushort hook) => (((KernelGroup)(hook >> 8)).ClassId(), (byte)hook);

    private void Choose(FakeSession session) => session.Choose(Machine.Kinds, NameOf, _options.KnownMasks);

    /// <summary>Switches groups on and off; what is there already is told when its switch goes on.</summary>
    private void SetMasks(FakeSession session, uint[] masks)
    {
        uint before = session.Masks[0];
        bool sampled = (session.Masks[1] & KernelSwitch.Profile) != 0;
        for (int word = 0; word < masks.Length; word++)
        {
            session.Masks[word] = masks[word] & (_options.DropsUnknownMasks ? _options.KnownMasks[word] : uint.MaxValue);
        }

        session.Masks[0] |= masks[0] & 0x1000_0000; // EVENT_TRACE_FLAG_NO_SYSCONFIG, which every build knows.

        Choose(session);
        uint began = session.Masks[0] & ~before & LifetimeFlags;
        foreach (byte[] record in _alive.Rundown(began, atEnd: false, _now))
        {
            session.Log(0, _now, record);
        }

        if (!sampled && (session.Masks[1] & KernelSwitch.Profile) != 0 && Machine.IntervalRecord is byte[] interval)
        {
            LogNow(session, interval);
        }

        if (began != 0)
        {
            LogRundownComplete(session);
        }
    }

    private uint SetStacks(FakeSession session, ReadOnlySpan<byte> data)
    {
        if (data.Length % EventIdBytes != 0)
        {
            return WindowsCode.BadLength;
        }

        if (data.Length / EventIdBytes > MostStacks)
        {
            return WindowsCode.InvalidParameter;
        }

        session.Stacks = [];
        for (int at = 0; at < data.Length; at += EventIdBytes)
        {
            session.Stacks.Add((new Guid(data.Slice(at, 16)), data[at + 16]));
        }

        Choose(session);
        return WindowsCode.Success;
    }

    private uint SetInterval(ulong handle, ReadOnlySpan<byte> data)
    {
        if (data.Length != 8)
        {
            return WindowsCode.BadLength;
        }

        if (handle != 0)
        {
            return WindowsCode.InvalidParameter;
        }

        if (!_hasProfilePrivilege)
        {
            return WindowsCode.PrivilegeNotHeld;
        }

        uint wanted = BinaryPrimitives.ReadUInt32LittleEndian(data[4..]);
        ProfileInterval = _options.KeepsInterval ? ProfileInterval : Math.Clamp(wanted, LeastInterval, MostInterval);
        return WindowsCode.Success;
    }
}
