using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Symbols.Tests.Finding;

public class SymbolPathTests
{
    private const string Microsoft = "https://msdl.microsoft.com/download/symbols";

    [Theory]
    [InlineData(@"srv*C:\cache*https://server/symbols", @"srv*C:\cache*https://server/symbols")]
    [InlineData(@"SRV*C:\cache*https://server/symbols", @"srv*C:\cache*https://server/symbols")]
    [InlineData(@"symsrv*symsrv.dll*C:\cache*\\server\share", @"srv*C:\cache*\\server\share")]
    [InlineData(@"SymSrv*SymSrv.DLL*C:\cache*\\server\share", @"srv*C:\cache*\\server\share")]
    [InlineData(@"srv*\\server\share", @"srv*\\server\share")]
    [InlineData("srv*https://server/symbols", "srv**https://server/symbols")]
    [InlineData("srv**https://server/symbols", "srv**https://server/symbols")]
    [InlineData("https://server:8080/symbols", "srv**https://server:8080/symbols")]
    [InlineData("srv*", "srv**" + Microsoft)]
    [InlineData("srv**", "srv**" + Microsoft)]
    [InlineData("symsrv*symsrv.dll", "srv**" + Microsoft)]
    [InlineData("cache*", "cache*")]
    [InlineData(@"Cache*D:\c", @"cache*D:\c")]
    [InlineData(@"C:\symbols", @"C:\symbols")]
    [InlineData("/var/symbols:more", "/var/symbols:more")]
    [InlineData(@" C:\a ; ;; \\server\share\b ;", @"C:\a;\\server\share\b")]
    [InlineData(@"srv*a*b*https://server/x", @"srv*a*b*https://server/x")]
    [InlineData(@"srv*a*a*b", "srv*a*b")]
    [InlineData("", "")]
    [InlineData(";;;", "")]
    public void Paths_are_read(string text, string expected) => Assert.Equal(expected, SymbolFolders.Parse(text).ToString());

    [Fact]
    public void Parts_keep_their_order_and_kind() => Assert.Collection(
        SymbolFolders.Parse(@"cache*C:\c;D:\plain;srv*E:\near*https://far/s;\\share\more").Elements,
        element => Assert.Equal(new SymbolCacheElement(new SymbolStoreLocation(@"C:\c")), element),
        element => Assert.Equal(new SymbolFolderElement(@"D:\plain"), element),
        element => Assert.Equal(
            new SymbolStoresElement([new SymbolStoreLocation(@"E:\near"), new SymbolStoreLocation("https://far/s")]), element),
        element => Assert.Equal(new SymbolFolderElement(@"\\share\more"), element));

    [Theory]
    [InlineData(@"symsrv*other.dll*C:\cache", "only symsrv.dll is known")]
    [InlineData("ftp://server/x", "another kind")]
    [InlineData("srv*a*ftp://server/x", "another kind")]
    [InlineData("cache*https://server/x", "server as a cache")]
    [InlineData("cache*a*b", "more than one cache")]
    [InlineData("server*a*b", "neither srv*, symsrv* nor cache*")]
    [InlineData("srv*a*https://", "damaged")]
    [InlineData("srv*1*2*3*4*5*6*7*8*9*10*11", "more than 10")]
    public void Parts_that_can_not_be_used_say_why_and_leave_the_rest(string text, string why)
    {
        SymbolPath path = SymbolFolders.Parse(@"C:\before;" + text + @";C:\after");
        Assert.Equal(3, path.Elements.Count);
        Assert.Contains(why, Assert.IsType<SymbolUnusableElement>(path.Elements[1]).Problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(@"%HOME_DIR%\symbols", @"C:\me\symbols")]
    [InlineData("srv*%HOME_DIR%*https://server/a%20b%20c", @"srv*C:\me*https://server/a%20b%20c")]
    [InlineData("%UNKNOWN%;%;%%", "%UNKNOWN%;%;%%")]
    [InlineData("100%%HOME_DIR%", @"100%C:\me")]
    [InlineData("%TWO%", @"a;srv*b*c")]
    public void Variables_are_replaced_once(string text, string expected)
    {
        Assert.True(SymbolPath.TryParse(
            text, name => name switch { "HOME_DIR" => @"C:\me", "TWO" => "a;srv*b*c", _ => null }, out SymbolPath? path, out _));
        Assert.Equal(expected, path.ToString());
    }

    [Fact]
    public void Variables_are_those_of_the_process_unless_told_otherwise()
    {
        string name = "TRACER_TEST_" + Guid.NewGuid().ToString("N");
        Environment.SetEnvironmentVariable(name, "folder");
        Assert.True(SymbolPath.TryParse($"srv*%{name}%*far", out SymbolPath? path, out _));
        Assert.Equal("srv*folder*far", path.ToString());
    }

    [Fact]
    public void What_is_no_path_at_all_is_refused()
    {
        Assert.False(SymbolPath.TryParse("C:\\a\0b", out _, out string? problem));
        Assert.Contains("control", problem, StringComparison.Ordinal);
        Assert.False(SymbolPath.TryParse(new string('a', SymbolPath.MaximumLength + 1), out _, out problem));
        Assert.Contains("32767", problem, StringComparison.Ordinal);
        Assert.False(SymbolPath.TryParse("%A%%A%", _ => new string('a', 20_000), out _, out problem));
        Assert.Contains("32767", problem, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_printed_is_read_as_the_same()
    {
        Gen<string> piece = Gen.Elements(
            "srv", "SRV", "symsrv", "symsrv.dll", "cache", "", " ", @"C:\a b", @"\\share\s", "https://h/p", "http://h:81/", "ftp://x",
            "x", "%A%", "https://", "é", ".");
        Gen<string> part = piece.ListOf().Select(pieces => string.Join('*', pieces));
        Gen<string> path = part.ListOf().Select(parts => string.Join(';', parts));
        Prop.ForAll(Arb.From(path), text =>
        {
            SymbolPath read = SymbolFolders.Parse(text);
            SymbolPath again = SymbolFolders.Parse(read.ToString());
            return read.Equals(again) && read.GetHashCode() == again.GetHashCode();
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void No_text_makes_it_throw() => Prop.ForAll(
        ArbMap.Default.ArbFor<string?>(),
        text => SymbolPath.TryParse(text ?? "", out SymbolPath? path, out string? problem) ? problem is null && path.ToString() is not null
            : problem is { Length: > 0 }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData("nic.pdb", "nic.pdb")]
    [InlineData(@"\SystemRoot\System32\drivers\nic.sys", "nic.sys")]
    [InlineData("/build/out/nic.pdb", "nic.pdb")]
    [InlineData(@"..\..\x", "x")]
    [InlineData("a/b", "b")]
    [InlineData("c++ (2).pdb", "c++ (2).pdb")]
    public void Only_the_last_part_of_a_path_is_taken(string path, string expected)
    {
        Assert.True(SymbolFileName.TryTake(path, out string? name, out string? problem), problem);
        Assert.Equal(expected, name);
    }

    [Theory]
    [InlineData("")]
    [InlineData("..")]
    [InlineData(@"..\..")]
    [InlineData(".")]
    [InlineData("a/")]
    [InlineData(".hidden")]
    [InlineData("nic.pdb.")]
    [InlineData("nic.pdb ")]
    [InlineData(" nic.pdb")]
    [InlineData("con")]
    [InlineData("CON.pdb")]
    [InlineData("nul .pdb")]
    [InlineData("Lpt1.sys")]
    [InlineData("nic\0.pdb")]
    [InlineData("nic\n.pdb")]
    [InlineData("C:nic.pdb")]
    [InlineData("nic.pdb:stream")]
    [InlineData("nic*.pdb")]
    [InlineData("nic?.pdb")]
    [InlineData("nic%2e.pdb")]
    [InlineData("n\u0456c.pdb")]
    [InlineData("nic\u2024pdb")]
    [InlineData("nic\u202Ebdp.sys")]
    public void Names_that_are_no_plain_file_names_are_refused(string path)
    {
        Assert.False(SymbolFileName.TryTake(path, out _, out string? problem));
        Assert.NotEmpty(problem);
    }

    [Fact]
    public void Very_long_names_are_refused()
    {
        Assert.True(SymbolFileName.TryTake(new string('a', 128), out _, out _));
        Assert.False(SymbolFileName.TryTake(new string('a', 129), out _, out _));
    }
}
