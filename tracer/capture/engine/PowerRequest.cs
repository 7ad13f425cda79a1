using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Tracer.Windows;

namespace Tracer.Capture.Engine;

/// <summary>
/// Keeps the machine awake until it is disposed: a power request, which <c>powercfg /requests</c> shows with its reason (Learn,
/// PowerCreateRequest, PowerSetRequest). Windows drops it with the process, whatever ends that.
/// </summary>
/// <remarks>
/// It holds off the sleep of an idle machine. Lid, button and low battery are stronger; on battery a machine with modern standby drops it
/// five minutes after its display went off (Learn, PowerSetRequest).
/// </remarks>
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class PowerRequest : IDisposable
{
    public const uint ContextVersion = 0;

    /// <summary>POWER_REQUEST_CONTEXT_SIMPLE_STRING.</summary>
    public const uint SimpleString = 1;

    /// <summary>PowerRequestSystemRequired: the machine does not sleep by itself.</summary>
    public const int SystemRequired = 1;

    /// <summary>PowerRequestExecutionRequired: in modern standby the process goes on running.</summary>
    public const int ExecutionRequired = 3;

    private const nint InvalidHandle = -1;

    private readonly nint _request;

    /// <exception cref="Win32Exception">Windows refused.</exception>
    public PowerRequest(string reason)
    {
        fixed (char* text = reason)
        {
            var context = new ReasonContext { Version = ContextVersion, Flags = SimpleString, SimpleReasonString = (nint)text };
            _request = PowerCreateRequest(&context);
        }

        if (_request is InvalidHandle or 0)
        {
            throw new Win32Exception();
        }

        if (PowerSetRequest(_request, SystemRequired) == 0)
        {
            int code = Marshal.GetLastPInvokeError();
            _ = ThreadNatives.CloseHandle(_request);
            throw new Win32Exception(code);
        }

        // Desktop machines without modern standby need it less, and older systems refuse it.
        _ = PowerSetRequest(_request, ExecutionRequired);
    }

    public void Dispose()
    {
        _ = PowerClearRequest(_request, ExecutionRequired);
        _ = PowerClearRequest(_request, SystemRequired);
        _ = ThreadNatives.CloseHandle(_request);
    }

    [LibraryImport("kernel32.dll", SetLastError = true)]
    private static partial nint PowerCreateRequest(ReasonContext* context);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    private static partial int PowerSetRequest(nint request, int type);

    [LibraryImport("kernel32.dll", SetLastError = true)]
    private static partial int PowerClearRequest(nint request, int type);

    /// <summary>REASON_CONTEXT; the string shares its place with the module of the detailed form.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct ReasonContext
    {
        public uint Version;

        public uint Flags;

        /// <summary>The reason, UTF-16 with NUL.</summary>
        public nint SimpleReasonString;

        /// <summary>Not used.</summary>
        public uint LocalizedReasonId;

        /// <summary>Not used.</summary>
        public uint ReasonStringCount;

        /// <summary>Not used.</summary>
        public nint ReasonStrings;
    }
}
