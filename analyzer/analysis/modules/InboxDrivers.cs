namespace Tracer.Analysis.Modules;

/// <summary>
/// Drivers that come with Windows and do their work themselves, by name: nobody installs another version of one. What calls other drivers
/// by design stands in <see cref="FrameworkTable"/>.
/// </summary>
internal static class InboxDrivers
{
    private static readonly HashSet<string> Names = new(FrameworkTable.Inbox, StringComparer.OrdinalIgnoreCase);

    private static readonly HashSet<string> UsbHosts = new(FrameworkTable.UsbHosts, StringComparer.OrdinalIgnoreCase);

    public static bool Has(string module) => Names.Contains(module);

    /// <summary>Whether a module serves all devices behind a USB controller.</summary>
    public static bool IsUsbHost(string module) => UsbHosts.Contains(module);
}
