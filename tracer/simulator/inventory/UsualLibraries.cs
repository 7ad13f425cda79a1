namespace Tracer.Simulator.Inventory;

/// <summary>
/// The libraries of Windows that programs have mapped: how often each was found in the 83 processes of a machine in use (a public trace of
/// Windows 7: randomascii/bigfiles, "2011-08-29 slow ppt trace"), and how large it is.
/// </summary>
internal static class UsualLibraries
{
    // Name without .dll, processes of a hundred that have it, KiB.
    private const string Found = """
        advapi32:99:876 rpcrt4:99:1204 sechost:99:124 usp10:95:804 user32:95:1000 lpk:95:56 gdi32:95:412 msctf:93:1060
        imm32:93:184 cryptbase:89:60 ole32:86:2060 oleaut32:82:860 shlwapi:67:452 clbcatq:65:612 rpcrtremote:63:80
        sspicli:59:384 rsaenh:58:284 cryptsp:58:92 cfgmgr32:58:216 setupapi:55:1884 devobj:55:104 profapi:52:60
        crypt32:52:1436 msasn1:52:60 shell32:52:12584 nsi:43:32 ws2_32:42:308 version:42:48 wintrust:41:232
        uxtheme:40:344 comctl32:40:2000 psapi:36:20 secur32:35:44 wldap32:35:328 userenv:34:120 wtsapi32:31:68
        ntmarta:31:180 credssp:30:40 apphelp:29:304 winsta:29:244 dwmapi:29:96 iphlpapi:27:156 winnsi:27:44
        propsys:27:1200 mswsock:24:340 wshtcpip:23:28 wship6:22:28 gpapi:20:108 dhcpcsvc:20:96 sxs:19:580 netutils:19:36
        dhcpcsvc6:19:68 bcrypt:19:92 slc:18:44 dnsapi:18:364 ncrypt:17:224 bcryptprimitives:17:244 fwpuclnt:17:332
        winspool.drv:17:452 srvcli:16:140 wkscli:16:60 wininet:16:1128 urlmon:16:1088 iertutil:16:1760 normaliz:16:12
        devrtl:14:56 atl:13:100 nlaapi:13:64 powrprof:13:176 authz:12:188 webio:12:316 winhttp:12:352 ntdsapi:12:156
        firewallapi:12:748 rasadhlp:12:24 samcli:12:60 wbemcomn:11:536 fastprox:11:904 wbemsvc:11:80 msi:11:2304
        xmllite:11:188 mmdevapi:11:300 msxml6:11:1376 gdiplus:11:2132 winmm:11:200 comdlg32:11:492 windowscodecs:10:1004
        mpr:10:72 wbemprox:10:60 audioses:10:316 cscapi:10:60 samlib:10:72 msimg32:10:28 schannel:8:232 sensapi:8:24
        wevtapi:8:436 cabinet:8:108 pcwum:8:52 sfc:8:12 sfc_os:8:52 imagehlp:8:168 avrt:8:36 npmproxy:8:32 msxml3:8:1872
        cryptdll:7:80 actxprxy:7:312 netapi32:7:68 es:7:412 oleacc:7:336 logoncli:6:192 cryptnet:6:112 spinf:6:124
        winrnr:6:32 ieproxy:6:200 fundisc:6:204 rasman:6:84 rtutils:6:52 rasapi32:6:328 netprofm:6:360 ntshrui:6:512
        netjoin:5:200 msiltcfg:5:36 wmiutils:5:152 tquery:5:2280 dbghelp:5:1428 winscard:5:140 vssapi:5:1728 wer:5:496
        ssdpapi:5:68 esent:5:2536 vsstrace:5:92 mlang:5:236 dciman32:5:24 ddraw:5:924 ksuser:5:24 linkinfo:5:36
        msvcp90:5:568 mssprxy:5:116 shfolder:5:20 msv1_0:4:324 dssenh:4:200 kerberos:4:720 sysntfy:4:40 fdproxy:4:92
        umb:4:76 hid:4:44 ncobjapi:4:88 webservices:4:1148 wsdapi:4:580 msacm32:4:80 midimap:4:28 msacm32.drv:4:32
        wdmaud.drv:4:192 nlslexicons0009:4:2572 duser:4:268 dxgi:4:524 atl90:4:172 msftedit:4:592 ieframe:4:9492
        naturallanguage6:4:1312 nlsdata0009:4:6140 msls31:4:172 wsock32:4:28 winbrand:4:28 clr:4:6592 nlssorting:4:64
        clrjit:4:384
        """;

    /// <summary>All of them, the most frequent first.</summary>
    public static IReadOnlyList<Library> All { get; } =
        [.. Found.Split((char[])[' ', '\r', '\n'], StringSplitOptions.RemoveEmptyEntries).Select(Parse)];

    private static Library Parse(string text)
    {
        string[] parts = text.Trim().Split(':');
        string name = parts[0].Contains('.', StringComparison.Ordinal) ? parts[0] : parts[0] + ".dll";
        return new Library(
            name, int.Parse(parts[1], CultureInfo.InvariantCulture) / 100.0, int.Parse(parts[2], CultureInfo.InvariantCulture));
    }

    /// <param name="Share">In how many processes it is, 0 to 1.</param>
    public readonly record struct Library(string Name, double Share, int Kilobytes);
}
