using System.Text;
using Tracer.TracerCommand.Commands.Service;

namespace Tracer.Capture.Tests;

/// <summary>The service's command line is read back as it was written, by Windows' rules; and who could become SYSTEM is found.</summary>
public sealed class ServiceCommandLineTests
{
    [Theory]
    [InlineData("plain")]
    [InlineData("")]
    [InlineData("with blank")]
    [InlineData("event:Contoso-Audio/33:Name=\"a,b\"")]
    [InlineData(@"C:\Program Data\")]
    [InlineData(@"C:\plain\")]
    [InlineData(@"copy ""%TRACER_FILE%"" \\server\share\")]
    [InlineData(@"\\\""")]
    [InlineData("tab\there")]
    public void AnArgumentIsReadBackAsItWas(string argument)
    {
        string line = ServiceCommandLine.Of(@"C:\Program Files\Tracer\tracer.exe", ["service", argument, "end"]);
        Assert.StartsWith("\"C:\\Program Files\\Tracer\\tracer.exe\" service ", line, StringComparison.Ordinal);
        Assert.Equal([@"C:\Program Files\Tracer\tracer.exe", "service", argument, "end"], WindowsReads(line));
    }

    [Fact]
    public void AnyTextOfTheDifficultCharactersIsReadBack()
    {
        var random = new Random(7);
        for (int i = 0; i < 2000; i++)
        {
            string[] arguments = [.. Enumerable.Range(0, 3).Select(_ => new string(
                [.. Enumerable.Range(0, random.Next(8)).Select(_ => "\\\" a"[random.Next(4)])]))];
            Assert.Equal(["p", .. arguments], WindowsReads(ServiceCommandLine.Of("p", arguments)));
        }
    }

    [Theory]
    [InlineData(0x1F01FFu, "S-1-5-32-545", false, false, true)] // Users have all.
    [InlineData(0x1200A9u, "S-1-5-32-545", false, false, false)] // Users read and execute.
    [InlineData(0x2u, "S-1-1-0", false, false, true)] // Everyone adds files.
    [InlineData(0x4u, "S-1-5-11", true, false, false)] // Folders above: users may add their own to a disk's root.
    [InlineData(0x40u, "S-1-5-11", true, false, true)] // But not replace what is in it.
    [InlineData(0x40000u, "S-1-5-21-1-2-3-1001", true, false, true)] // Nor change its access list.
    [InlineData(0x1F01FFu, "S-1-3-0", false, true, false)] // What creators get below it.
    [InlineData(0x1F01FFu, "S-1-5-18", false, false, false)]
    [InlineData(0x1F01FFu, "S-1-5-32-544", false, false, false)]
    [InlineData(0x10000000u, "S-1-5-32-545", false, false, true)] // GENERIC_ALL.
    public void WhoeverMayChangeItIsFound(uint rights, string sid, bool isAbove, bool isInheritOnly, bool isFound)
    {
        var entry = new AccessEntry(sid, rights, IsAllowed: true, isInheritOnly);
        Assert.Equal(isFound ? sid : null, FolderAccess.Stranger(FolderAccess.SystemSid, [entry], isAbove));
        Assert.Null(FolderAccess.Stranger(FolderAccess.AdministratorsSid, [entry with { IsAllowed = false }], isAbove));
    }

    [Fact]
    public void AnOwnerMayAlwaysChangeIt() =>
        Assert.Equal("S-1-5-21-1-2-3-1001", FolderAccess.Stranger("S-1-5-21-1-2-3-1001", [], isAbove: false));

    /// <summary>
    /// CommandLineToArgvW as Learn describes it, written anew: the program up to its closing quotation mark; then 2n backslashes and a
    /// quotation mark are n and a switch, 2n + 1 and one are n and the mark itself.
    /// </summary>
    private static List<string> WindowsReads(string line)
    {
        int end = line.IndexOf('"', 1);
        List<string> all = [line[1..end]];
        StringBuilder? one = null;
        bool isQuoted = false;
        for (int i = end + 1; i < line.Length; i++)
        {
            int backslashes = 0;
            for (; i < line.Length && line[i] == '\\'; i++)
            {
                backslashes++;
            }

            bool isMark = i < line.Length && line[i] == '"';
            if (backslashes > 0 || isMark)
            {
                one ??= new StringBuilder();
            }

            one?.Append('\\', isMark ? backslashes / 2 : backslashes);
            if (isMark)
            {
                if (backslashes % 2 == 1)
                {
                    one!.Append('"');
                }
                else
                {
                    isQuoted = !isQuoted;
                }
            }
            else if (i < line.Length && !isQuoted && line[i] is ' ' or '\t')
            {
                if (one is not null)
                {
                    all.Add(one.ToString());
                }

                one = null;
            }
            else if (i < line.Length)
            {
                (one ??= new StringBuilder()).Append(line[i]);
            }
        }

        if (one is not null)
        {
            all.Add(one.ToString());
        }

        return all;
    }
}
