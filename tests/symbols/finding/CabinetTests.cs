using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Symbols.Tests.Finding;

public class CabinetTests
{
    private const int Maximum = 64 << 20;

    private static byte[] Expand(byte[] cabinet, long maximum = Maximum)
    {
        Assert.True(CabinetFile.TryRead(SymbolBytes.Of(cabinet), out CabinetFile? file, out string? problem), problem);
        using MemoryStream expanded = new();
        Assert.True(file.TryExpand(expanded, maximum, out problem, TestContext.Current.CancellationToken), problem);
        Assert.Equal(file.Length, expanded.Length);
        return expanded.ToArray();
    }

    private static string ProblemOf(byte[] cabinet, long maximum = Maximum)
    {
        if (CabinetFile.TryRead(SymbolBytes.Of(cabinet), out CabinetFile? file, out string? problem))
        {
            Assert.False(file.TryExpand(new MemoryStream(), maximum, out problem, TestContext.Current.CancellationToken));
        }

        return problem!;
    }

    /// <summary>Text that repeats itself over the edges of blocks, at every distance up to 32 KB and with noise between.</summary>
    private static byte[] Text(int length)
    {
        Random random = new(length);
        StringBuilder text = new();
        while (text.Length < length)
        {
            string end = random.Next(9) == 0 ? new string('=', random.Next(400)) : " of nic.sys; ";
            text.Append("procedure ").Append(random.Next(500)).Append(end);
        }

        return Encoding.Latin1.GetBytes(text.ToString(0, length));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(32_767)]
    [InlineData(32_768)]
    [InlineData(32_769)]
    [InlineData(65_536)]
    [InlineData(300_001)]
    public void Mszip_is_expanded_with_the_blocks_before_as_history(int length)
    {
        byte[] text = Text(length);
        byte[] cabinet = new HandMadeCabinet().Make(text);
        Assert.Equal(text, Expand(cabinet));
        Assert.Equal(text, Expand(new HandMadeCabinet { Window = 0 }.Make(text)));
        Assert.Equal(text, Expand(new HandMadeCabinet { HasCheckSums = false }.Make(text)));
        Assert.Equal(text, Expand(new HandMadeCabinet { Reserve = 7 }.Make(text)));
        Assert.Equal(text, Expand(new HandMadeCabinet { Method = 0 }.Make(text)));
    }

    /// <summary>The test would show nothing if blocks did not repeat what the ones before them have.</summary>
    [Fact]
    public void The_fixtures_use_the_history() =>
        Assert.True(new HandMadeCabinet().Make(Text(300_001)).Length < new HandMadeCabinet { Window = 0 }.Make(Text(300_001)).Length);

    [Fact]
    public void What_gcab_compresses_is_expanded()
    {
        string? gcab = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
            .Select(folder => Path.Combine(folder, "gcab")).FirstOrDefault(File.Exists);
        Assert.SkipWhen(gcab is null, "gcab is not here (package gcab)");
        using SymbolFolders folders = new();
        byte[] text = [.. Text(200_000), .. File.ReadAllBytes(typeof(CabinetTests).Assembly.Location)];
        string file = folders.Put("nic.pdb", text);
        string cabinet = folders["nic.pd_"];
        ChildProcess.Output(gcab!, "-c", "-z", "-n", cabinet, file);
        Assert.Equal(text, Expand(File.ReadAllBytes(cabinet)));
        ChildProcess.Output(gcab!, "-c", "-n", cabinet, file);
        Assert.Equal(text, Expand(File.ReadAllBytes(cabinet)));
    }

    [Theory]
    [InlineData(2, "Quantum")]
    [InlineData(0x1503, "LZX")]
    [InlineData(9, "unknown way (9)")]
    public void Other_compressions_are_told_apart(ushort method, string word) =>
        Assert.Contains(word, ProblemOf(new HandMadeCabinet { Method = method }.Make(Text(100))), StringComparison.Ordinal);

    [Theory]
    [InlineData("SZDD\u0088\u00f0\u0027\u0033A________________________________________", "COMPRESS.EXE")]
    [InlineData("Microsoft C/C++ MSF 7.00", "not a cabinet")]
    [InlineData("", "not a cabinet")]
    public void What_is_no_cabinet_is_told(string bytes, string word) =>
        Assert.Contains(word, ProblemOf(Encoding.Latin1.GetBytes(bytes)), StringComparison.Ordinal);

    [Fact]
    public void A_wrong_checksum_is_told()
    {
        byte[] cabinet = new HandMadeCabinet().Make(Text(100));
        cabinet[^1] ^= 1;
        Assert.Contains("checksum", ProblemOf(cabinet), StringComparison.Ordinal);
    }

    [Fact]
    public void Parts_of_several_cabinets_and_several_files_are_refused()
    {
        byte[] cabinet = new HandMadeCabinet().Make(Text(100));
        byte[] linked = (byte[])cabinet.Clone();
        linked[30] = 1;
        Assert.Contains("several cabinets", ProblemOf(linked), StringComparison.Ordinal);
        byte[] several = (byte[])cabinet.Clone();
        several[28] = 2;
        Assert.Contains("just one file", ProblemOf(several), StringComparison.Ordinal);
    }

    [Fact]
    public void Every_cut_is_told()
    {
        byte[] cabinet = new HandMadeCabinet().Make(Text(2_000));
        for (int length = 0; length < cabinet.Length; length++)
        {
            Assert.NotEmpty(ProblemOf(cabinet[..length]));
        }
    }

    [Fact]
    public void A_file_that_claims_more_than_its_blocks_give_is_told() => Assert.Contains(
        "ends before", ProblemOf(new HandMadeCabinet { ClaimedLength = 50_000 }.Make(Text(40_000))), StringComparison.Ordinal);

    [Fact]
    public void Nothing_is_expanded_beyond_the_limit()
    {
        // 1,000 blocks of zeros: 32 MB from some 130 KB.
        byte[] bomb = new HandMadeCabinet { HasCheckSums = false }.Make(new byte[32 << 20]);
        Assert.True(bomb.Length < 1 << 20);
        Assert.Contains("more than the 1000000", ProblemOf(bomb, 1_000_000), StringComparison.Ordinal);
    }

    [Fact]
    public void Expanding_takes_no_more_memory_for_larger_files()
    {
        byte[] bomb = new HandMadeCabinet { HasCheckSums = false }.Make(new byte[32 << 20]);
        Assert.True(CabinetFile.TryRead(SymbolBytes.Of(bomb), out CabinetFile? file, out _));
        Assert.True(file.TryExpand(Stream.Null, Maximum, out _, TestContext.Current.CancellationToken));
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.True(file.TryExpand(Stream.Null, Maximum, out _, TestContext.Current.CancellationToken));
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(allocated < 16 << 20, $"{allocated} bytes for 1,024 blocks");
    }

    [Fact]
    public void Damaged_cabinets_are_expanded_or_refused()
    {
        byte[][] sound =
        [
            new HandMadeCabinet { HasCheckSums = false }.Make(Text(70_000)),
            new HandMadeCabinet { HasCheckSums = false, Reserve = 3 }.Make(Text(33_000)),
            new HandMadeCabinet { Method = 0 }.Make(Text(40_000)),
        ];
        FuzzRun.Run("cabinets", 1_500, random =>
        {
            byte[] bytes = (byte[])sound[random.Next(sound.Length)].Clone();
            for (int i = random.Next(1, 8); i > 0; i--)
            {
                int at = random.Next(3) == 0 ? random.Next(bytes.Length) : random.Next(Math.Min(bytes.Length, 90));
                bytes[at] = random.Next(3) switch { 0 => 0xFF, 1 => 0, _ => (byte)random.Next(256) };
            }

            AssertEndsWell(random.Next(6) == 0 ? bytes[..random.Next(bytes.Length)] : bytes);
        });
    }

    [Fact]
    public void No_bytes_make_it_throw() => Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), bytes =>
    {
        AssertEndsWell([.. "MSCF"u8, .. bytes]);
        byte[] cabinet = new HandMadeCabinet { HasCheckSums = false }.Make(Text(200));
        bytes.AsSpan(0, Math.Min(bytes.Length, cabinet.Length - 90)).CopyTo(cabinet.AsSpan(90));
        AssertEndsWell(cabinet);
    }).QuickCheckThrowOnFailure();

    private static void AssertEndsWell(byte[] bytes)
    {
        const int limit = 1 << 20;
        using MemoryStream expanded = new();
        string? problem;
        if (CabinetFile.TryRead(SymbolBytes.Of(bytes), out CabinetFile? file, out problem)
            && file.TryExpand(expanded, limit, out problem, TestContext.Current.CancellationToken))
        {
            Assert.Equal(file.Length, expanded.Length);
        }
        else
        {
            Assert.NotEmpty(problem!);
        }

        Assert.True(expanded.Length <= limit);
    }
}
