using System.Text;
using Tracer.Analysis.Tests.Scenarios;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>
/// Waits of 1 ms that keep one beat of 250 ms, whatever ran meanwhile: the machine, unless one of those that ran keeps that beat itself.
/// </summary>
public class ExternalBeatTests
{
    private const string Machine = "hardware/firmware";

    [Theory]
    [InlineData("NUNUSS", Machine)]
    [InlineData("NUNSS", "nic.sys")]
    [InlineData("NNNNNN", "nic.sys")]
    [InlineData("NU-NS-NUNS", Machine)]
    [InlineData("NSNSNS", Machine)]
    public void Six_episodes_of_two_owners_show_what_stops_both(string beats, string culprit) =>
        Assert.Equal(culprit, Blame(beats).Summary.Culprit);

    /// <summary>Long runs alone show no blackout, and neither does one time in which nothing was served: two do.</summary>
    [Theory]
    [InlineData("NUNUNUNU", false)]
    [InlineData("NUNUNUNS", false)]
    [InlineData("NUNUNUSS", true)]
    public void Only_what_shows_a_stop_is_one(string beats, bool isMachine) =>
        Assert.Equal(isMachine, Blame(beats).Summary.Culprit == Machine);

    /// <summary>DPCs that are as long as always are timers that expire together, whatever nothing was served for.</summary>
    [Theory]
    [InlineData(1_000, false)]
    [InlineData(340, false)]
    [InlineData(330, true)]
    public void Only_runs_of_three_times_the_usual_length_are_stopped(int others, bool isMachine) => Assert.Equal(
        isMachine,
        Blame("NANANANASS", others: "", more: $"""
            every 70ms from 36ms to 2500ms : +0us cpu0 dpc nic.sys+0x100 from -{others}us
            every 70ms from 51ms to 2500ms : +0us cpu0 dpc usb.sys+0x20 from -{others}us
            """).Summary.Culprit == Machine);

    /// <summary>Whose runs are not recorded may be the cause from half of the episodes on.</summary>
    [Theory]
    [InlineData("VNVUVNVUVN", "video.sys")]
    [InlineData("VNVSVNVUNS", Machine)]
    [InlineData("VNVSVNVSVN", "video.sys")]
    [InlineData("VVVVVNUNUN", "video.sys")]
    public void Who_has_half_of_the_episodes_and_no_recorded_runs_may_be_the_cause(string beats, string culprit) =>
        Assert.Equal(culprit, Blame(beats).Summary.Culprit);

    /// <summary>All of its long runs lie on the beat, and they cover seven of ten beats or more: it is the cause.</summary>
    [Theory]
    [InlineData("NNNNNNNUUU", "nic.sys")]
    [InlineData("NNNNNNUUSS", Machine)]
    public void Who_runs_only_on_the_beat_and_on_nearly_each_is_the_cause(string beats, string culprit) =>
        Assert.Equal(culprit, Blame(beats, others: "U").Summary.Culprit);

    /// <summary>Few episodes, beats without one, or a hypervisor make it less sure.</summary>
    [Theory]
    [InlineData("NUNUNUNUSS", false, Confidence.Likely)]
    [InlineData("NUNUNUNSS", false, Confidence.Possible)]
    [InlineData("NU-UNUN-NUSS", false, Confidence.Likely)]
    [InlineData("NU-U-UN-NUNUSS", false, Confidence.Possible)]
    [InlineData("NUNUNUNUSS", true, Confidence.Possible)]
    public void It_is_likely_by_many_episodes_and_few_missed_beats(string beats, bool isVirtual, Confidence confidence)
    {
        BlameReport report = Blame(beats, more: isVirtual ? "hypervisor" : "");
        Assert.Equal(isVirtual ? "hypervisor" : Machine, report.Summary.Culprit);
        Assert.Equal(isVirtual ? Mechanism.Hypervisor : Mechanism.Blackout, report.Culprits[0].Mechanism);
        Assert.Equal(confidence, report.Culprits[0].Confidence);
        Assert.Contains(
            report.Culprits[0].Evidence, text => text.Contains("is seen to keep that beat in the rest", StringComparison.Ordinal));
    }

    /// <summary>What is not on the beat stays with whom it was blamed on.</summary>
    [Fact]
    public void An_episode_beside_the_beat_is_not_the_machines()
    {
        BlameReport report = Blame("NUNUNUNUSS", more: Wait(1_330_000, 'N'));
        Assert.Equal(Machine, report.Summary.Culprit);
        Episode beside = Assert.Single(report.Episodes, episode => episode.Start.Nanoseconds == 1_330_000_000);
        Assert.Equal("nic.sys dpc 1000us, unexplained 1us", BlamedText.Causes(beside));
        Assert.Equal(10, report.Episodes.Count(episode => episode.Causes[0].Culprit == Machine));
    }

    private static int Beat(int number) => 250_000 * (number + 1);

    /// <summary>Beats with a DPC of nic.sys (N), an interrupt (U) or DPC (A) of usb.sys, code of video.sys in a thread (V), a wait
    /// in which nothing is served (S), or none (-).</summary>
    /// <param name="beats">A letter for each beat.</param>
    /// <param name="others">Who also runs beside the beat.</param>
    /// <param name="more">Other lines.</param>
    private static BlameReport Blame(string beats, string others = "NU", string more = "")
    {
        string end = FormattableString.Invariant($"{250 * beats.Length}ms");
        string nic = $"every 70ms from 36ms to {end} : +0us cpu0 dpc nic.sys+0x100 from -300us";
        var text = new StringBuilder($"""
            cpus 1
            image ntoskrnl.exe 0xFFFFF800_10000000 0x1000000
            image nic.sys 0xFFFFF800_20000000 0x100000
            image usb.sys 0xFFFFF800_30000000 0x100000
            image video.sys 0xFFFFF800_40000000 0x100000
            process 100 audio.exe
            process 200 work.exe
            thread 120 of 100 priority 24
            thread 130 of 100 priority 24
            thread 210 of 200
            1ms cpu0 switch 120(24) -> 0(0)
            every 50ms from 20ms to {end} : +0us cpu0 ready 120
            every 50ms from 20ms to {end} : +5us cpu0 switch 0(0) -> 120(24)
            every 50ms from 20ms to {end} : +15us cpu0 switch 120(24) -> 0(0)
            {(others.Contains('N', StringComparison.Ordinal) ? nic : "")}
            every 110ms from 65ms to {end} : +0us cpu0 isr usb.sys+0x10 from -300us vector 0x61
            {more}

            """);
        for (int i = 0; i < beats.Length; i++)
        {
            text.Append(beats[i] == '-' ? "" : Wait(Beat(i), beats[i])).Append('\n');
        }

        return BlamedText.Of(text.ToString());
    }

    private static string Wait(int at, char cause)
    {
        string waits = cause switch
        {
            'N' => $"{T(at + 1_000)} dpc nic.sys+0x100 from {at - 5}us",
            'A' => $"{T(at + 1_000)} dpc usb.sys+0x20 from {at}us",
            'S' => "",
            'U' => $"{T(at + 1_000)} isr usb.sys+0x10 from {at - 5}us vector 0x61",
            _ => string.Join('\n', Enumerable.Range(1, 9).Select(
                i => $"{T(at + (100 * i))} sample video.sys+0x1{i}0 thread 210 stack nt+0x500")),
        };
        int old = cause == 'V' ? 210 : 0;
        int priority = cause == 'V' ? 8 : 0;
        return string.Create(CultureInfo.InvariantCulture, $"""
            {T(at)} ready 130
            {waits}
            {(cause == 'V' ? $"{T(at - 100)} switch 0(0) -> 210(8)" : "")}
            {T(at + 1_001)} switch {old}({priority}) -> 130(24) {(cause == 'V' ? "old ready" : "")}
            {T(at + 1_011)} switch 130(24) -> {old}({priority})
            {(cause == 'V' ? $"{T(at + 1_020)} switch 210(8) -> 0(0)" : "")}
            """);
    }

    private static string T(int at) => FormattableString.Invariant($"{at}us cpu0");
}
