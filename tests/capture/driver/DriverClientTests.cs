using System.Runtime.InteropServices;
using Tracer.Capture.Driver;
using Tracer.Capture.Ground;
using Tracer.TracerCommand.Commands.Driver;

namespace Tracer.Capture.Tests;

/// <summary>The protocol, against a driver that keeps it and one that does not.</summary>
public sealed class DriverClientTests
{
    private static readonly DriverRunPlan Plan = new() { AllWakeups = true };

    [Fact]
    public void A_run_is_started_as_asked_read_and_stopped()
    {
        var driver = new FakeDriver();
        using var client = new DriverClient(driver);
        DriverStatus status = client.Start(Plan with { Threshold = Duration.FromMilliseconds(1), Period = Duration.FromMilliseconds(2) });
        Assert.Equal((DriverState.Running, 1_000_000ul, 2_000_000ul), (status.State, status.ThresholdNs, status.PeriodNs));
        StartRequest request = driver.LastRequest!.Value;
        Assert.Equal((StartOptions.AllWakeups, 2), (request.Flags, request.PriorityCount));
        Assert.Equal((28, 24), (request.Priorities[0], request.Priorities[1]));

        driver.Wake(1_000, 50);
        Assert.True(client.TryRead(TestContext.Current.CancellationToken, out DriverBatch batch));
        var types = new List<DriverRecordType>();
        foreach (ReadOnlySpan<byte> record in batch)
        {
            types.Add(DriverBatch.TypeOf(record));
        }

        Assert.Equal([DriverRecordType.Start, DriverRecordType.Wakeup], types);
        Assert.Equal(1ul, client.Stop()?.Probes);
        Assert.Null(client.Stop());
        Assert.True(client.TryRead(TestContext.Current.CancellationToken, out _));
        Assert.False(client.TryRead(TestContext.Current.CancellationToken, out _));
    }

    [Theory]
    [InlineData(30, 1, "the least is 40 us", DriverRefusal.Threshold)]
    [InlineData(2_000, 11_000, "the period is shorter than", DriverRefusal.Period)]
    public void A_refused_run_is_explained(long thresholdUs, long periodMs, string explanation, DriverRefusal refusal)
    {
        using var client = new DriverClient(new FakeDriver());
        DriverException failure = Assert.Throws<DriverException>(() => client.Start(
            Plan with { Threshold = Duration.FromMicroseconds(thresholdUs), Period = Duration.FromMilliseconds(periodMs) }));
        Assert.Contains(explanation, failure.Message, StringComparison.Ordinal);
        Assert.Equal((refusal, 20_000L), (failure.Refusal, failure.Floor.Nanoseconds));
    }

    [Fact]
    public void Every_refusal_has_words_of_its_own()
    {
        string[] words = [.. Enum.GetValues<DriverRefusal>().Select(refusal => DriverRefusalWords.Of(refusal, Duration.Zero))];
        Assert.Distinct(words);
        Assert.DoesNotContain(words, text => text.Contains("too old to know", StringComparison.Ordinal));
        Assert.Contains("reason 99", DriverRefusalWords.Of((DriverRefusal)99, Duration.Zero), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_read_that_waits_can_be_cancelled_and_loses_nothing()
    {
        var driver = new FakeDriver();
        using var client = new DriverClient(driver);
        client.Start(Plan);
        Assert.True(client.TryRead(TestContext.Current.CancellationToken, out _));
        using var cancellation = new CancellationTokenSource();
        Task waiting = Task.Run(() => client.TryRead(cancellation.Token, out _), TestContext.Current.CancellationToken);
        await Task.Delay(20, TestContext.Current.CancellationToken);
        Assert.False(waiting.IsCompleted);
        await cancellation.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(() => waiting);
        driver.Wake(1, 1);
        Assert.True(client.TryRead(TestContext.Current.CancellationToken, out DriverBatch batch));
        Assert.Equal(88, batch.Bytes.Length);
    }

    [Fact]
    public void Records_of_unknown_types_are_passed_over_by_their_size()
    {
        var driver = new FakeDriver();
        using var client = new DriverClient(driver);
        client.Start(Plan);
        byte[] unknown = new byte[24];
        (unknown[0], unknown[2]) = (99, 24);
        driver.EmitBytes(unknown);
        driver.Wake(1, 1);
        Assert.True(client.TryRead(TestContext.Current.CancellationToken, out DriverBatch batch));
        int known = 0;
        foreach (ReadOnlySpan<byte> record in batch)
        {
            known++;
        }

        Assert.Equal((2, 56 + 24 + 88), (known, batch.Bytes.Length));
    }

    /// <summary>What may be wrong with a status: changes the reply and gives the length that the driver claims.</summary>
    public static TheoryData<string, Func<Memory<byte>, int, int>> BadReplies => new()
    {
        { "it has 0 bytes", (_, _) => 0 },
        { "it has 7 bytes", (_, _) => 7 },
        { "it has 153 bytes", (_, length) => length + 1 },
        { "it has -1 bytes", (_, _) => -1 },
        { "it has 144 bytes", (_, length) => length - 8 },
        { "it is of version 1", (reply, length) => Put(reply, 0, 1, length) },
        { "calls itself 95 long", (reply, length) => Put(reply, 4, 95, length) },
    };

    [Theory]
    [MemberData(nameof(BadReplies))]
    public void A_reply_of_wrong_length_or_version_is_refused(string fault, Func<Memory<byte>, int, int> bend)
    {
        var driver = new FakeDriver { Bend = (_, reply, length) => bend(reply, length) };
        using var client = new DriverClient(driver);
        Assert.Contains(fault, Assert.Throws<DriverException>(() => client.Status()).Message, StringComparison.Ordinal);
    }

    /// <summary>What may be wrong with a batch that holds a Start record of 56 bytes.</summary>
    public static TheoryData<string, Func<Memory<byte>, int, int>> BadBatches => new()
    {
        { "announces 2 records, holds 1", (batch, length) => Put(batch, 8, 2, length) },
        { "holds 0, and 56 bytes", (batch, length) => Put(batch, 24 + 2, 57, length) },
        { "holds 0, and 56 bytes", (batch, length) => Put(batch, 24 + 2, 0, length) },
        { "holds 0, and 56 bytes", (batch, length) => Put(batch, 24, 3, length) },
        { "holds 0, and 56 bytes", (batch, length) => Put(batch, 24 + 4, EtlBufferHeader.MaximumProcessors, length) },
        { "are the least", (batch, _) => Put(batch, 4, 16, 16) },
        { "holds 0, and 48 bytes", (batch, length) => Put(batch, 4, length - 8, length - 8) },
    };

    [Theory]
    [MemberData(nameof(BadBatches))]
    public void A_batch_that_does_not_hold_what_it_says_is_refused(string fault, Func<Memory<byte>, int, int> bend)
    {
        var driver = new FakeDriver();
        using var client = new DriverClient(driver);
        client.Start(Plan);
        driver.Bend = (code, reply, length) => code == DriverIoctl.Read ? bend(reply, length) : length;
        DriverException failure = Assert.Throws<DriverException>(() => client.TryRead(CancellationToken.None, out _));
        Assert.Contains(fault, failure.Message, StringComparison.Ordinal);
    }

    /// <summary>Damaged replies by the ten thousand: each is used or refused with a word, and what is used can be walked.</summary>
    [Fact]
    public void Whatever_the_driver_answers_is_used_or_refused()
    {
        const int Replies = 20_000;
        int refused = 0;
        for (int seed = 0; seed < Replies; seed++)
        {
            var random = new Random(seed);
            var driver = new FakeDriver();
            using var client = new DriverClient(driver);
            client.Start(Plan);
            for (int wakeups = random.Next(4); wakeups > 0; wakeups--)
            {
                driver.Wake((ulong)random.Next(), (ulong)random.Next(1000));
            }

            driver.Bend = (_, reply, length) => Damage(random, reply.Span, length);
            try
            {
                Use(client, random.Next(4));
            }
            catch (DriverException)
            {
                refused++;
            }
        }

        Assert.InRange(refused, Replies / 10, Replies - 1);
    }

    [Fact]
    public void Percentiles_come_from_the_histogram()
    {
        var driver = new FakeDriver();
        driver.Latencies.AddRange(Enumerable.Range(1, 1000).Select(i => ((byte)28, (ulong)i * 1000)));
        using var client = new DriverClient(driver);
        LatencyHistogram histogram = client.Histogram(LatencyPhase.Total)!;
        Assert.Equal((1000ul, Duration.FromMilliseconds(1)), (histogram.Total, histogram.Max));
        Assert.Equal(0ul, client.Histogram(LatencyPhase.Total, priority: 24)!.Total);
        Assert.Null(client.Histogram(LatencyPhase.Total, cpu: 7));
        Assert.Null(client.Histogram(LatencyPhase.Dpc)!.Percentile(0.5));
    }

    private static int Put(Memory<byte> reply, int at, int value, int length)
    {
        MemoryMarshal.Write(reply.Span[at..], (ushort)value);
        return length;
    }

    private static int Damage(Random random, Span<byte> reply, int length)
    {
        for (int damages = random.Next(3); damages > 0; damages--)
        {
            int at = random.Next(length);
            reply[at] = random.Next(3) switch
            {
                0 => (byte)(reply[at] ^ (1 << random.Next(8))),
                1 => 0xFF,
                _ => (byte)random.Next(256),
            };
        }

        return random.Next(6) == 0 ? random.Next(-8, reply.Length + 8) : length;
    }

    private static void Use(DriverClient client, int what)
    {
        switch (what)
        {
            case 0:
                DriverReporting.Of(client.Status());
                break;
            case 1:
                LatencyHistogram? histogram = client.Histogram(LatencyPhase.Total);
                histogram?.Percentile(0.99);
                break;
            case 2:
                client.Stop();
                break;
            default:
                if (client.TryRead(CancellationToken.None, out DriverBatch batch))
                {
                    int bytes = 0;
                    foreach (ReadOnlySpan<byte> record in batch)
                    {
                        bytes += record.Length;
                    }

                    Assert.InRange(bytes, 0, batch.Bytes.Length);
                }

                break;
        }
    }
}
