using System.Text.RegularExpressions;
using Tracer.AnalyzerCommand.Commands.Blame;

namespace Tracer.Commands.Tests.Blame;

/// <summary>
/// <c>analyzer blame --style rtla</c>, read by a parser that knows nothing but the layout of the auto-analysis of rtla timerlat.
/// </summary>
public partial class RtlaTextTests
{
    [Fact]
    public void It_reads_as_stored() => GoldenText.AssertEqual("tests/commands/golden/reports/style-rtla.txt", TextOf(Made(), 10));

    [Fact]
    public void Nothing_is_printed_where_nothing_was_late() => Assert.Equal("", TextOf(BlameSamples.All["none"], 10));

    [Fact]
    public void The_worst_come_first_and_no_more_than_were_asked_for()
    {
        List<Block> blocks = Parse(TextOf(BlameSamples.All["thousand"], 3));
        Assert.Equal([1_599, 1_598, 1_597], blocks.Select(block => block.Total));
    }

    [Fact]
    public void Every_mechanism_is_on_its_line()
    {
        Block block = Parse(TextOf(Made(), 10))[0];
        Assert.Equal((1, 1_000m), (block.Cpu, block.Total));
        Assert.Equal(
            new Dictionary<string, decimal>
            {
                ["IRQ handler delay"] = 100,
                ["IRQ latency"] = 100,
                ["Timerlat IRQ duration"] = 0,
                ["Blocking thread"] = 200,
                ["IRQ interference"] = 50,
                ["Softirq interference"] = 400,
                ["Thread interference"] = 230,
                ["Unexplained"] = 20,
            },
            block.Lines);
        Assert.True(block.IsFromIdle);
        Assert.Equal(
            [
                ("virus.sys", 200), ("usbport.sys", 50), ("nic.sys", 300), ("slow.sys", 100), ("render_er.exe", 130),
                ("hard_page_faults", 100),
            ],
            block.Items);
        Assert.Equal(["virus.sys+0x20", "nic.sys!Poll"], block.Stack);
    }

    [Theory]
    [InlineData("driver")]
    [InlineData("masked")]
    [InlineData("hardware")]
    [InlineData("process")]
    [InlineData("ownerless")]
    [InlineData("thousand")]
    [InlineData("bare")]
    public void The_parts_of_each_block_add_up_to_its_total(string name)
    {
        BlameReport report = BlameSamples.All[name];
        List<Block> blocks = Parse(TextOf(report, int.MaxValue));
        Assert.Equal(report.Episodes.Count, blocks.Count);
        Every.Item(blocks, block =>
        {
            decimal sum = block.Lines.Where(line => line.Key != "IRQ latency").Sum(line => line.Value);
            Assert.InRange(sum - block.Total, -0.05m, 0.05m);
            Assert.InRange(block.Percents, block.Total == 0 ? 0 : 99.9m, 100.1m);
        });
    }

    [Fact]
    public void The_longest_way_out_of_an_idle_state_is_told_at_the_end() =>
        Assert.EndsWith("\nMax timerlat IRQ latency from idle: 60.00 us in cpu 1\n", TextOf(Made(), 10));

    private static BlameReport Made() => BlameSamples.All["process"] with
    {
        Episodes =
        [
            BlameSamples.Episode(
                0, ProbeKind.Thread, 5_000, 1_000, 1, BlameSamples.Audio,
                [
                    BlameSamples.Cause("nic.sys", Mechanism.Dpc, 300),
                    BlameSamples.Cause("virus.sys", Mechanism.RaisedIrql, 200),
                    BlameSamples.Cause("render er.exe", Mechanism.Thread, 130),
                    BlameSamples.Cause("slow.sys", Mechanism.DpcDeferred, 100),
                    BlameSamples.Cause(CulpritName.HardPageFaults, Mechanism.Paging, 100),
                    BlameSamples.Cause("power management", Mechanism.IdleExit, 60),
                    BlameSamples.Cause("usbport.sys", Mechanism.Isr, 50),
                    BlameSamples.Cause(CulpritName.HardwareOrFirmware, Mechanism.Blackout, 40),
                ],
                BlameSamples.Hit("virus.sys", "+0x20", 2), BlameSamples.Hit("nic.sys", "Poll", 1)),
            BlameSamples.Episode(
                1, ProbeKind.Gap, 9_000, 700, 0, null, [BlameSamples.Cause("vidcard.sys", Mechanism.Blackout, 700)],
                BlameSamples.Hit("vidcard.sys", "+0x22c0", 1)),
        ],
    };

    private static string TextOf(BlameReport report, int top)
    {
        using var output = new StringWriter();
        RtlaText.Write(report, top, output);
        return output.ToString();
    }

    private static List<Block> Parse(string text)
    {
        string[] lines = text.Split('\n');
        Assert.Equal("rtla timerlat hit stop tracing", lines[0]);
        List<Block> blocks = [];
        foreach (string line in lines[1..])
        {
            if (Head().Match(line) is { Success: true } head)
            {
                blocks.Add(new Block { Cpu = int.Parse(head.Groups["cpu"].Value, CultureInfo.InvariantCulture) });
            }
            else if (TotalLine().Match(line) is { Success: true } total)
            {
                blocks[^1].Total = Number(total);
                blocks[^1].IsIrq = total.Groups["what"].Value == "IRQ";
            }
            else if (PartLine().Match(line) is { Success: true } part)
            {
                blocks[^1].Lines.Add(part.Groups["what"].Value.Trim(), Number(part));
                blocks[^1].IsFromIdle |= part.Groups["idle"].Success;
                blocks[^1].Percents += part.Groups["percent"].Success
                    ? decimal.Parse(part.Groups["percent"].Value, CultureInfo.InvariantCulture)
                    : 0;
            }
            else if (ItemLine().Match(line) is { Success: true } item)
            {
                if (Number(item) > 0)
                {
                    blocks[^1].Items.Add((item.Groups["name"].Value, Number(item)));
                }
            }
            else if (FrameLine().Match(line) is { Success: true } frame)
            {
                blocks[^1].Stack.Add(frame.Groups["function"].Value);
            }
            else
            {
                Assert.Matches(
                    @"^(  Blocking thread:|\s+\S+:\d+|    Blocking thread stack trace|-{72}|Max timerlat IRQ latency from idle: .*)?$",
                    line);
            }
        }

        return blocks;
    }

    private static decimal Number(Match match) => decimal.Parse(match.Groups["us"].Value, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"^## CPU (?<cpu>\d+) hit stop tracing, analyzing it ##$")]
    private static partial Regex Head();

    [GeneratedRegex(@"^  (   )?(?<what>Thread|IRQ) latency:\s+(?<us>[\d.]+) us \(100%\)$")]
    private static partial Regex TotalLine();

    [GeneratedRegex(@"^  (?<what>[A-Z][A-Za-z ]+?):?\s+(?<idle>\(exit from idle\)\s+)?(?<us>[\d.]+) us( \((?<percent>[\d.]+) %\))?$")]
    private static partial Regex PartLine();

    [GeneratedRegex(@"^\s+(?<name>\S+):(?<id>\d+)\s+(?<us>[\d.]+) us$")]
    private static partial Regex ItemLine();

    [GeneratedRegex(@"^\s+-> (?<function>\S+)$")]
    private static partial Regex FrameLine();

    private sealed class Block
    {
        public int Cpu { get; init; }

        public decimal Total { get; set; }

        public bool IsIrq { get; set; }

        public bool IsFromIdle { get; set; }

        public decimal Percents { get; set; }

        public Dictionary<string, decimal> Lines { get; } = [];

        public List<(string Name, decimal Us)> Items { get; } = [];

        public List<string> Stack { get; } = [];
    }
}
