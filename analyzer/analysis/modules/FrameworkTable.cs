using static Tracer.Analysis.Modules.ModuleRole;

namespace Tracer.Analysis.Modules;

/// <summary>
/// The modules of Windows that stand between the kernel and a vendor's driver, with the role of each; and drivers that come with Windows.
/// This is the only place in the analysis that knows names of modules; docs/generated/frameworks.md is generated from it.
/// </summary>
/// <remarks>
/// A module is listed if it calls other drivers by design or works on behalf of its caller, so that seeing it at work does not yet name the
/// culprit. Modules that do the work themselves are not listed, whoever made them: miniports, function drivers, minifilters, protocol
/// drivers. A module that does much work of its own in front of its clients is a layer, not a framework: it must be blamed where no one
/// else is seen. Roles come from the pages given with each group. Where a page describes a module without its file name (ReadyBoost,
/// virtual Wi-Fi), the name is that of the service in public lists of loaded modules.
/// </remarks>
internal static class FrameworkTable
{
    /// <summary>The groups, in the order in which they are documented.</summary>
    public static IReadOnlyList<KnownModuleGroup> Groups { get; } =
    [
        new("Kernel and HAL", [Learn("kernel/windows-kernel-mode-hal-library")],
        [
            new("ntoskrnl.exe", Kernel, "kernel"),
            new("ntkrnlpa.exe", Kernel, "kernel with PAE, 32 bits"),
            new("ntkrnlmp.exe", Kernel, "kernel, by its original name"),
            new("ntkrpamp.exe", Kernel, "kernel with PAE, by its original name"),
            new("ntkrla57.exe", Kernel, "kernel with 57 bits of addresses"),
            new("hal.dll", Kernel, "HAL"),
            new("halmacpi.dll", Kernel, "HAL, by its original name"),
            new("halacpi.dll", Kernel, "HAL, by its original name"),
            new("halaacpi.dll", Kernel, "HAL, by its original name"),
            new("halapic.dll", Kernel, "HAL, by its original name"),
            new("halmps.dll", Kernel, "HAL, by its original name"),
        ]),
        new("Firmware", [Learn("kernel/acpi-driver")],
        [
            new("ACPI.sys", Firmware, "interpreter of the firmware's methods"),
        ]),
        new("Driver frameworks",
        [
            Learn("gettingstarted/kmdf-as-a-generic-pair-model"), Learn("wdf/overview-of-the-umdf"), Learn("wdf/adding-the-reflector"),
            Learn("devtest/using-wpp-recorder"), Learn("devtest/driver-verifier"),
        ],
        [
            new("Wdf01000.sys", Framework, "KMDF"),
            new("WdfLdr.sys", Framework, "loader that binds drivers to KMDF and its extensions"),
            new("WUDFRd.sys", Framework, "reflector to the processes of UMDF drivers"),
            new("WUDFPf.sys", Framework, "UMDF platform driver"),
            new("WppRecorder.sys", Library, "in-memory log of drivers' traces"),
            new("VerifierExt.sys", Framework, "Driver Verifier, between a driver and what it calls"),
        ]),
        new("Network",
        [
            Learn("gettingstarted/minidrivers-and-driver-pairs"), Learn("netcx/"), Learn("netcx/wifi-wdf-class-extension-wificx"),
            Learn("netcx/mobile-broadband-mbb-wdf-class-extension-mbbcx"), Learn("network/wdi-miniport-driver-design-guide"),
            Learn("network/ndis-filter-drivers"), Learn("network/introduction-to-windows-filtering-platform-callout-drivers"),
            "https://learn.microsoft.com/previous-versions/windows/hardware/wireless/native-802-11-software-architecture",
            "https://learn.microsoft.com/windows-server/networking/technologies/qos/qos-policy-architecture",
        ],
        [
            new("ndis.sys", Framework, "library of network miniports, filters and protocols", SetupClass.Net),
            new("NetAdapterCx.sys", Framework, "class extension of network adapters", SetupClass.Net),
            new("WifiCx.sys", Framework, "class extension of Wi-Fi adapters", SetupClass.Net),
            new("MbbCx.sys", Framework, "class extension of mobile broadband adapters", SetupClass.Net),
            new("WdiWiFi.sys", Framework, "upper half of WDI miniports for Wi-Fi", SetupClass.Net),
            new("nwifi.sys", Layer, "filter between 802.11 and 802.3"),
            new("vwififlt.sys", Layer, "filter of virtual Wi-Fi"),
            new("pacer.sys", Layer, "filter that schedules packets for QoS"),
            new("wfplwfs.sys", Layer, "filter that shows frames to WFP callouts"),
            new("tcpip.sys", Layer, "TCP/IP, which calls WFP callouts"),
            new("netio.sys", Layer, "classification for WFP callouts"),
            new("fwpkclnt.sys", Layer, "WFP's interface to callout drivers"),
            new("afd.sys", Layer, "sockets"),
        ]),
        new("Storage controllers and disks",
        [
            Learn("storage/storage-miniport-drivers"), Learn("storage/ide-controller-minidrivers"),
            Learn("storage/introduction-to-storage-class-drivers"), Learn("storage/ehstor-driver"),
            "https://learn.microsoft.com/archive/technet-wiki/3551.mpio-inf",
        ],
        [
            new("storport.sys", Framework, "port driver of Storport miniports", SetupClass.ScsiAdapter, SetupClass.DiskController),
            new("scsiport.sys", Framework, "port driver of SCSI miniports", SetupClass.ScsiAdapter),
            new("ataport.sys", Framework, "port driver of ATA miniports", SetupClass.DiskController),
            new("pciidex.sys", Framework, "controller driver of IDE minidrivers", SetupClass.DiskController),
            new("classpnp.sys", Layer, "library of storage class drivers"),
            new("disk.sys", Layer, "class driver of disks"),
            new("cdrom.sys", Layer, "class driver of CD-ROM drives"),
            new("ehstorclass.sys", Layer, "filter below the class driver"),
            new("mpio.sys", Layer, "bus driver of disks with several paths"),
        ]),
        new("Volumes and file systems",
        [
            Learn("ifs/storage-device-stacks--storage-volumes--and-file-system-stacks"), Learn("ifs/filter-manager-concepts"),
            Learn("ifs/the-redirected-drive-buffering-subsystem"), Learn("ifs/support-for-unc-naming-and-mup"),
            Learn("ifs/allocated-altitudes"), "https://github.com/DellGEOS/AzureStackDocs/blob/main/02-StorageStack/readme.md",
        ],
        [
            new("fltmgr.sys", Framework, "filter manager, which calls minifilters"),
            new("partmgr.sys", Layer, "partitions"),
            new("spaceport.sys", Layer, "Storage Spaces, above physical disks"),
            new("volmgr.sys", Layer, "volumes on basic disks"),
            new("volmgrx.sys", Layer, "volumes on dynamic disks"),
            new("volume.sys", Layer, "volumes' device objects"),
            new("volsnap.sys", Layer, "snapshots of volumes"),
            new("fvevol.sys", Layer, "BitLocker"),
            new("rdyboost.sys", Layer, "ReadyBoost"),
            new("iorate.sys", Layer, "limits of disk I/O"),
            new("ntfs.sys", Layer, "file system"),
            new("refs.sys", Layer, "file system"),
            new("refsv1.sys", Layer, "file system"),
            new("fastfat.sys", Layer, "file system"),
            new("exfat.sys", Layer, "file system"),
            new("cdfs.sys", Layer, "file system"),
            new("udfs.sys", Layer, "file system"),
            new("mup.sys", Layer, "router to network redirectors"),
            new("rdbss.sys", Layer, "common part of network redirectors"),
        ]),
        new("SD cards",
        [
            Learn("sd/sd-card-driver-stack"),
            "https://learn.microsoft.com/samples/microsoft/windows-driver-samples/standard-sd-host-controller-miniport",
        ],
        [
            new("sdport.sys", Framework, "port driver of SD host controller miniports", SetupClass.SecureDigitalHost),
            new("sdbus.sys", Layer, "SD bus, with the standard host controller"),
        ]),
        new("Display",
        [
            Learn("display/windows-vista-and-later-display-driver-model-architecture"),
            Learn("display/indirect-display-driver-model-overview"), Learn("ddi/video/"),
        ],
        [
            new("dxgkrnl.sys", Framework, "DirectX kernel and display port driver", SetupClass.Display),
            new("dxgmms1.sys", Framework, "GPU scheduler and video memory, before WDDM 2.0", SetupClass.Display),
            new("dxgmms2.sys", Framework, "GPU scheduler and video memory", SetupClass.Display),
            new("videoprt.sys", Framework, "port driver of video miniports", SetupClass.Display),
            new("IndirectKmd.sys", Framework, "kernel half of indirect displays, whose drivers are processes"),
            new("watchdog.sys", Library, "watchdogs of the display stack"),
            new("win32k.sys", Layer, "windows and GDI"),
            new("win32kbase.sys", Layer, "windows and GDI"),
            new("win32kfull.sys", Layer, "windows and GDI"),
            new("cdd.dll", Layer, "canonical display driver, from GDI to DirectX"),
        ]),
        new("Audio and streaming",
        [
            Learn("audio/introduction-to-port-class"), Learn("audio/acx-audio-class-extensions-overview"),
            Learn("audio/kernel-mode-wdm-audio-components"), Learn("stream/avstream-overview"), Learn("ddi/bdasup/"),
        ],
        [
            new("portcls.sys", Framework, "port class driver of audio miniports", SetupClass.Media),
            new("Acx01000.sys", Framework, "class extension of audio", SetupClass.Media),
            new("ks.sys", Framework, "kernel streaming and AVStream", SetupClass.Media, SetupClass.Image, SetupClass.Camera),
            new("ksthunk.sys", Layer, "filter that widens requests of 32-bit processes"),
            new("bdasup.sys", Library, "support of TV tuners"),
            new("HDAudBus.sys", Layer, "bus of High Definition Audio"),
        ]),
        new("HID, keyboard and mouse",
        [
            Learn("hid/hid-architecture"), Learn("hid/hid-transports"), Learn("hid/keyboard-and-mouse-hid-client-drivers"),
            Learn("wdf/creating-umdf-hid-minidrivers"), Learn("hid/virtual-hid-framework--vhf-"), Learn("ddi/hidspicx/"),
            Learn("ddi/hidpi/"),
        ],
        [
            new("hidclass.sys", Framework, "class driver of HID minidrivers", SetupClass.HumanInterface),
            new("mshidkmdf.sys", Framework, "between the class driver and KMDF minidrivers", SetupClass.HumanInterface),
            new("mshidumdf.sys", Framework, "between the class driver and UMDF minidrivers"),
            new("vhf.sys", Framework, "virtual HID devices of any driver"),
            new("HidSpiCx.sys", Framework, "class extension of HID over SPI"),
            new("hidparse.sys", Library, "parser of HID reports"),
            new("hidusb.sys", Layer, "HID over USB"),
            new("hidbth.sys", Layer, "HID over Bluetooth"),
            new("hidi2c.sys", Layer, "HID over I2C"),
            new("hidspi.sys", Layer, "HID over SPI"),
            new("kbdhid.sys", Layer, "keyboards that are HID devices"),
            new("mouhid.sys", Layer, "mice that are HID devices"),
            new("kbdclass.sys", Layer, "class driver of keyboards"),
            new("mouclass.sys", Layer, "class driver of mice"),
            new("i8042prt.sys", Layer, "keyboard and mouse at PS/2"),
        ]),
        new("USB",
        [
            Learn("usbcon/usb-3-0-driver-stack-architecture"), Learn("usbcon/ucsi"),
            Learn("usbcon/developing-windows-drivers-for-usb-type-c-connectors"),
            Learn("usbcon/developing-windows-drivers-for-emulated-usb-host-controllers-and-devices"),
            Learn("usbcon/developing-windows-drivers-for-usb-function-controllers"),
            Learn("usbcon/usb-dual-role-driver-stack-architecture"),
        ],
        [
            new("usbport.sys", Framework, "port driver of USB 2.0 host controllers", SetupClass.Usb),
            new("ucx01000.sys", Framework, "class extension of host controllers (UCX)", SetupClass.Usb),
            new("Udecx.sys", Framework, "class extension of emulated devices (UDE)", SetupClass.Usb),
            new("ufx01000.sys", Framework, "class extension of function controllers (UFX)"),
            new("urscx01000.sys", Framework, "class extension of controllers with two roles (URS)"),
            new("UcmCx.sys", Framework, "class extension of Type-C connectors", SetupClass.ConnectorManager),
            new("UcmTcpciCx.sys", Framework, "class extension of Type-C port controllers", SetupClass.ConnectorManager),
            new("UcmUcsiCx.sys", Framework, "class extension of UCSI", SetupClass.ConnectorManager),
            new("usbd.sys", Library, "routines of client drivers"),
            new("usbxhci.sys", Layer, "xHCI host controller"),
            new("usbehci.sys", Layer, "EHCI host controller"),
            new("usbuhci.sys", Layer, "UHCI host controller"),
            new("usbohci.sys", Layer, "OHCI host controller"),
            new("usbhub.sys", Layer, "hubs, USB 2.0"),
            new("usbhub3.sys", Layer, "hubs, USB 3"),
            new("usbccgp.sys", Layer, "composite devices"),
        ]),
        new("Bluetooth", [Learn("bluetooth/bluetooth-driver-stack")],
        [
            new("bthport.sys", Layer, "HCI, L2CAP and SDP, which call profile drivers"),
            new("bthusb.sys", Layer, "transport over USB"),
            new("bthenum.sys", Layer, "bus of Bluetooth services"),
            new("bthleenum.sys", Layer, "bus of Bluetooth LE devices"),
            new("Microsoft.Bluetooth.Legacy.LEEnumerator.sys", Layer, "the same, by its newer name"),
        ]),
        new("GPIO, simple peripheral buses and serial ports",
        [
            Learn("gpio/driver-support-methods-in-the-gpioclx-ddi"), Learn("gettingstarted/extensions-and-driver-triples"),
            Learn("serports/"),
        ],
        [
            new("msgpioclx.sys", Framework, "class extension of GPIO controllers"),
            new("SpbCx.sys", Framework, "class extension of I2C and SPI controllers"),
            new("SerCx.sys", Framework, "class extension of serial controllers, version 1"),
            new("SerCx2.sys", Framework, "class extension of serial controllers, version 2"),
        ]),
        new("IEEE 1394", [Learn("ieee/ieee-1394-bus-driver-in-windows-7")],
        [
            new("1394ohci.sys", Layer, "bus and host controller"),
            new("1394bus.sys", Layer, "bus, before Windows 7"),
            new("ohci1394.sys", Layer, "host controller, before Windows 7"),
        ]),
        new("PCI", [Learn("kernel/windows-kernel-mode-hal-library"), Learn("gettingstarted/device-nodes-and-device-stacks")],
        [
            new("pci.sys", Layer, "bus"),
        ]),
        new("Batteries and smart cards", [Learn("battery/battery-class-driver-functionality"), Learn("ddi/smclib/")],
        [
            new("battc.sys", Framework, "class driver of battery miniclass drivers", SetupClass.Battery),
            new("smclib.sys", Library, "library of smart card reader drivers"),
        ]),
        new("Hyper-V",
        [
            Learn("ddi/vmbuskernelmodeclientlibapi/"), Learn("network/overview-of-the-hyper-v-extensible-switch"),
            "https://learn.microsoft.com/virtualization/hyper-v-on-windows/reference/hyper-v-architecture",
        ],
        [
            new("vmbkmcl.sys", Framework, "client library of VMBus channels, in guests"),
            new("vmbkmclr.sys", Framework, "client library of VMBus channels, in the root partition"),
            new("vmbus.sys", Layer, "VMBus, in guests"),
            new("vmbusr.sys", Layer, "VMBus, in the root partition"),
            new("vpci.sys", Layer, "virtual PCI bus"),
            new("vmswitch.sys", Layer, "virtual switch, which calls its extensions"),
            new("winhv.sys", Library, "calls of the hypervisor, in guests"),
            new("winhvr.sys", Library, "calls of the hypervisor, in the root partition"),
        ]),
        new("Other libraries",
        [
            Learn("ddi/wmilib/"), Learn("kernel/introduction-to-the-common-log-file-system"),
            Learn("whea/platform-specific-hardware-error-driver-plug-ins2"),
            "https://learn.microsoft.com/windows/win32/seccng/cng-features",
            "https://learn.microsoft.com/windows/security/security-foundations/certification/fips-140-validation",
        ],
        [
            new("wmilib.sys", Library, "WMI requests of drivers"),
            new("clfs.sys", Library, "common log file system"),
            new("cng.sys", Library, "cryptography"),
            new("ksecdd.sys", Library, "security support for the kernel"),
            new("ci.dll", Library, "code integrity"),
            new("pshed.dll", Library, "hardware errors of the platform"),
        ]),
    ];

    /// <summary>Drivers that come with Windows and do their work themselves: nobody installs another version of one.</summary>
    /// <remarks>
    /// Sources: learn.microsoft.com/windows-hardware/drivers/usbcon/supported-usb-classes (USB),
    /// learn.microsoft.com/windows-hardware/drivers/audio/class-drivers and .../bluetooth/bluetooth-driver-stack (audio, Bluetooth),
    /// learn.microsoft.com/windows-hardware/drivers/storage/stornvme-command-set-support and .../storage/storage-miniport-drivers (disks),
    /// learn.microsoft.com/windows-hardware/drivers/network/overview-of-hyper-v-virtual-machine-network and .../ifs/allocated-altitudes
    /// (guests, file systems).
    /// </remarks>
    public static IReadOnlyList<string> Inbox { get; } =
    [
        "usbaudio.sys", "usbaudio2.sys", "usbvideo.sys", "usbstor.sys", "uaspstor.sys", "usbser.sys", "usbprint.sys", "winusb.sys",
        "hdaudio.sys", "BthA2dp.sys", "BthHfEnum.sys", "BthHfAud.sys", "rfcomm.sys", "bthpan.sys", "stornvme.sys", "storahci.sys",
        "storufs.sys", "storvsc.sys", "netvsc.sys", "atapi.sys", "intelide.sys", "pciide.sys", "WdFilter.sys", "WdNisDrv.sys", "cldflt.sys",
        "wcifs.sys", "bindflt.sys", "luafv.sys", "FileInfo.sys", "mrxsmb.sys", "mrxsmb10.sys", "mrxsmb20.sys", "srv.sys", "srv2.sys",
        "srvnet.sys", "http.sys", "netbt.sys", "tunnel.sys", "ndiswan.sys", "ndisuio.sys", "mslldp.sys", "bowser.sys", "intelppm.sys",
        "amdppm.sys", "processr.sys", "BasicDisplay.sys", "BasicRender.sys", "vhdmp.sys", "kdnic.sys", "mssmbios.sys", "serial.sys",
    ];

    /// <summary>What serves all devices behind a USB controller, keyboard and mouse among them.</summary>
    public static IReadOnlyList<string> UsbHosts { get; } =
    [
        "usbxhci.sys", "usbehci.sys", "usbuhci.sys", "usbohci.sys", "usbport.sys", "ucx01000.sys", "usbhub.sys", "usbhub3.sys",
        "usbccgp.sys",
    ];

    private static string Learn(string path) => "https://learn.microsoft.com/windows-hardware/drivers/" + path;
}
