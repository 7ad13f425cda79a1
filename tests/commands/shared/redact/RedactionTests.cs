using System.Text.RegularExpressions;
using Tracer.AnalyzerShared.Redact;

namespace Tracer.Commands.Tests.Shared.Redact;

/// <summary>What is left of texts when their names are taken out.</summary>
public partial class RedactionTests
{
    [Theory]
    [InlineData("Intel(R) Ethernet Connection (7) I219-V", "Intel(R) Ethernet Connection (7) I219-V")]
    [InlineData("NVIDIA GeForce RTX 3080 Ti", "NVIDIA GeForce RTX 3080 Ti")]
    [InlineData("13th Gen Intel(R) Core(TM) i9-13900K", "* * Intel(R) Core(TM) i9-13900K")]
    [InlineData("Contoso VPN Adapter", "* * Adapter")]
    [InlineData("Headset of Anna", "* of *")]
    [InlineData("Adapter 10.77.203.158", "")]
    [InlineData("Adapter 5A-C7-91-E3-7B-D9", "")]
    [InlineData("Device 1111 2222 3333 4444 5555", "Device * * * * *")]
    [InlineData("Headset JD", "")]
    [InlineData("Audio of J D", "Audio of * *")]
    [InlineData("Audio JD42", "Audio *")]
    [InlineData("Audio of SK, TM and PS", "Audio of *, * and *")]
    [InlineData("Standard PS/2 Keyboard", "Standard PS/2 Keyboard")]
    [InlineData("Audio of A. B.", "Audio of *. *.")]
    [InlineData("Bluetooth 0171 234 5678", "Bluetooth * * *")]
    [InlineData("Modem +49 (171) 2345678", "")]
    [InlineData("Bluetooth 171 234 5678", "Bluetooth * * *")]
    [InlineData("Intel64 Family 6 Model 158 Stepping 10", "Intel64 Family 6 Model 158 Stepping 10")]
    [InlineData("Intel(R) Core(TM) i7-8700K CPU @ 3.70GHz", "Intel(R) Core(TM) i7-8700K CPU @ 3.70GHz")]
    [InlineData("Audio \u0416\u0449\u044a", "Audio *")]
    [InlineData("S4EWNX0R123456", "")]
    [InlineData("", "")]
    public void Descriptions_keep_what_many_devices_have(string text, string left) => Assert.Equal(left, HardwareText.Of(text));

    [Theory]
    [InlineData(@"PCI\VEN_8086&DEV_15BC&SUBSYS_86721043&REV_10\3&11583659&0&FE", "PCI\\VEN_8086&DEV_15BC&SUBSYS_86721043&REV_10")]
    [InlineData(@"USB\VID_046D&PID_C52B\SERIAL123", "USB\\VID_046D&PID_C52B")]
    [InlineData(@"USB\VID_046D&PID_C52B&SECRET_1\SERIAL123", "")]
    [InlineData(@"ROOT\ACME\0000", "")]
    [InlineData("anna", "")]
    public void Device_ids_keep_no_instance(string id, string left) => Assert.Equal(left, HardwareText.OfId(id));

    [Theory]
    [InlineData(@"\Device\HarddiskVolume3\Windows\System32\drivers\nic.sys", @"\Device\HarddiskVolume3\Windows\System32\drivers\")]
    [InlineData(@"\SystemRoot\System32\nic.sys", @"\SystemRoot\System32\")]
    [InlineData(@"C:\Users\Anna\Desktop\a.exe", @"C:\Users\user-1\Desktop\")]
    [InlineData(@"C:\users\ANNA\AppData\Local\Acme\a.exe", @"C:\users\user-1\AppData\Local\folder-1\")]
    [InlineData(@"C:\Users\Public\a.exe", @"C:\Users\Public\")]
    [InlineData(@"D:\Anna\a.exe", @"D:\user-1\")]
    [InlineData(@"\Device\Mup\server\share\a.exe", @"\Device\folder-1\folder-2\folder-3\")]
    [InlineData(@"C:\Windows\Temp\a.dll", @"C:\Windows\Temp\")]
    [InlineData(@"C:\Windows\Users\Temp\Acme\a.dll", @"C:\Windows\Users\user-2\folder-1\")]
    [InlineData(@"\SystemRoot\System32\DriverStore\FileRepository\nic.inf_amd64_0123456789abcdef\nic.sys",
        @"\SystemRoot\System32\DriverStore\FileRepository\folder-1\")]
    [InlineData(@"\\\", @"\\\")]
    [InlineData("a.exe", "")]
    public void Folders_are_known_or_numbered(string path, string folders)
    {
        var book = new NameBook();
        var paths = new PathRedaction(book);
        paths.Learn(@"""C:\Program Files\a.exe"" C:\Users\Anna -x");
        Assert.Equal(folders, paths.Of(path).Folders);
    }

    [Fact]
    public void One_name_has_one_number_whatever_its_case_and_names_are_taken_out_of_others()
    {
        var book = new NameBook();
        Assert.Equal("process-1.exe", book.Replacement(NameKind.Process, "Game.exe", ".exe"));
        Assert.Equal("process-1.exe", book.Replacement(NameKind.Process, "GAME.EXE", ".exe"));
        Assert.Equal("process-2.exe", book.Replacement(NameKind.Process, "b.exe", ".exe"));
        Assert.Equal("user-1", book.Replacement(NameKind.User, "annabel"));
        Assert.Equal("user-2", book.Replacement(NameKind.User, "max"));
        Assert.Equal("user-3", book.Replacement(NameKind.User, "a"));
        Assert.Equal("user-4", book.Replacement(NameKind.User, "admin"));
        Assert.Equal("user-1drv.sys", book.Without("AnnabelDrv.sys").ToLowerInvariant());
        Assert.Equal("maxdrv.sys", book.Without("maxdrv.sys")); // Short names are parts of too many words.
        Assert.Equal("user-2-drv.sys", book.Without("max-drv.sys"));
        Assert.Equal("a-b.sys", book.Without("a-b.sys"));
        Assert.Equal("vpnadmin.sys", book.Without("vpnadmin.sys"));
    }

    [Fact]
    public void A_replacement_is_never_a_name_that_stays()
    {
        var book = new NameBook();
        book.Reserve("process-1.exe");
        book.Reserve("driver-2.sys");
        string[] of = [.. Enumerable.Range(10, 4).Select(i => book.Replacement(NameKind.Process, $"process-{i}.exe", ".exe"))];
        Assert.Equal(["process-2.exe", "process-3.exe", "process-4.exe", "process-5.exe"], of);
        Assert.Equal("driver-1.sys", book.Replacement(NameKind.Driver, "driver-3.sys", ".sys"));
        Assert.Equal("driver-3.sys", book.Replacement(NameKind.Driver, "a.sys", ".sys"));
        Assert.Equal(
            (true, true, false, false),
            (NameBook.IsReplacement(NameKind.Device, "device-7"), NameBook.IsReplacement(NameKind.Company, "Company-70"),
                NameBook.IsReplacement(NameKind.Device, "device-7 of Anna"), NameBook.IsReplacement(NameKind.Device, "Disk drive")));
    }

    [Fact]
    public void Modules_of_Windows_are_in_order_and_have_the_frameworks_and_no_name_twice()
    {
        string[] lines = File.ReadAllLines(Path.Combine(RepositoryFiles.Root, "analyzer", "shared", "redact", "WindowsModules.txt"));
        string[] names = [.. lines.Where(line => !line.StartsWith('#')).SelectMany(line => line.Split(' '))];
        Assert.InRange(names.Length, 2000, 10_000);
        Assert.Equal(names.Order(StringComparer.Ordinal), names);
        Assert.Equal(names.Length, names.Distinct(StringComparer.Ordinal).Count());
        Every.Item(names, name => Assert.Matches(@"^[a-z0-9_.\-]+\.(?:dll|sys|exe|drv|ocx|cpl|ax|acm|tlb|com)$", name));
        string frameworks = File.ReadAllText(
            Path.Combine(RepositoryFiles.Root, "analyzer", "analysis", "modules", "FrameworkTable.cs"));
        Every.Item(Module().Matches(frameworks), module => Assert.True(KnownNames.IsModule(module.Groups[1].Value), module.Value));
        Every.Item(
            ["acme.dll", "contoso.payroll.dll", "nvlddmkm.sys", "x.sys", "tor browser.exe"], name => Assert.False(KnownNames.IsFile(name)));
    }

    [GeneratedRegex("\"([A-Za-z0-9_.]+[.](?:sys|dll|exe))\"")]
    private static partial Regex Module();
}
