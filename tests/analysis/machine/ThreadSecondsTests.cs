using System.IO.Compression;
using System.Text.RegularExpressions;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>What each thread ran in each second: by hand to the tick, and beside the profile samples of a real trace.</summary>
public class ThreadSecondsTests
{
    /// <summary>Milliseconds by which a second of a thread may differ from its samples, one each millisecond.</summary>
    private const double LongestFromSamples = 6;

    /// <summary>And a whole process, which ran for up to 10 s.</summary>
    private const double MostFromSamples = 16;

    private readonly List<string> _told = [];

    [Fact]
    public void Each_second_has_what_ran_in_it_on_all_CPUs_and_the_last_is_not_whole()
    {
        ThreadSeconds seconds = Of(new LossMap());
        seconds.Switch(0, 100, 0, 7);
        seconds.Switch(1, 103, 0, 7);
        seconds.Switch(0, 104, 7, 8);
        seconds.Switch(0, 112, 8, 0);
        seconds.Switch(1, 125, 7, 0);
        Assert.Equal(["0: thread 7 11", "0: thread 8 6", "0 ends", "1: thread 7 10", "1: thread 8 2", "1 ends"], Sorted());
        Assert.Equal(new ThreadSecondsRead(2, 0, 0), seconds.Told);
    }

    [Fact]
    public void A_switch_on_the_edge_of_a_second_is_no_part_of_the_one_before()
    {
        ThreadSeconds seconds = Of(new LossMap());
        seconds.Switch(0, 100, 0, 7);
        seconds.Switch(0, 109, 7, 8);
        seconds.Switch(0, 110, 8, 9);
        seconds.Switch(0, 120, 9, 0);
        Assert.Equal(["0: thread 7 9", "0: thread 8 1", "0 ends", "1: thread 9 10", "1 ends"], Sorted());
    }

    [Theory]
    [InlineData(200, 10, 0, 10)]
    [InlineData(201, 0, 1, 0)]
    [InlineData(long.MaxValue, 0, 1, 0)]
    public void A_long_pause_is_left_out(long next, int seconds, int pauses, long threads)
    {
        ThreadSeconds read = Of(new LossMap());
        read.Switch(0, 100, 0, 7);
        read.Switch(0, next, 7, 0);
        read.Switch(0, next, 0, 7);
        Assert.Equal(new ThreadSecondsRead(seconds, pauses, 0), read.Told);
        Assert.Equal(threads, _told.Count(static one => one.EndsWith("thread 7 10", StringComparison.Ordinal)));
    }

    [Fact]
    public void Behind_a_pause_the_first_whole_second_has_its_own_number()
    {
        ThreadSeconds seconds = Of(new LossMap());
        seconds.Switch(0, 100, 0, 7);
        seconds.Switch(0, 205, 7, 8);
        seconds.Switch(0, 215, 8, 9);
        seconds.Switch(0, 221, 9, 0);
        Assert.Equal(["11: thread 8 5", "11: thread 9 5", "11 ends"], Sorted());
        Assert.Equal(new ThreadSecondsRead(1, 1, 0), seconds.Told);
    }

    [Fact]
    public void What_ran_across_a_loss_does_not_count_on_that_CPU()
    {
        var losses = new LossMap();
        losses.Add(0, 104, 106);
        losses.Add(0, 118, 122);
        ThreadSeconds seconds = Of(losses);
        seconds.Switch(0, 100, 0, 7);
        seconds.Switch(1, 100, 0, 5);
        seconds.Switch(0, 108, 7, 8);
        seconds.Switch(0, 125, 8, 9);
        seconds.Switch(0, 131, 9, 0);
        Assert.Equal(
            ["0: thread 5 10", "0: thread 8 2", "0 ends", "1: thread 5 10", "1 ends", "2: thread 5 10", "2: thread 9 5", "2 ends"],
            Sorted());
        Assert.Equal(new ThreadSecondsRead(3, 0, 3), seconds.Told);
    }

    /// <summary>
    /// Windows 7's own profile samples name the thread that they hit, a thousand times a second on each CPU: another record of the same
    /// seconds. And the trace's other decoder says how busy the machine was.
    /// </summary>
    [Fact]
    public void A_real_trace_has_in_each_second_what_its_samples_say()
    {
        string path = Path.Combine(RepositoryFiles.Corpus(), "randomascii-slowppt.etl.gz");
        using var bytes = new MemoryStream();
        using (var packed = new GZipStream(File.OpenRead(path), CompressionMode.Decompress))
        {
            packed.CopyTo(bytes);
        }

        using var reader = EtlReader.Open(bytes);
        var sink = new Kept();
        ThreadSecondsRead read = ThreadSeconds.Read(reader, TraceFacts.Read(reader), sink);
        var samples = new Samples(reader.Header.Clock.TicksPerSecond);
        reader.Read(EtlOrder.Time, ref samples);
        double ticksPerMillisecond = reader.Header.Clock.TicksPerSecond / 1000.0;
        Assert.Equal(new ThreadSecondsRead(17, 0, 0), read);
        Assert.All(
            sink.All, one => Assert.Equal(one.Ticks / ticksPerMillisecond, samples.Of(one.Second, one.ThreadId), LongestFromSamples));
        var processes = sink.All.GroupBy(static one => one.ProcessId)
            .Select(group => (
                Ran: group.Sum(static one => one.Ticks) / ticksPerMillisecond,
                Sampled: group.Sum(one => samples.Of(one.Second, one.ThreadId))))
            .Where(static one => one.Ran > 100).ToList();
        Assert.Equal(7, processes.Count);
        Assert.All(processes, static one => Assert.Equal(one.Ran, one.Sampled, MostFromSamples));

        string facts = File.ReadAllText(Path.Combine(RepositoryFiles.Corpus(), "randomascii-slowppt.facts.txt"));
        Match said = Regex.Match(facts, "real trace slowppt.etl [|] Win7, ([0-9]+) CPU, 17.05 s, ([0-9.]+) % CPU");
        double busy = sink.All.Sum(static one => one.Ticks) / (17 * 10 * ticksPerMillisecond) / Number(said.Groups[1]);
        Assert.Equal(Number(said.Groups[2]), busy, 0.05);
    }

    private static double Number(Group text) => double.Parse(text.ValueSpan, CultureInfo.InvariantCulture);

    private ThreadSeconds Of(LossMap losses) => new(
        10,
        losses,
        (thread, second, end, ticks) =>
        {
            Assert.Equal(110 + (second * 10), end);
            _told.Add(string.Create(CultureInfo.InvariantCulture, $"{second}: thread {thread} {ticks}"));
        },
        second => _told.Add(string.Create(CultureInfo.InvariantCulture, $"{second} ends")));

    private IEnumerable<string> Sorted() => _told.OrderBy(static one => int.Parse(one.Split(':', ' ')[0], CultureInfo.InvariantCulture))
        .ThenBy(static one => one.EndsWith("ends", StringComparison.Ordinal)).ThenBy(static one => one, StringComparer.Ordinal);

    private sealed class Kept : IThreadSeconds
    {
        public List<ThreadSecond> All { get; } = [];

        public void Take(ThreadSecond one) => All.Add(one);

        public void EndSecond(long second)
        {
        }
    }

    private struct Samples(long ticksPerSecond) : IEtlEventSink
    {
        private readonly Dictionary<(long Second, uint Thread), int> _counts = [];
        private long _first = -1;

        public readonly int Of(long second, uint thread) => _counts.GetValueOrDefault((second, thread));

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            if (traceEvent.HookId == KernelHook.ContextSwitch)
            {
                _first = _first < 0 ? traceEvent.TimestampTicks : _first;
            }
            else if (_first >= 0 && traceEvent.HookId == KernelHook.SampledProfile
                && SampledProfileRecord.TryRead(in traceEvent, out SampledProfileRecord sample))
            {
                var key = ((traceEvent.TimestampTicks - _first) / ticksPerSecond, sample.ThreadId);
                _counts[key] = _counts.GetValueOrDefault(key) + 1;
            }

            return true;
        }
    }
}
