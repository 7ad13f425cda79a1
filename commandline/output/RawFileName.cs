using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Tracer.CommandLine;

/// <summary>
/// Files of Linux whose names are no UTF-8, as an archive of another system leaves them: .NET has a sign for each byte that it cannot read,
/// by which no file is found. They are looked for byte by byte.
/// </summary>
public static class RawFileName
{
    private const char Unreadable = '\uFFFD';
    private const int NameInEntry = 19; // struct dirent with 64-bit offsets: ino, off, reclen, type.
    private const int CloseOnExec = 0x80000; // O_RDONLY | O_CLOEXEC

    /// <summary>Opens a file to be read, whose name has bytes that cannot be read.</summary>
    /// <returns>Null where it has none, where there is no such file, or on another system.</returns>
    /// <exception cref="IOException">Several files may be meant.</exception>
    public static SafeFileHandle? Open(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess || !path.Contains(Unreadable))
        {
            return null;
        }

        List<byte> found = [.. path.StartsWith('/') ? "/"u8 : "./"u8];
        foreach (string part in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            if (Bytes(found, part, path) is not { } name)
            {
                return null;
            }

            found.AddRange(name);
            found.Add((byte)'/');
        }

        found[^1] = 0;
        int file = Libc.open([.. found], CloseOnExec);
        return file < 0 ? null : new SafeFileHandle(file, ownsHandle: true);
    }

    /// <summary>Refuses to make a file whose name has bytes that cannot be read: it would get another name than the user wrote.</summary>
    /// <exception cref="IOException">It has.</exception>
    public static void RefuseToMake(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        if (OperatingSystem.IsLinux() && path.Contains(Unreadable))
        {
            throw new IOException($"{path}: this name is not UTF-8, and a file of it would get another; give another name");
        }
    }

    private static byte[]? Bytes(List<byte> folder, string part, string path)
    {
        if (!part.Contains(Unreadable))
        {
            return Encoding.UTF8.GetBytes(part);
        }

        nint open = Libc.opendir([.. folder, 0]);
        if (open == 0)
        {
            return null;
        }

        try
        {
            byte[]? found = null;
            nint entry;
            while ((entry = Libc.readdir(open)) != 0)
            {
                byte[] name = Named(entry + NameInEntry);
                if (Readable(Encoding.UTF8.GetString(name)) == Readable(part))
                {
                    found = found is null ? name : throw new IOException($"{path}: several files may be meant; rename one");
                }
            }

            return found;
        }
        finally
        {
            _ = Libc.closedir(open);
        }
    }

    private static byte[] Named(nint text)
    {
        int length = 0;
        while (Marshal.ReadByte(text, length) != 0)
        {
            length++;
        }

        byte[] name = new byte[length];
        Marshal.Copy(text, name, 0, length);
        return name;
    }

    /// <summary>The name with one sign for what cannot be read: how many it is, readers do not agree on.</summary>
    private static string Readable(string name)
    {
        var readable = new StringBuilder();
        foreach (char letter in name)
        {
            if (letter != Unreadable || readable.Length == 0 || readable[^1] != Unreadable)
            {
                readable.Append(letter);
            }
        }

        return readable.ToString();
    }

    private static class Libc
    {
#pragma warning disable SA1300, IDE1006 // The names of the C library.
        [DllImport("libc", ExactSpelling = true, SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern int open(byte[] path, int flags);

        [DllImport("libc", ExactSpelling = true, SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern nint opendir(byte[] path);

        [DllImport("libc", ExactSpelling = true, SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern nint readdir(nint folder);

        [DllImport("libc", ExactSpelling = true, SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
        public static extern int closedir(nint folder);
#pragma warning restore SA1300, IDE1006
    }
}
