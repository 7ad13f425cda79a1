using Tracer.Capture.Merge;

namespace Tracer.Capture.Tests;

/// <summary>Names of image records become paths of local files, or nothing.</summary>
public sealed class NtPathsTests
{
    private readonly NtPaths _paths = new(
        @"C:\Windows", [new(@"\Device\HarddiskVolume3\", @"C:\"), new(@"\Device\HarddiskVolume30\", @"D:\")]);

    [Theory]
    [InlineData(@"\SystemRoot\System32\drivers\nic.sys", @"C:\Windows\System32\drivers\nic.sys")]
    [InlineData(@"\systemroot\system32\ntoskrnl.exe", @"C:\Windows\system32\ntoskrnl.exe")]
    [InlineData(@"\Device\HarddiskVolume3\Program Files\a.dll", @"C:\Program Files\a.dll")]
    [InlineData(@"\Device\HarddiskVolume30\a.dll", @"D:\a.dll")]
    [InlineData(@"\??\C:\Drivers\x.sys", @"C:\Drivers\x.sys")]
    [InlineData(@"C:\Drivers\x.sys", @"C:\Drivers\x.sys")]
    [InlineData(@"\Windows\System32\ntdll.dll", @"C:\Windows\System32\ntdll.dll")]
    [InlineData(@"\Device\HarddiskVolume9\a.dll", null)]
    [InlineData(@"\Device\Mup\server\share\a.dll", null)]
    [InlineData(@"\\server\share\a.dll", null)]
    [InlineData(@"\??\UNC\server\a.dll", null)]
    [InlineData(@"\SystemRoot\..\..\secret", null)]
    [InlineData("ntoskrnl.exe", null)]
    [InlineData("", null)]
    public void ANameBecomesAPath(string name, string? path) => Assert.Equal(path, _paths.PathOf(name));
}
