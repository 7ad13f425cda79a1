using System.Runtime.InteropServices;

namespace Tracer.Capture.Tests;

/// <summary>
/// The managed ends of the shim's functions: each goes to the fake Windows of the calling thread. An exception must not cross native
/// frames: it is kept for the test, and the call fails with ERROR_GEN_FAILURE.
/// </summary>
internal static unsafe class ShimCalls
{
    private const uint GeneralFailure = 31;

    /// <summary>struct fake_windows_calls of fake_windows.c.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Table
    {
        public delegate* unmanaged<ulong*, char*, byte*, uint> StartTrace;
        public delegate* unmanaged<ulong, char*, byte*, uint, uint> ControlTrace;
        public delegate* unmanaged<byte**, uint, uint*, uint> QueryAllTraces;
        public delegate* unmanaged<ulong, uint, byte*, uint, uint> SetInformation;
        public delegate* unmanaged<ulong, uint, byte*, uint, uint*, uint> QueryInformation;
        public delegate* unmanaged<ulong, Guid*, uint, byte, ulong, byte*, uint> EnableTrace;
        public delegate* unmanaged<byte*, ulong*, uint> OpenTrace;
        public delegate* unmanaged<ulong*, uint, uint> ProcessTrace;
        public delegate* unmanaged<ulong, uint> CloseTrace;
        public delegate* unmanaged<byte*, uint> AdjustPrivileges;
    }

    public static void Install(delegate* unmanaged<Table*, void> install)
    {
        Table table = new()
        {
            StartTrace = &StartTrace,
            ControlTrace = &ControlTrace,
            QueryAllTraces = &QueryAllTraces,
            SetInformation = &SetInformation,
            QueryInformation = &QueryInformation,
            EnableTrace = &EnableTrace,
            OpenTrace = &OpenTrace,
            ProcessTrace = &ProcessTrace,
            CloseTrace = &CloseTrace,
            AdjustPrivileges = &AdjustPrivileges,
        };
        install(&table);
    }

    [UnmanagedCallersOnly]
    private static uint StartTrace(ulong* session, char* name, byte* properties) =>
        Guarded(windows => windows.StartTrace(session, Text(name), properties));

    [UnmanagedCallersOnly]
    private static uint ControlTrace(ulong session, char* name, byte* properties, uint control) =>
        Guarded(windows => windows.ControlTrace(session, Text(name), properties, control));

    [UnmanagedCallersOnly]
    private static uint QueryAllTraces(byte** properties, uint count, uint* sessions) =>
        Guarded(windows => windows.QueryAllTraces(properties, count, out *sessions));

    [UnmanagedCallersOnly]
    private static uint SetInformation(ulong session, uint which, byte* data, uint bytes) =>
        Guarded(windows => windows.SetInformation(session, which, new ReadOnlySpan<byte>(data, (int)bytes)));

    [UnmanagedCallersOnly]
    private static uint QueryInformation(ulong session, uint which, byte* data, uint bytes, uint* returned) =>
        Guarded(windows => windows.QueryInformation(session, which, new Span<byte>(data, (int)bytes), out *returned));

    [UnmanagedCallersOnly]
    private static uint EnableTrace(ulong session, Guid* provider, uint control, byte level, ulong any, byte* parameters) =>
        Guarded(windows => windows.EnableTrace(session, *provider, control, level, any, parameters));

    [UnmanagedCallersOnly]
    private static uint OpenTrace(byte* logfile, ulong* trace) => Guarded(windows => windows.OpenTrace(logfile, out *trace));

    [UnmanagedCallersOnly]
    private static uint ProcessTrace(ulong* traces, uint count) =>
        Guarded(windows => windows.ProcessTrace(new ReadOnlySpan<ulong>(traces, (int)count)));

    [UnmanagedCallersOnly]
    private static uint CloseTrace(ulong trace) => Guarded(windows => windows.CloseTrace(trace));

    [UnmanagedCallersOnly]
    private static uint AdjustPrivileges(byte* privileges) => Guarded(windows => windows.AdjustPrivileges(privileges));

    private static string? Text(char* text) => text is null ? null : new string(text);

    private static uint Guarded(Func<FakeWindows, uint> call)
    {
        FakeWindows? windows = FakeWindows.Current;
        try
        {
            return windows is null ? GeneralFailure : call(windows);
        }
        catch (Exception failure)
        {
            windows!.Faults.Enqueue(failure);
            return GeneralFailure;
        }
    }
}
