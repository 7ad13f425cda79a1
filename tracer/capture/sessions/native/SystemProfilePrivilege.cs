using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Tracer.Windows;

namespace Tracer.Capture.Sessions.Native;

/// <summary>LUID: number of a privilege.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct Luid
{
    public uint LowPart;

    public int HighPart;
}

/// <summary>TOKEN_PRIVILEGES with its one LUID_AND_ATTRIBUTES.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct TokenPrivileges
{
    /// <summary>1.</summary>
    public uint PrivilegeCount;

    public Luid Luid;

    /// <summary>SE_PRIVILEGE_ENABLED.</summary>
    public uint Attributes;
}

/// <summary>
/// SeSystemProfilePrivilege: samples and the sampling interval want it switched on (winnt.h; Learn, EVENT_TRACE_FLAG_PROFILE).
/// An administrator's token has it, switched off.
/// </summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class SystemProfilePrivilege
{
    private const string Name = "SeSystemProfilePrivilege";

    /// <summary>Switches the privilege on for this process.</summary>
    /// <returns>Success, or the Win32 code: 1300 where the token has it not.</returns>
    public static int Enable()
    {
        const uint Access = EtwConstants.TokenAdjustPrivileges | EtwConstants.TokenQuery;
        if (!OpenProcessToken(ThreadNatives.GetCurrentProcess(), Access, out nint token))
        {
            return Marshal.GetLastPInvokeError();
        }

        try
        {
            TokenPrivileges wanted = new() { PrivilegeCount = 1, Attributes = EtwConstants.PrivilegeEnabled };
            if (!LookupPrivilegeValue(null, Name, out wanted.Luid)
                || !AdjustTokenPrivileges(token, disableAll: false, &wanted, 0, 0, 0))
            {
                return Marshal.GetLastPInvokeError();
            }

            return Marshal.GetLastPInvokeError() == EtwError.NotAllAssigned ? EtwError.NotAllAssigned : EtwError.Success;
        }
        finally
        {
            _ = ThreadNatives.CloseHandle(token);
        }
    }

    [LibraryImport(TraceFunctions.Library, SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool OpenProcessToken(nint process, uint access, out nint token);

    [LibraryImport(
        TraceFunctions.Library, EntryPoint = "LookupPrivilegeValueW", StringMarshalling = StringMarshalling.Utf16, SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool LookupPrivilegeValue(string? system, string name, out Luid luid);

    [LibraryImport(TraceFunctions.Library, SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool AdjustTokenPrivileges(
        nint token,
        [MarshalAs(UnmanagedType.Bool)] bool disableAll,
        TokenPrivileges* newState,
        uint bytes,
        nint previousState,
        nint returnedBytes);
}
