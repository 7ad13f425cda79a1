using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Writing;

/// <summary>Records about processes and threads in the versions of the machine's Windows.</summary>
internal sealed class ProcessRecords(MachineInventory machine, SessionController controller)
{
    /// <summary>A process was there at the start of the session.</summary>
    public const ushort ProcessDCStart = 0x0303;

    /// <summary>A process was there at the end of the session.</summary>
    public const ushort ProcessDCEnd = 0x0304;

    /// <summary>A thread was there at the start of the session.</summary>
    public const ushort ThreadDCStart = 0x0503;

    /// <summary>A thread was there at the end of the session.</summary>
    public const ushort ThreadDCEnd = 0x0504;

    private const int StillActive = 0x103;
    private const int KernelStackBytes = 0x6000;
    private const int UserStackBytes = 0x1_0000;
    private const int LongestName = 15;

    // Revision 1, NT authority (5), one part: SYSTEM (18), and a user of an ordinary account.
    private static readonly byte[] SystemSid = [1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];
    private static readonly byte[] UserSid =
        [1, 5, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xE9, 3, 0, 0];

    public MachineRecord Process(ushort hook, InventoryProcess process) => controller.PerfInfo(
        hook, machine.Build.ProcessVersion, (ref p) => Process(ref p, machine.Build.ProcessVersion, process));

    public MachineRecord Thread(ushort hook, InventoryThread thread) => controller.System(hook, machine.Build.ThreadVersion, (ref p) =>
    {
        bool isNewer = machine.Build.ThreadVersion >= 3;
        p.UInt32(thread.Process.Id);
        p.UInt32(thread.Id);
        p.Pointer(thread.KernelStack);
        p.Pointer(thread.KernelStack - KernelStackBytes);
        p.Pointer(thread.UserStack);
        p.Pointer(thread.UserStack == 0 ? 0 : thread.UserStack - UserStackBytes);
        p.Pointer(isNewer ? thread.Affinity : thread.StartAddress);
        p.Pointer(thread.StartAddress);
        p.Pointer(thread.EnvironmentBlock);
        p.UInt32(0);
        if (isNewer)
        {
            p.UInt8((byte)thread.BasePriority);
            p.UInt8(5);
            p.UInt8(2);
            p.UInt8(0);
        }

        if (machine.Build.IsModern)
        {
            p.Utf16(thread.Name);
        }
    });

    private static void Process(ref PayloadSpan payload, byte version, InventoryProcess process)
    {
        payload.Pointer(process.Key);
        payload.UInt32(process.Id);
        payload.UInt32(process.ParentId);
        payload.UInt32(process.SessionId);
        payload.UInt32(StillActive);
        if (version >= 3)
        {
            payload.Pointer(process.DirectoryTable);
        }

        if (version >= 4)
        {
            payload.UInt32(0);
        }

        if (process.Id == 0)
        {
            payload.UInt32(0);
        }
        else
        {
            // TOKEN_USER: a pointer to the SID, which differs from 0, and its attributes.
            payload.Pointer(process.Key + 0x48);
            payload.Pointer(0);
            payload.Bytes(process.SessionId == 1 ? UserSid : SystemSid);
        }

        payload.Utf8(process.Name[..Math.Min(process.Name.Length, LongestName)]);
        payload.Utf16(process.CommandLine);
        if (version >= 4)
        {
            payload.Utf16("");
            payload.Utf16("");
        }
    }
}
