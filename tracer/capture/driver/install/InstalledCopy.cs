using System.Security.Cryptography;

namespace Tracer.Capture.Driver.Install;

/// <summary>
/// A driver's file on its way to where installed drivers lie. It is copied first and looked at there, where nobody but an administrator can
/// change it meanwhile, and takes its name last. Beside it stands its SHA-256.
/// </summary>
internal sealed class InstalledCopy : IDisposable
{
    private const string HashEnding = ".sha256";
    private const string DraftEnding = ".new";

    private readonly string _target;
    private readonly string _hash;

    private InstalledCopy(string target, string hash) => (_target, _hash, DraftPath) = (target, hash, target + DraftEnding);

    /// <summary>The copy, before it has its name.</summary>
    public string DraftPath { get; }

    /// <summary>Whether the same file is there already, with its hash.</summary>
    public bool IsInPlace => Fault(_target) is null && HashOf(_target) == _hash;

    /// <summary>Copies a file.</summary>
    /// <exception cref="DriverException">It can't be copied.</exception>
    public static InstalledCopy Of(string source, string target, string folder)
    {
        string draft = target + DraftEnding;
        try
        {
            File.Copy(source, draft, overwrite: true);
            return new InstalledCopy(target, HashOf(draft));
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw DriverException.Because(
                $"{source} can't be copied to {folder}: {failure.Message} Run this in a console that was opened with 'Run as "
                + "administrator'");
        }
    }

    /// <summary>What is wrong with an installed file; null where it is what was installed.</summary>
    public static string? Fault(string path)
    {
        try
        {
            return !File.Exists(path) ? "is not there"
                : !File.Exists(path + HashEnding) ? "has no SHA-256 beside it from when it was installed"
                : File.ReadAllText(path + HashEnding).Trim() != HashOf(path) ? "has changed since it was installed"
                : null;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return $"can't be read ({failure.Message})";
        }
    }

    /// <summary>Removes an installed file and what stands beside it. What is held stays; a later installation writes over it.</summary>
    public static void Remove(string path)
    {
        foreach (string file in (string[])[path, path + HashEnding])
        {
            try
            {
                File.Delete(file);
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                // Nothing loads it any more.
            }
        }
    }

    /// <summary>Gives the copy its name, and notes its hash.</summary>
    public void PutInPlace()
    {
        try
        {
            File.Move(DraftPath, _target, overwrite: true);
            File.WriteAllText(_target + HashEnding, _hash + "\n");
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw DriverException.Because($"{_target} can't be written: {failure.Message}");
        }
    }

    public void Dispose() => Remove(DraftPath);

    private static string HashOf(string path)
    {
        using FileStream file = File.OpenRead(path);
        return Convert.ToHexStringLower(SHA256.HashData(file));
    }
}
