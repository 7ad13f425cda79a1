using System.Reflection;
using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Tracing;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>
/// Puts a small C library in the place of advapi32 and kernel32 for our P/Invokes and for TraceEvent's. It is built once per run with gcc;
/// where there is none, the tests on the fake Windows are skipped.
/// </summary>
internal static unsafe class FakeShim
{
    private const string Source = "tests/capture/fake/fake_windows.c";
    private static readonly string[] Replaced = ["advapi32", "kernel32", "sechost"];
    private static readonly Lazy<string?> Obstacle = new(Build);
    private static nint _library;

    /// <summary>Has calls of Windows arrive in <see cref="FakeWindows.Current"/>; skips the test where that cannot be.</summary>
    public static void Install()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the fake stands for a Windows that is not here");
        Assert.SkipWhen(Obstacle.Value is not null, Obstacle.Value ?? "");
    }

    private static string? Build()
    {
        string library = Path.Combine(AppContext.BaseDirectory, "libfakewindows.so");
        try
        {
            ChildProcess.Output(
                "gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-o", library, Source);
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return "gcc, which builds the fake of advapi32, is not installed";
        }

        _library = NativeLibrary.Load(library);
        ShimCalls.Install((delegate* unmanaged<ShimCalls.Table*, void>)NativeLibrary.GetExport(_library, "fake_windows_install"));
        NativeLibrary.SetDllImportResolver(typeof(ITraceSessions).Assembly, Resolve);
        NativeLibrary.SetDllImportResolver(typeof(TraceEventDispatcher).Assembly, Resolve);
        return null;
    }

    private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? searchPath) =>
        Replaced.Contains(Path.GetFileNameWithoutExtension(name), StringComparer.OrdinalIgnoreCase) ? _library : 0;
}
