using System.Text.Json;

namespace Tracer.Capture.Tests;

/// <summary>
/// The headers of NuGet's Microsoft.Windows.SDK.CPP. The package unpacks to 820 MB, so no project asks for it: they are used where it
/// has been restored already, as tests/capture/sessions/headers/README.md tells.
/// </summary>
internal static class SdkHeaders
{
    private const string Package = "microsoft.windows.sdk.cpp";

    /// <summary>The newest version's folder with <c>shared</c> and <c>um</c>; null where the package is not restored.</summary>
    public static string? Folder()
    {
        string packages = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        string folder = Path.Combine(packages, Package);
        return Directory.Exists(folder)
            ? Directory.EnumerateDirectories(folder).SelectMany(Includes).Order(StringComparer.Ordinal).LastOrDefault()
            : null;
    }

    /// <summary>
    /// Options for clang. The headers name each other in any case, so they are laid over as a folder that does not care; and they want
    /// a few headers of the C library, of which next to nothing is needed.
    /// </summary>
    /// <param name="folder">A folder for what is made here.</param>
    public static string[] Options(string headers, string folder)
    {
        File.WriteAllText(Path.Combine(folder, "excpt.h"), "#pragma once\ntypedef enum { Unused } EXCEPTION_DISPOSITION;\n");
        File.WriteAllText(Path.Combine(folder, "ctype.h"), "");
        File.WriteAllText(Path.Combine(folder, "string.h"), "");
        string overlay = Path.Combine(folder, "overlay.yaml");
        File.WriteAllText(overlay, JsonSerializer.Serialize(new Dictionary<string, object>
        {
            ["version"] = 0,
            ["case-sensitive"] = "false",
            ["roots"] = new[] { Root(headers, "shared"), Root(headers, "um") },
        }));
        return
        [
            "-fms-compatibility-version=19.38", "-ivfsoverlay", overlay, "-include", "stddef.h",
            "-isystem", folder, "-isystem", "/sdk/shared", "-isystem", "/sdk/um",
        ];
    }

    private static IEnumerable<string> Includes(string version)
    {
        string includes = Path.Combine(version, "c", "Include");
        return Directory.Exists(includes) ? Directory.EnumerateDirectories(includes) : [];
    }

    private static Dictionary<string, object> Root(string headers, string part) => new()
    {
        ["name"] = "/sdk/" + part,
        ["type"] = "directory",
        ["contents"] = Directory.EnumerateFiles(Path.Combine(headers, part)).Select(static file => new Dictionary<string, object>
        {
            ["name"] = Path.GetFileName(file),
            ["type"] = "file",
            ["external-contents"] = file,
        }).ToArray(),
    };
}
