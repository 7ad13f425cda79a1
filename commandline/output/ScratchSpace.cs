using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;

namespace Tracer.CommandLine;

/// <summary>
/// Files and folders for a while: only this user can read them, and they end with the process, where the system allows it at once by
/// having no name. What a run left that was killed all the same is told by its name, which has the process, and removed by the next run.
/// </summary>
public static class ScratchSpace
{
    private const string Begin = "tracer-";

    /// <summary>This host, so that on a share nobody takes the process of another host for a dead one.</summary>
    private static readonly string Host =
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(Environment.MachineName)))[..4];

    /// <summary>A file that nobody sees and that ends with the process or when it is closed.</summary>
    /// <exception cref="IOException">There is no room for one; the message says what to do.</exception>
    public static FileStream File() => Tell(() =>
    {
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = FileShare.Delete,
            BufferSize = 0,
            Options = OperatingSystem.IsWindows() ? FileOptions.DeleteOnClose : FileOptions.None,
        };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        RemoveLeft(Path.GetTempPath(), Begin, OutputFile.DraftEnding);
        string path = Path.Combine(Path.GetTempPath(), Begin + Owner() + OutputFile.DraftEnding);
        var file = new FileStream(path, options);
        if (!OperatingSystem.IsWindows())
        {
            System.IO.File.Delete(path);
        }

        return file;
    });

    /// <summary>A folder of its own, which a <see cref="ScratchFolder"/> removes.</summary>
    /// <param name="kind">What it is for: a part of its name.</param>
    /// <exception cref="IOException">There is no room for one; the message says what to do.</exception>
    internal static string Folder(string kind) => Tell(() =>
    {
        if (!Directory.Exists(Path.GetTempPath()))
        {
            throw new DirectoryNotFoundException();
        }

        RemoveLeft(Path.GetTempPath(), $"{Begin}{kind}-", "");
        string path = Path.Combine(Path.GetTempPath(), $"{Begin}{kind}-{Owner()}");
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(path);
        }
        else
        {
            Directory.CreateDirectory(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return path;
    });

    /// <summary>The part of a name that tells whose it is: process, host, and letters by chance.</summary>
    internal static string Owner() => string.Create(
        CultureInfo.InvariantCulture, $"{Environment.ProcessId:x}-{Host}-{RandomNumberGenerator.GetHexString(8, lowercase: true)}");

    /// <summary>
    /// Removes what processes of this host and user left that are gone: files and folders of a name around that of their owner. What is
    /// another user's may change under the hand of whoever removes it, and stays.
    /// </summary>
    internal static void RemoveLeft(string folder, string begin, string end)
    {
        try
        {
            foreach (string path in Directory.EnumerateFileSystemEntries(folder, begin + "*" + end))
            {
                string name = Path.GetFileName(path);
                if (name.Length >= begin.Length + end.Length && IsOfDead(name[begin.Length..^end.Length]) && FileFacts.IsOwn(path))
                {
                    Remove(path);
                }
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Whoever makes a file there is told what is wrong.
        }
    }

    private static bool IsOfDead(string owner)
    {
        if (owner.Split('-') is not [var process, var host, { Length: 8 }] || host != Host
            || !int.TryParse(process, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out int id) || id <= 0)
        {
            return false;
        }

        try
        {
            using var running = Process.GetProcessById(id);
            return false;
        }
        catch (ArgumentException)
        {
            return true;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    /// <summary>Removes a file or folder; what cannot be removed now, the next run finds by its name.</summary>
    internal static void Remove(string path)
    {
        try
        {
            if (Directory.Exists(path) && new DirectoryInfo(path).LinkTarget is null)
            {
                Directory.Delete(path, recursive: true);
            }
            else
            {
                System.IO.File.Delete(path);
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // It is open still, or another run removes it.
        }
    }

    private static T Tell<T>(Func<T> make)
    {
        try
        {
            return make();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            string variable = OperatingSystem.IsWindows() ? "TEMP" : "TMPDIR";
            throw new IOException(
                $"no temporary file can be made in {Path.GetTempPath()}: set {variable} to a folder that is there and can be written to",
                fault);
        }
    }
}
