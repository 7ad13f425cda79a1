using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Tracer.Capture.Driver;

/// <summary>The driver's device by CreateFile and DeviceIoControl, overlapped, so that a read that waits can be cancelled.</summary>
[SupportedOSPlatform("windows")]
public sealed unsafe partial class WindowsDriverDevice : IDriverDevice
{
    private const uint GenericRead = 0x80000000;
    private const uint GenericWrite = 0x40000000;
    private const uint ShareReadWrite = 3;
    private const uint OpenExisting = 3;
    private const uint FlagOverlapped = 0x40000000;

    /// <summary>What a thread waits for: the end of its request, and the cancellation. Kept, so that a read allocates nothing.</summary>
    [ThreadStatic]
    private static WaitHandle[]? _waits;

    private readonly SafeFileHandle _handle;

    private WindowsDriverDevice(SafeFileHandle handle) => _handle = handle;

    /// <exception cref="DriverException">It is not there, or not for this user.</exception>
    public static WindowsDriverDevice Open()
    {
        SafeFileHandle handle = CreateFile(
            DriverInterface.DevicePath, GenericRead | GenericWrite, ShareReadWrite, 0, OpenExisting, FlagOverlapped, 0);
        if (handle.IsInvalid)
        {
            int error = Marshal.GetLastPInvokeError();
            handle.Dispose();
            throw DriverException.Of(DriverStep.Open, error);
        }

        return new WindowsDriverDevice(handle);
    }

    public int Control(uint code, ReadOnlySpan<byte> request, Span<byte> reply, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        WaitHandle[] waits = _waits ??= new WaitHandle[2];
        waits[0] ??= new ManualResetEvent(false);
        var done = (ManualResetEvent)waits[0];
        done.Reset();
        bool isHeld = false;
        try
        {
            _handle.DangerousAddRef(ref isHeld);
            nint device = _handle.DangerousGetHandle();
            NativeOverlapped overlapped = default;
            overlapped.EventHandle = done.SafeWaitHandle.DangerousGetHandle();
            fixed (byte* input = request)
            fixed (byte* output = reply)
            {
                if (!DeviceIoControl(device, code, input, (uint)request.Length, output, (uint)reply.Length, null, &overlapped))
                {
                    int error = Marshal.GetLastPInvokeError();
                    if (error != Win32Error.IoPending)
                    {
                        throw DriverException.Of(DriverStep.Talk, error);
                    }

                    // The buffers stay where they are until the request is back, cancelled or not.
                    if (cancellation.CanBeCanceled && IsCancelledFirst(waits, cancellation.WaitHandle))
                    {
                        CancelIoEx(device, &overlapped);
                    }
                }

                return Finish(device, &overlapped, cancellation);
            }
        }
        finally
        {
            if (isHeld)
            {
                _handle.DangerousRelease();
            }
        }
    }

    public void Dispose() => _handle.Dispose();

    private static bool IsCancelledFirst(WaitHandle[] waits, WaitHandle cancellation)
    {
        waits[1] = cancellation;
        return WaitHandle.WaitAny(waits) == 1;
    }

    private static int Finish(nint device, NativeOverlapped* overlapped, CancellationToken cancellation)
    {
        if (GetOverlappedResult(device, overlapped, out uint bytes, wait: true))
        {
            return (int)Math.Min(bytes, int.MaxValue);
        }

        int error = Marshal.GetLastPInvokeError();
        if (error == Win32Error.OperationAborted)
        {
            cancellation.ThrowIfCancellationRequested();
        }

        throw DriverException.Of(DriverStep.Talk, error);
    }

    [LibraryImport("kernel32", EntryPoint = "CreateFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial SafeFileHandle CreateFile(
        string path, uint access, uint share, nint security, uint disposition, uint flags, nint template);

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool DeviceIoControl(
        nint device, uint code, byte* input, uint inputBytes, byte* output, uint outputBytes, uint* returned, NativeOverlapped* overlapped);

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetOverlappedResult(
        nint device, NativeOverlapped* overlapped, out uint bytes, [MarshalAs(UnmanagedType.Bool)] bool wait);

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool CancelIoEx(nint device, NativeOverlapped* overlapped);
}
