using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Security.Principal;
using Microsoft.Win32.SafeHandles;
using Tracer.Capture.Sessions.Native;
using Tracer.Windows;

namespace Tracer.Capture.Snap;

/// <summary>
/// A named event of Windows. It is in the namespace of all sessions, since a capture may be a service or run in another desktop's session;
/// making an event there needs no privilege (Learn, "Kernel object namespaces").
/// </summary>
/// <remarks>
/// SYSTEM and administrators may do anything with it. The user that the capture runs as may wait for it and set it, so that a hotkey tool
/// without the administrator's rights can, whose token has the same user. Nobody else may: whoever signals makes the machine write files. A
/// label of medium integrity keeps a browser's sandbox of the same user out. Only one capture runs on a machine, so an event of this name
/// that is there already was made by somebody else: it is not used.
/// </remarks>
[SupportedOSPlatform("windows")]
public sealed unsafe partial class WindowsSnapSignals : ISnapSignals
{
    public const string Name = @"Global\Tracer.Capture.Snap";

    private const uint AllAccess = 0x1F0003;
    private const uint SddlRevision = 1;

    public WaitHandle? Listen(out string? problem)
    {
        using var identity = WindowsIdentity.GetCurrent();
        string sddl = DescriptorFor(identity.User?.Value);
        if (!ConvertStringSecurityDescriptorToSecurityDescriptor(sddl, SddlRevision, out nint descriptor, 0))
        {
            problem = $"its access list can't be made (error {Marshal.GetLastPInvokeError()})";
            return null;
        }

        try
        {
            SecurityAttributes attributes = new() { Length = (uint)sizeof(SecurityAttributes), Descriptor = descriptor };
            nint handle = CreateEventEx(&attributes, Name, 0, AllAccess); // It resets itself when somebody has waited for it.
            int error = Marshal.GetLastPInvokeError();
            if (handle == 0 || error == EtwError.AlreadyExists)
            {
                problem = error is EtwError.AlreadyExists or EtwError.AccessDenied
                    ? $"another program has an event of the name {Name}"
                    : $"the event {Name} can't be made (error {error})";
                new SafeWaitHandle(handle, ownsHandle: true).Dispose();
                return null;
            }

            problem = null;
            return new NamedEvent(handle);
        }
        finally
        {
            _ = MachineNatives.LocalFree(descriptor);
        }
    }

    public SnapOutcome Signal()
    {
        try
        {
            if (!EventWaitHandle.TryOpenExisting(Name, out EventWaitHandle? signal))
            {
                return SnapOutcome.NoCapture;
            }

            using (signal)
            {
                signal.Set();
                return SnapOutcome.Signalled;
            }
        }
        catch (UnauthorizedAccessException)
        {
            return SnapOutcome.NotAllowed;
        }
    }

    /// <summary>
    /// The access list, in the language of Learn's "Security descriptor string format": protected; all for SYSTEM and administrators;
    /// SYNCHRONIZE and EVENT_MODIFY_STATE for the user; no writing up from below medium integrity.
    /// </summary>
    /// <param name="user">SID of the user; null where it is not known.</param>
    internal static string DescriptorFor(string? user)
    {
        string own = user is null ? "" : $"(A;;0x100002;;;{user})";
        return $"D:P(A;;0x1F0003;;;SY)(A;;0x1F0003;;;BA){own}S:(ML;;NW;;;ME)";
    }

    [LibraryImport(
        "advapi32",
        EntryPoint = "ConvertStringSecurityDescriptorToSecurityDescriptorW",
        SetLastError = true,
        StringMarshalling = StringMarshalling.Utf16)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool ConvertStringSecurityDescriptorToSecurityDescriptor(
        string text, uint revision, out nint descriptor, nint bytes);

    [LibraryImport("kernel32", EntryPoint = "CreateEventExW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial nint CreateEventEx(SecurityAttributes* attributes, string name, uint flags, uint access);

    private sealed class NamedEvent : WaitHandle
    {
        public NamedEvent(nint handle) => SafeWaitHandle = new SafeWaitHandle(handle, ownsHandle: true);
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct SecurityAttributes
    {
        public uint Length;
        public nint Descriptor;
        public int InheritHandle;
    }
}
