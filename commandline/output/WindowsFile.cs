using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Tracer.CommandLine;

/// <summary>What Windows knows of an open file: fileapi.h, winbase.h.</summary>
internal static class WindowsFile
{
    /// <summary>STD_INPUT_HANDLE.</summary>
    public const int StandardInput = -10;

    private const int FileIdInfo = 18;

    /// <summary>Whether a path names a device or pipe, such as <c>NUL</c> or <c>\\.\pipe\x</c>.</summary>
    public static bool IsDevice(string path) => Path.GetFullPath(path).StartsWith(@"\\.\", StringComparison.Ordinal);

    /// <summary>Which file it is; null where the file system cannot tell.</summary>
    public static FileIdentity? IdentityOf(SafeFileHandle file) =>
        GetFileInformationByHandleEx(file, FileIdInfo, out Id id, Marshal.SizeOf<Id>()) != 0
            ? new FileIdentity(id.Volume, id.High, id.Low)
            : null;

    /// <summary>The handle of a standard stream.</summary>
    [DllImport("kernel32.dll", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    public static extern nint GetStdHandle(int which);

    [DllImport("kernel32.dll", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static extern int GetFileInformationByHandleEx(SafeFileHandle file, int kind, out Id id, int bytes);

    /// <summary>FILE_ID_INFO.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Id
    {
        public ulong Volume;
        public ulong Low;
        public ulong High;
    }
}
