using System.Runtime.InteropServices;

namespace Tracer.CommandLine;

/// <summary>
/// Where Windows looks for DLLs that are named without a path. By default the folder of the program comes first: for one that was
/// downloaded and runs as administrator that is a folder into which anything may have been put.
/// </summary>
public static class DllSearch
{
    private const uint System32Only = 0x800;

    /// <summary>
    /// From now on only Windows' own folder is searched (LOAD_LIBRARY_SEARCH_SYSTEM32, libloaderapi.h); everything else has to be named by
    /// its whole path. Nothing elsewhere. To be called before anything else.
    /// </summary>
    public static void Narrow()
    {
        if (OperatingSystem.IsWindows())
        {
            _ = SetDefaultDllDirectories(System32Only);
        }
    }

    [DllImport("kernel32.dll", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static extern int SetDefaultDllDirectories(uint flags);
}
