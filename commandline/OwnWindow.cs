using System.Runtime.InteropServices;

namespace Tracer.CommandLine;

/// <summary>Whether a program was started by a double-click: Windows then opens a window for it alone, which closes with it.</summary>
public static class OwnWindow
{
    /// <summary>Whether the console is this program's alone, and a person sits before it.</summary>
    public static bool IsThere => OperatingSystem.IsWindows() && !Console.IsInputRedirected && !Console.IsOutputRedirected
        && GetConsoleProcessList(new uint[2], 2) == 1;

    /// <summary>How many processes have the console; 0 for none (consoleapi.h).</summary>
    [DllImport("kernel32.dll", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static extern uint GetConsoleProcessList([Out] uint[] processes, uint count);
}
