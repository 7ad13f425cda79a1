using System.Text.RegularExpressions;

namespace Tracer.TracerCommand.Commands.Doctor;

/// <summary>
/// What goes out of this machine in a line of a proof: files by their names, without the folders they lie in, which tell who uses it.
/// Windows' own folders stay.
/// </summary>
internal static partial class ProofText
{
    /// <param name="text">What a check found, or a message of the system's.</param>
    /// <param name="home">The user's folder; null for this user's.</param>
    public static string WithoutFolders(string text, string? home = null)
    {
        home ??= Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
        string known = home.Length > 1 ? text.Replace(home, "%USERPROFILE%", StringComparison.OrdinalIgnoreCase) : text;
        return Folders().Replace(known, static one => one.Groups["windows"].Success ? one.Value : @"(folder)\");
    }

    /// <summary>A drive, a share or the user's folder, and folders of it.</summary>
    [GeneratedRegex(
        """(?<windows>[A-Z]:\\Windows\\(?:[^\\/:*?"<>|\r\n]+\\)*)|(?:[A-Z]:\\|\\\\|%USERPROFILE%\\)(?:[^\\/:*?"<>|\r\n]+\\)*""",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Folders();
}
