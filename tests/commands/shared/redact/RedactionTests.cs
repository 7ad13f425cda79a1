using Tracer.AnalyzerShared.Redact;

namespace Tracer.Commands.Tests.Shared.Redact;

/// <summary>What is left of texts when their names are taken out.</summary>
public class RedactionTests
{
    [Theory]
    [InlineData("Intel(R) Ethernet Connection (7) I219-V", "Intel(R) Ethernet Connection (7) I219-V")]
    [InlineData("NVIDIA GeForce RTX 3080 Ti", "NVIDIA GeForce RTX 3080 Ti")]
    [InlineData("13th Gen Intel(R) Core(TM) i9-13900K", "13th * Intel(R) Core(TM) i9-13900K")]
    [InlineData("Contoso VPN Adapter", "* * Adapter")]
    [InlineData("Headset of Anna", "* of *")]
    [InlineData("Adapter 10.77.203.158", "")]
    [InlineData("Adapter 5A-C7-91-E3-7B-D9", "")]
    [InlineData("Device 1111 2222 3333 4444 5555", "Device 1111 2222 3333 4444 *")]
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
    [InlineData(@"\Device\HarddiskVolume3\Windows\System32\drivers\nic.sys", @"\Device\HarddiskVolume3\Windows\System32\drivers\", true)]
    [InlineData(@"\SystemRoot\System32\nic.sys", @"\SystemRoot\System32\", true)]
    [InlineData(@"C:\Users\Anna\Desktop\a.exe", @"C:\Users\user-1\Desktop\", false)]
    [InlineData(@"C:\users\ANNA\AppData\Local\Acme\a.exe", @"C:\users\user-1\AppData\Local\folder-1\", false)]
    [InlineData(@"C:\Users\Public\a.exe", @"C:\Users\Public\", false)]
    [InlineData(@"D:\Anna\a.exe", @"D:\user-1\", false)]
    [InlineData(@"\Device\Mup\server\share\a.exe", @"\Device\folder-1\folder-2\folder-3\", false)]
    [InlineData(@"C:\Windows\Temp\a.dll", @"C:\Windows\Temp\", false)]
    [InlineData(@"C:\Windows\Users\Temp\Acme\a.dll", @"C:\Windows\Users\user-2\folder-1\", false)]
    [InlineData(@"\SystemRoot\System32\DriverStore\FileRepository\nic.inf_amd64_0123456789abcdef\nic.sys",
        @"\SystemRoot\System32\DriverStore\FileRepository\nic.inf_amd64_0123456789abcdef\", true)]
    [InlineData(@"\\\", @"\\\", false)]
    [InlineData("a.exe", "", false)]
    public void Folders_are_known_or_numbered(string path, string folders, bool isOfWindows)
    {
        var book = new NameBook();
        var paths = new PathRedaction(book);
        paths.Learn(@"""C:\Program Files\a.exe"" C:\Users\Anna -x");
        RedactedPath redacted = paths.Of(path);
        Assert.Equal((folders, isOfWindows), (redacted.Folders, redacted.IsOfWindows));
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
        Assert.Equal("process-3.exe", book.Replacement(NameKind.Process, "launcher.exe", ".exe"));
        Assert.True(book.TellsProcess("LauncherHook.dll"));
        Assert.False(book.TellsProcess("gamehook.dll")); // Four letters are too few to tell.
    }
}
