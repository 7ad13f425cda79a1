using System.ComponentModel;
using System.Diagnostics;

namespace Tracer.CommandLine;

/// <summary>Shows a page in the person's browser.</summary>
public static class BrowserPage
{
    /// <returns>Why it could not be opened; null where it was.</returns>
    public static string? Open(string page)
    {
        try
        {
            using Process? browser = Process.Start(new ProcessStartInfo(page) { UseShellExecute = true });
            return null;
        }
        catch (Exception fault) when (fault is Win32Exception or InvalidOperationException)
        {
            return fault.Message;
        }
    }
}
