namespace Tracer.Simulator.Inventory;

/// <summary>The modules of Windows itself that a machine has: what they are called, how large they are, what they say they are.</summary>
internal static class SystemModules
{
    /// <summary>A module of Windows.</summary>
    /// <param name="Kilobytes">About how large it is, in KiB.</param>
    public readonly record struct SystemModule(ImageRole Role, string FileName, int Kilobytes, string Description);

    // What a machine in use has besides, with KiB.
    private const string Further = """
        atapi.sys:36 ataport.SYS:168 msahci.sys:44 PCIIDEX.SYS:64 amdxata.sys:44 PSHED.dll:80 WDFLDR.SYS:60 WMILIB.SYS:36 compbatt.sys:36
        BATTC.SYS:48 fileinfo.sys:80 msrpc.sys:376 pcw.sys:68 Fs_Rec.sys:40 spldr.sys:32 rdyboost.sys:232 mup.sys:72 hwpolicy.sys:36
        fvevol.sys:232 vga.sys:56 VIDEOPRT.SYS:148 RDPCDD.sys:36 rdpencdd.sys:36 rdprefmp.sys:36 wfplwf.sys:36 netbios.sys:60 wanarp.sys:108
        termdd.sys:80 discache.sys:60 dfsc.sys:120 blbdrive.sys:68 tunnel.sys:152 wmiacpi.sys:36 dxgmms1.sys:280 usbehci.sys:68
        vwifibus.sys:52 USBD.SYS:8 CmBatt.sys:20 CompositeBus.sys:64 AgileVpn.sys:88 rasl2tp.sys:144 ndistapi.sys:48 ndiswan.sys:188
        raspppoe.sys:108 raspptp.sys:132 rassstp.sys:104 swenum.sys:8 umbus.sys:72 vpchbus.sys:240 usbhub.sys:360 NDProxy.SYS:84
        ksthunk.sys:24 Dxapi.sys:48 dump_dumpata.sys:48 dump_atapi.sys:44 dump_dumpfve.sys:76 usbccgp.sys:116 usbvideo.sys:184 TSDDD.dll:40
        cdd.dll:156 ATMFD.DLL:388 luafv.sys:140 WudfPf.sys:132 nwifi.sys:332 ndisuio.sys:76 mpsdrv.sys:96 vwifimp.sys:40 mrxsmb10.sys:312
        mrxsmb20.sys:144 secdrv.SYS:44 srvnet.sys:196 tcpipreg.sys:72 srv.sys:608 fastfat.SYS:216 asyncmac.sys:44 hidusb.sys:48
        kbdhid.sys:52
        mouhid.sys:48 HDAudio.sys:340
        """;

    /// <summary>The modules of a release, the kernel and the HAL first as they are loaded.</summary>
    public static IEnumerable<SystemModule> Of(WindowsBuild build, MachineProfile profile, bool isInUse)
    {
        bool modern = build.IsModern;
        yield return new(ImageRole.Kernel, "ntoskrnl.exe", modern ? 10_600 : 5_900, "NT Kernel & System");
        yield return new(ImageRole.Hal, "hal.dll", modern ? 640 : 296, "Hardware Abstraction Layer DLL");
        yield return new(ImageRole.DriverFramework, "Wdf01000.sys", 840, "Kernel Mode Driver Framework Runtime");
        yield return new(ImageRole.NetworkFramework, "ndis.sys", 1_520, "Network Driver Interface Specification (NDIS)");
        yield return new(ImageRole.StorageFramework, "storport.sys", 600, "Microsoft Storage Port Driver");
        yield return new(ImageRole.GraphicsFramework, "dxgkrnl.sys", modern ? 3_900 : 980, "DirectX Graphics Kernel");
        yield return new(ImageRole.AudioFramework, "portcls.sys", 480, "Port Class (Class Driver for Port/Miniport Devices)");
        yield return new(ImageRole.NetworkStack, "tcpip.sys", modern ? 3_100 : 2_000, "TCP/IP Driver");
        yield return new(ImageRole.Acpi, "ACPI.sys", 800, "ACPI Driver for NT");
        yield return modern
            ? new(ImageRole.UsbController, "USBXHCI.SYS", 620, "USB XHCI Driver")
            : new(ImageRole.UsbController, "USBPORT.SYS", 352, "USB 1.1 & 2.0 Port Driver");
        bool isArm64 = profile == MachineProfile.Arm64;
        yield return isArm64
            ? new(ImageRole.KeyboardPort, "hidi2c.sys", 90, "I2C HID Miniport Driver")
            : new(ImageRole.KeyboardPort, "i8042prt.sys", 128, "i8042 Port Driver");
        yield return isArm64
            ? new(ImageRole.AudioBus, "Acx01000.sys", 500, "Audio Class Extension")
            : new(ImageRole.AudioBus, "HDAudBus.sys", 160, "High Definition Audio Bus Driver");
        yield return new(ImageRole.DiskClass, "CLASSPNP.SYS", 460, "SCSI Class System Dll");
        yield return new(ImageRole.FileSystem, "Ntfs.sys", 2_800, "NT File System Driver");
        yield return new(ImageRole.FilterFramework, "FLTMGR.SYS", 480, "Microsoft Filesystem Filter Manager");
        yield return new(ImageRole.Sockets, "afd.sys", 660, "Ancillary Function Driver for WinSock");
        yield return new(ImageRole.WindowSystem, modern ? "win32kbase.sys" : "win32k.sys", 3_000, "Base Win32k Kernel Driver");
        if (!isArm64)
        {
            yield return new(ImageRole.ProcessorPower, "intelppm.sys", 260, "Processor Device Driver");
        }

        if (profile.IsOfToday())
        {
            yield return new(ImageRole.HypervisorInterface, "winhvr.sys", 190, "Windows Hypervisor Root Interface Driver");
            yield return new(ImageRole.VirtualMachineBus, "vmbusr.sys", 260, "Virtual Machine Bus Root");
            yield return new(ImageRole.SystemOther, "dxgmms2.sys", 1_100, "DirectX Graphics MMS");
            yield return new(ImageRole.SystemOther, "symcryptk.dll", 420, "SymCrypt Kernel Library");
        }

        (string FileName, int Kilobytes, string Description)[] others =
        [
            ("kdcom.dll", 44, "Serial Kernel Debugger"), ("CI.dll", 900, "Code Integrity Module"),
            ("CLFS.SYS", 420, "Common Log File System"), ("BOOTVID.dll", 48, "VGA Boot Driver"),
            ("cng.sys", 740, "Kernel Cryptography, Next Generation"),
            ("ksecdd.sys", 170, "Kernel Security Support Provider Interface"),
            ("ksecpkg.sys", 190, "Kernel Security Support Provider"), ("NETIO.SYS", 600, "Network I/O Subsystem"),
            ("fwpkclnt.sys", 500, "FWP/IPsec Kernel-Mode API"), ("pci.sys", 480, "NT Plug and Play PCI Enumerator"),
            ("msisadrv.sys", 44, "ISA Driver"), ("vdrvroot.sys", 84, "Virtual Drive Root"), ("partmgr.sys", 200, "Partition driver"),
            ("volmgr.sys", 110, "Volume Manager Driver"), ("volmgrx.sys", 400, "Volume Manager Ext"),
            ("mountmgr.sys", 120, "Mount Point Manager"), ("volsnap.sys", 420, "Volume Shadow Copy driver"),
            ("disk.sys", 120, "PnP Disk Driver"), ("crashdmp.sys", 120, "Crash Dump Driver"), ("cdrom.sys", 200, "SCSI CD-ROM Driver"),
            ("Null.SYS", 40, "NULL Driver"), ("Beep.SYS", 40, "BEEP Driver"), ("watchdog.sys", 100, "Watchdog Driver"),
            ("Npfs.SYS", 110, "NPFS Driver"), ("Msfs.SYS", 70, "Mailslot driver"), ("tdx.sys", 150, "TDI Translation Driver"),
            ("TDI.SYS", 60, "TDI Wrapper"), ("netbt.sys", 340, "MBT Transport driver"),
            ("vwififlt.sys", 110, "Virtual WiFi Filter Driver"), ("pacer.sys", 180, "QoS Packet Scheduler"),
            ("rdbss.sys", 480, "Redirected Drive Buffering SubSystem"), ("nsiproxy.sys", 80, "NSI Proxy"),
            ("mssmbios.sys", 60, "System Management BIOS"), ("kbdclass.sys", 90, "Keyboard Class Driver"),
            ("mouclass.sys", 80, "Mouse Class Driver"), ("HIDCLASS.SYS", 250, "Hid Class Library"),
            ("HIDPARSE.SYS", 76, "Hid Parsing Library"), ("ks.sys", 460, "Kernel CSA Library"),
            ("drmk.sys", 120, "Audio Content Descrambler"), ("usbhub3.sys", 660, "USB3 HUB Driver"),
            ("monitor.sys", 130, "Monitor Driver"), ("HTTP.sys", 1_500, "HTTP Protocol Stack"),
            ("bowser.sys", 150, "NT Lan Manager Datagram Receiver"), ("mrxsmb.sys", 640, "Windows NT SMB Minirdr"),
            ("srv2.sys", 860, "SMB 2.0 Server"), ("lltdio.sys", 100, "Link-Layer Topology Mapper I/O"),
            ("rspndr.sys", 110, "Link-Layer Topology Responder"), ("peauth.sys", 840, "Protected Environment Authentication"),
            ("condrv.sys", 90, "Console Driver"),
        ];
        foreach ((string fileName, int kilobytes, string description) in others)
        {
            yield return new(ImageRole.SystemOther, fileName, kilobytes, description);
        }

        string[] further = isInUse ? Further.Split((char[])[' ', '\r', '\n'], StringSplitOptions.RemoveEmptyEntries) : [];
        foreach (string[] parts in further.Select(module => module.Split(':')))
        {
            yield return new(ImageRole.SystemOther, parts[0], int.Parse(parts[1], CultureInfo.InvariantCulture), "Windows driver");
        }
    }
}
