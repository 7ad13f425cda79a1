namespace Tracer.Symbols.Tests.Demangling;

/// <summary>Names made by hand, and what is made of names that are none.</summary>
public class HandMadeNameTests
{
    /// <summary>Decorated, full and short form, from the text beside this file.</summary>
    public static TheoryData<string, string, string> Names
    {
        get
        {
            string[] lines = [.. File.ReadAllLines(Path.Combine(RepositoryFiles.Root, "tests", "symbols", "demangling", "hand-made.txt"))
                .Where(line => line.Length > 0 && line[0] != '#')];
            TheoryData<string, string, string> names = [];
            for (int i = 0; i < lines.Length; i += 3)
            {
                names.Add(lines[i], lines[i + 1], lines[i + 2]);
            }

            return names;
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Each_name_has_its_full_and_its_short_form(string decorated, string full, string brief)
    {
        Assert.True(SymbolName.TryDemangle(decorated, NameForm.Full, out string readable));
        Assert.Equal(full, readable);
        Assert.Equal(brief, SymbolName.Demangle(decorated));
    }

    [Theory]
    [InlineData("")]
    [InlineData("?")]
    [InlineData("_Z")]
    [InlineData("main")]
    [InlineData("_DriverEntry@8")]
    [InlineData("??@a6a285da2eea70dba6b578022be61d81@")]
    [InlineData("?f@@YAX")]
    [InlineData("?f@@YAXXZ extra")]
    [InlineData("_Z1fv")]
    [InlineData("_ZN2ns1H1fEv")]
    [InlineData("_ZN17h0123456789abcdefE")]
    [InlineData("_ZN1a17h0123456789abcdef")]
    [InlineData("_ZN1a17h0123456789abcdeXE")]
    [InlineData("_ZN1a17h0123456789abcdefEv")]
    [InlineData("_ZN99999999999999999999a17h0123456789abcdefE")]
    [InlineData("_ZN99a17h0123456789abcdefE")]
    [InlineData("_ZN0E")]
    [InlineData("?f@@3H\u00e4")]
    public void What_is_no_decorated_name_stays_as_it_is(string name)
    {
        Assert.False(SymbolName.TryDemangle(name, NameForm.Full, out string readable));
        Assert.Equal(name, readable);
        Assert.Equal(name, SymbolName.Demangle(name));
    }

    [Fact]
    public void Names_that_go_on_without_end_are_given_up()
    {
        string[] hostile =
        [
            "?x@@3" + new string('P', 30_000),
            "?x@@3" + string.Concat(Enumerable.Repeat("PEA", 10_000)) + "HA",
            "??$" + string.Concat(Enumerable.Repeat("f@V?$", 6_000)),
            string.Concat(Enumerable.Repeat("?x@?1?", 5_000)),
            "?f@@YA" + string.Concat(Enumerable.Repeat("P6A", 10_000)) + "X" + string.Concat(Enumerable.Repeat("XZ", 100)),
            "_ZN" + string.Concat(Enumerable.Repeat("1a", 15_000)),
            "_ZN" + new string('9', 30_000),
        ];

        // On a small stack, too: reports are also made on threads of pools.
        bool areGivenBack = false;
        var thread = new Thread(
            () => areGivenBack = Array.TrueForAll(hostile, name => SymbolName.Demangle(name, NameForm.Full) == name),
            maxStackSize: 256 * 1024);
        thread.Start();
        thread.Join();
        Assert.True(areGivenBack);
    }

    /// <summary>A name that means a text of 2^25 parts by referring back to itself.</summary>
    [Fact]
    public void A_name_that_doubles_at_each_step_is_given_up()
    {
        string microsoft = "?f@@YAXV?$a@H@@";
        for (int i = 0; i < 25; i++)
        {
            microsoft += "V?$a@V0@V0@@@" + (i % 10);
        }

        string readable = SymbolName.Demangle(microsoft + "@Z", NameForm.Full);
        Assert.True(readable.Length < 1 << 20);
    }
}
