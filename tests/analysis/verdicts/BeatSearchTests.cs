using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>When a suspect's work begins, whether a victim waited for it or not, shows its beat.</summary>
public class BeatSearchTests
{
    private static readonly int[] Beat = [.. Enumerable.Range(1, 9).Select(i => 80 * i)];
    private static readonly int[] Odd = [51, 93, 203, 262, 341, 389, 470, 563, 644];

    /// <summary>CPU 0 stops at a beat; that CPU 1 stops at odd times is another matter.</summary>
    [Fact]
    public void Blackouts_of_one_cpu_have_the_beat_of_that_cpu()
    {
        BlameReport report = Stopped([("cpu0", Beat, 1_900), ("cpu1", Odd, 1_500)]);
        Assert.Equal((CulpritName.HardwareOrFirmware, 80.0), (report.Summary.Culprit, Milliseconds(report)));
    }

    /// <summary>Both stop together at a beat; that CPU 1 stops alone at odd times is another matter.</summary>
    [Fact]
    public void Blackouts_of_the_machine_have_the_beat_of_those_of_the_machine()
    {
        BlameReport report = Stopped([("cpu0", Beat, 1_900), ("cpu1", [.. Beat, .. Odd], 1_900)]);
        Assert.Equal((CulpritName.HardwareOrFirmware, 80.0), (report.Summary.Culprit, Milliseconds(report)));
    }

    /// <summary>CPU 0 stops alone at a beat; that it stops for less, with the whole machine, at odd times is another matter.</summary>
    [Fact]
    public void Blackouts_of_one_cpu_are_not_those_of_the_machine()
    {
        BlameReport report = Stopped([("cpu0", Beat, 1_900), ("cpu0", Odd, 1_500), ("cpu1", Odd, 1_500)], threshold: 1_600);
        Assert.Equal((CulpritName.HardwareOrFirmware, 80.0), (report.Summary.Culprit, Milliseconds(report)));
    }

    /// <summary>A DPC comes on a beat, and a method of the firmware begins so long before it.</summary>
    [Theory]
    [InlineData(900, "at the same time")]
    [InlineData(1_100, "1.1 ms after it")]
    public void What_comes_within_a_millisecond_comes_at_the_same_time(int before, string when)
    {
        BlameReport report = BlamedText.Of($"""
            cpus 1
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image tick.sys     0xFFFFF800_20000000 0x100000
            every 250ms from 101ms to 1901ms : +0us cpu0 timer-dpc tick.sys+0x100 from -1000us
            every 250ms from {100_000 - before}us to 1901ms : +0us cpu0 acpi-method \_GPE._L17
            every 250ms from {100_100 - before}us to 1901ms : +0us cpu0 acpi-method \_GPE._L17 end took 100us
            """);
        Assert.Contains(
            @"In step with the firmware's method \_GPE._L17: 8 of 8 times " + when + ".", report.Culprits[0].Evidence);
    }

    [Fact]
    public void Blackouts_at_odd_times_have_none() =>
        Assert.Null(Stopped([("cpu0", Odd, 1_900), ("cpu1", [], 1_900)]).Culprits[0].Period);

    /// <summary>
    /// A thread of work.exe runs for 4 ms every 100 ms, and others wait for some of that. That it runs at odd times as well counts from a
    /// quarter of that length on.
    /// </summary>
    [Theory]
    [InlineData(1_000, false)]
    [InlineData(999, true)]
    public void Runs_of_a_thread_count_from_a_quarter_of_the_longest_on(int others, bool hasBeat)
    {
        List<string> lines = [];
        for (int i = 1; i <= 20; i++)
        {
            int at = 100_000 * i;
            bool isMet = i is 2 or 3 or 7 or 12 or 18;
            lines.Add($"{at}us cpu0 switch 0(0) -> 310(24)");
            lines.Add(isMet ? $"{at}us cpu0 ready 410" : "");
            lines.Add($"{at + 4_000}us cpu0 switch 310(24) -> {(isMet ? "410(20)" : "0(0)")}");
            lines.Add(isMet ? $"{at + 4_100}us cpu0 switch 410(20) -> 0(0)" : "");
            for (int odd = at + 6_000 + (i * i * 7_919 % 23_000); odd < at + 98_000; odd += 30_000 + (i * i * 613 % 9_000))
            {
                lines.Add($"{odd}us cpu0 switch 0(0) -> 310(24)");
                lines.Add($"{odd + others}us cpu0 switch 310(24) -> 0(0)");
            }
        }

        BlameReport report = BlamedText.Of($"""
            cpus 1
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 300 work.exe
            thread 310 of 300 priority 24
            process 400 audio.exe
            thread 410 of 400 priority 20
            {string.Join('\n', lines)}
            """);
        Assert.Equal("work.exe", report.Summary.Culprit);
        Assert.Equal(hasBeat ? 100.0 : null, Milliseconds(report));
    }

    private static double? Milliseconds(BlameReport report) =>
        report.Culprits[0].Period is { } period ? Math.Round(1e3 * period.Seconds, 1) : null;

    /// <summary>CPUs that are sampled each millisecond, in user code, and stop at some of them.</summary>
    private static BlameReport Stopped((string Cpu, int[] At, int Lasts)[] blackouts, int threshold = 500)
    {
        List<string> lines = [];
        foreach (IGrouping<string, (string Cpu, int[] At, int Lasts)> of in blackouts.GroupBy(stops => stops.Cpu))
        {
            string sample = $"{of.Key} sample 0x401000 thread {(of.Key == "cpu0" ? 210 : 220)}";
            string but = string.Concat(of.SelectMany(stops => stops.At).Order().Select(ms => $" but {ms}ms to {ms + 1}ms"));
            lines.Add($"every 1ms from 1ms to 800ms{but} : +0us {sample}");
            lines.AddRange(of.SelectMany(stops => stops.At.Select(ms => string.Create(
                CultureInfo.InvariantCulture, $"{(1_000 * ms) + stops.Lasts}us {sample}"))));
        }

        return BlamedText.Of($"""
            cpus 2
            ask threshold {threshold}us
            interval 1ms
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            process 200 work.exe
            thread 210 of 200
            thread 220 of 200
            100us cpu0 switch 0(0) -> 210(8)
            100us cpu1 switch 0(0) -> 220(8)
            {string.Join('\n', lines)}
            """);
    }
}
