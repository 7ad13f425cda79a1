namespace Tracer.Analysis.Modules;

/// <summary>
/// Drivers that come with Windows and do their work themselves, by name: nobody installs another version of one. What calls other drivers
/// by design stands in <see cref="FrameworkTable"/>.
/// </summary>
/// <remarks>
/// Sources: learn.microsoft.com/windows-hardware/drivers/usbcon/supported-usb-classes (USB),
/// learn.microsoft.com/windows-hardware/drivers/audio/class-drivers and .../bluetooth/bluetooth-driver-stack (audio, Bluetooth),
/// learn.microsoft.com/windows-hardware/drivers/storage/stornvme-command-set-support and .../storage/storage-miniport-drivers (disks),
/// learn.microsoft.com/windows-hardware/drivers/network/overview-of-hyper-v-virtual-machine-network and .../ifs/allocated-altitudes
/// (guests, file systems).
/// </remarks>
internal static class InboxDrivers
{
    private static readonly HashSet<string> Names = new(StringComparer.OrdinalIgnoreCase)
    {
        "usbaudio.sys", "usbaudio2.sys", "usbvideo.sys", "usbstor.sys", "uaspstor.sys", "usbser.sys", "usbprint.sys", "winusb.sys",
        "hdaudio.sys", "BthA2dp.sys", "BthHfEnum.sys", "BthHfAud.sys", "rfcomm.sys", "bthpan.sys", "stornvme.sys", "storahci.sys",
        "storufs.sys", "storvsc.sys", "netvsc.sys", "atapi.sys", "intelide.sys", "pciide.sys", "WdFilter.sys", "WdNisDrv.sys", "cldflt.sys",
        "wcifs.sys", "bindflt.sys", "luafv.sys", "FileInfo.sys", "mrxsmb.sys", "mrxsmb10.sys", "mrxsmb20.sys", "srv.sys", "srv2.sys",
        "srvnet.sys", "http.sys", "netbt.sys", "tunnel.sys", "ndiswan.sys", "ndisuio.sys", "mslldp.sys", "bowser.sys", "intelppm.sys",
        "amdppm.sys", "processr.sys", "BasicDisplay.sys", "BasicRender.sys", "vhdmp.sys", "kdnic.sys", "mssmbios.sys", "serial.sys",
    };

    private static readonly HashSet<string> UsbHosts = new(StringComparer.OrdinalIgnoreCase)
    {
        "usbxhci.sys", "usbehci.sys", "usbuhci.sys", "usbohci.sys", "usbport.sys", "ucx01000.sys", "usbhub.sys", "usbhub3.sys", "usbccgp.sys",
    };

    public static bool Has(string module) => Names.Contains(module);

    /// <summary>Whether a module serves all devices behind a USB controller.</summary>
    public static bool IsUsbHost(string module) => UsbHosts.Contains(module);
}
