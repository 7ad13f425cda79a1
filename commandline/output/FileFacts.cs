using System.Runtime.InteropServices;
using System.Text;

namespace Tracer.CommandLine;

/// <summary>What a path leads to.</summary>
internal enum FileType
{
    /// <summary>Nothing that is there.</summary>
    None,

    /// <summary>A file of bytes, which another can take the place of.</summary>
    Regular,

    Folder,

    /// <summary>A device, a pipe or a socket: what is written goes through it.</summary>
    Device,
}

/// <summary>Tells one file from another by what the file system calls it, so that links are seen through.</summary>
/// <param name="High">Upper half of the file's number there.</param>
/// <param name="Low">Lower half: the inode on Linux.</param>
internal readonly record struct FileIdentity(ulong Volume, ulong High, ulong Low);

/// <summary>What the file system knows of a file, links followed.</summary>
/// <param name="Identity">Which; null where the system cannot tell.</param>
/// <param name="Owner">User and group; null where the system has no such owners or cannot tell.</param>
internal readonly record struct FileFacts(FileType Type, FileIdentity? Identity, (uint User, uint Group)? Owner)
{
    private const int NoEntry = 2;

    /// <summary>Finds out what stands at a path; never fails.</summary>
    public static FileFacts Of(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            return OfWindows(path);
        }

        if (OperatingSystem.IsLinux() && OfLinux(path) is { } facts)
        {
            return facts;
        }

        FileType type = Directory.Exists(path) ? FileType.Folder
            : path.StartsWith("/dev/", StringComparison.Ordinal) ? FileType.Device
            : File.Exists(path) ? FileType.Regular
            : FileType.None;
        return new FileFacts(type, null, null);
    }

    /// <summary>Whether a file, or the link itself, is this user's; true as well where the system cannot tell.</summary>
    public static bool IsOwn(string path)
    {
        try
        {
            return !OperatingSystem.IsLinux()
                || LinuxFile.statx(
                    LinuxFile.CurrentFolder, Terminated(path), LinuxFile.LinkItself, LinuxFile.BasicFacts, out LinuxFile.Facts facts) != 0
                || facts.User == LinuxFile.geteuid();
        }
        catch (EntryPointNotFoundException)
        {
            // A C library from before 2018.
            return true;
        }
    }

    /// <summary>The file that a process reads from when it reads standard input; nothing where that is no file.</summary>
    public static FileFacts OfStandardInput()
    {
        if (!OperatingSystem.IsWindows())
        {
            return Of("/dev/stdin");
        }

        using var handle = new Microsoft.Win32.SafeHandles.SafeFileHandle(WindowsFile.GetStdHandle(WindowsFile.StandardInput), false);
        return new FileFacts(FileType.Device, WindowsFile.IdentityOf(handle), null);
    }

    /// <summary>Gives a file to an owner, where that is allowed.</summary>
    public static void TryGive(string path, (uint User, uint Group) owner)
    {
        if (OperatingSystem.IsLinux())
        {
            _ = LinuxFile.chown(Terminated(path), owner.User, owner.Group);
        }
    }

    private static byte[] Terminated(string path) => [.. Encoding.UTF8.GetBytes(path), 0];

    private static FileFacts? OfLinux(string path)
    {
        try
        {
            int result = LinuxFile.statx(
                LinuxFile.CurrentFolder, Terminated(path), 0, LinuxFile.BasicFacts, out LinuxFile.Facts facts);
            if (result != 0)
            {
                return Marshal.GetLastPInvokeError() == NoEntry ? default(FileFacts) : null;
            }

            FileType type = (facts.Mode & LinuxFile.TypeMask) switch
            {
                LinuxFile.RegularType => FileType.Regular,
                LinuxFile.FolderType => FileType.Folder,
                _ => FileType.Device,
            };
            var identity = new FileIdentity(((ulong)facts.DeviceMajor << 32) | facts.DeviceMinor, 0, facts.Inode);
            return new FileFacts(type, identity, (facts.User, facts.Group));
        }
        catch (EntryPointNotFoundException)
        {
            // A C library from before 2018.
            return null;
        }
    }

    private static FileFacts OfWindows(string path)
    {
        if (WindowsFile.IsDevice(path))
        {
            return new FileFacts(FileType.Device, null, null);
        }

        if (Directory.Exists(path))
        {
            return new FileFacts(FileType.Folder, null, null);
        }

        if (!File.Exists(path))
        {
            return default;
        }

        try
        {
            using var handle = File.OpenHandle(path, share: FileShare.ReadWrite | FileShare.Delete);
            return new FileFacts(FileType.Regular, WindowsFile.IdentityOf(handle), null);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return new FileFacts(FileType.Regular, null, null);
        }
    }

    /// <summary>What Linux knows of a file: linux/stat.h.</summary>
    private static class LinuxFile
    {
        public const int CurrentFolder = -100; // AT_FDCWD
        public const int LinkItself = 0x100;   // AT_SYMLINK_NOFOLLOW
        public const uint BasicFacts = 0x7ff;  // STATX_BASIC_STATS
        public const int TypeMask = 0xF000;
        public const int FolderType = 0x4000;
        public const int RegularType = 0x8000;

#pragma warning disable SA1300, IDE1006 // The names of the C library.
        [DllImport("libc", ExactSpelling = true, SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern int statx(int folder, byte[] path, int flags, uint mask, out Facts facts);

        [DllImport("libc", ExactSpelling = true, SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern int chown(byte[] path, uint user, uint group);

        [DllImport("libc", ExactSpelling = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern uint geteuid();
#pragma warning restore SA1300, IDE1006

        /// <summary>struct statx: 256 bytes, the same on every processor.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 256)]
        public struct Facts
        {
            [FieldOffset(20)]
            public uint User;

            [FieldOffset(24)]
            public uint Group;

            [FieldOffset(28)]
            public ushort Mode;

            [FieldOffset(32)]
            public ulong Inode;

            [FieldOffset(136)]
            public uint DeviceMajor;

            [FieldOffset(140)]
            public uint DeviceMinor;
        }
    }
}
