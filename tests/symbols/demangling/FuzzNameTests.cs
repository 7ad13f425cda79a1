using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Symbols.Tests.Demangling;

/// <summary>Names that nobody made: they are read or given back, and nothing else happens.</summary>
public class FuzzNameTests
{
    private static readonly string[] Pieces =
    [
        "?", "@", "@@", "$", "?$", "??", "?A", "$$", "0", "1", "9", "A", "B", "P", "PEA", "6A", "8", "XZ", "@Z", "YAXXZ", "V?$",
        "W4", "_N", "Y", "$0", "$1", "$H", "$M", "?0", "?1?", "_R1", "_7", "__E", "_C@_0", "_", "Z", "N",
        "E", "_ZN", "17h", "0123456789abcdef", "$LT$", "$u20$", "$u", "..", "1a", "3abc", "v", "i", ".", "99999999999", "A3_",
    ];

    private static readonly Lazy<string[]> Sound = new(() =>
    [
        .. HandMadeNameTests.Names.Select(row => row.Data.Item1),
    ]);

    [Fact]
    public void No_text_makes_it_throw() =>
        Prop.ForAll(ArbMap.Default.ArbFor<NonNull<string>>(), text => IsAnswered(text.Get)).QuickCheckThrowOnFailure();

    [Fact]
    public void No_rest_behind_a_prefix_makes_it_throw() =>
        Prop.ForAll(Arb.From(Gen.Elements("?", "??", "_ZN", "__ZN", "??_", "??$").SelectMany(
            prefix => Gen.ListOf(Gen.Elements(Pieces)).Select(pieces => prefix + string.Concat(pieces)))), IsAnswered)
            .Check(Config.QuickThrowOnFailure.WithMaxTest(2000).WithEndSize(60));

    [Fact]
    public void Damaged_names_are_read_or_given_back() => FuzzRun.Run("names", 20_000, random =>
    {
        string name = Sound.Value[random.Next(Sound.Value.Length)];
        for (int i = random.Next(1, 6); i > 0; i--)
        {
            int at = random.Next(name.Length + 1);
            int length = Math.Min(random.Next(4), name.Length - at);
            string other = Sound.Value[random.Next(Sound.Value.Length)];
            int from = random.Next(other.Length);
            name = random.Next(5) switch
            {
                0 => name.Remove(at, length),
                1 => name.Insert(at, Pieces[random.Next(Pieces.Length)]),
                2 => name.Remove(at, length).Insert(at, Pieces[random.Next(Pieces.Length)]),
                3 => string.Concat(name.AsSpan(0, at), other.AsSpan(from)),
                _ => name.Insert(at, string.Concat(Enumerable.Repeat(name.Substring(at, length), random.Next(200)))),
            };
        }

        Assert.True(IsAnswered(name));
    });

    private static bool IsAnswered(string name)
    {
        bool isFull = SymbolName.TryDemangle(name, NameForm.Full, out string full);
        bool isBrief = SymbolName.TryDemangle(name, NameForm.Short, out string brief);
        return isFull == isBrief && (isFull || (full == name && brief == name)) && full.Length < 1 << 20;
    }
}
