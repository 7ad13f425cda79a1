using System.Text;

namespace Tracer.Symbols.Tests.Finding;

/// <summary>A real server on loopback that fails, breaks off, sends too much, or sends something else than was asked for.</summary>
public sealed class TransferTests : DownloadCase
{
    [Theory]
    [InlineData(500)]
    [InlineData(503)]
    [InlineData(429)]
    public void A_server_that_fails_at_first_is_asked_again(int status)
    {
        int asked = 0;
        using FaultyServer server = new(question =>
            Interlocked.Increment(ref asked) < 3 ? question.AnswerAsync(status) : question.AnswerAsync(200, Pdb));
        AssertFound(Find(server));
        Assert.Equal(3, server.Connections);
    }

    [Fact]
    public void A_server_that_keeps_failing_is_given_up()
    {
        using FaultyServer server = new(question => question.AnswerAsync(500));
        SymbolClient client = new(SymbolClient.CreateHttp(), Quick);
        using SymbolFinder finder = Folders.Finder("srv*{cache}*" + server.Address, client);
        AssertRefused(finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken), "answers 500 (asked 3 times)");
        AssertRefused(finder.FindPdb("b.pdb", HandMadePdb.Id, TestContext.Current.CancellationToken), "answers 500 (asked 3 times)");
        AssertRefused(
            finder.FindPdb("c.pdb", HandMadePdb.Id, TestContext.Current.CancellationToken),
            "is not asked again, for it answers 500 (asked 3 times)");
        Assert.Equal(6, server.Connections);
    }

    [Fact]
    public void A_server_that_asks_to_wait_is_not_waited_for_for_ever()
    {
        using FaultyServer server = new(question => question.AnswerAsync(503, null, "Retry-After: 99999"));
        AssertRefused(Find(server, Quick with { MaximumDelay = TimeSpan.FromMilliseconds(20) }), "answers 503");
    }

    [Fact]
    public void Slow_headers_are_given_up()
    {
        using FaultyServer server = new(_ => Task.Delay(Timeout.Infinite, TestContext.Current.CancellationToken));
        AssertRefused(
            Find(server, Quick with { AnswerTimeout = TimeSpan.FromMilliseconds(150), Attempts = 2 }), "did not answer within 0.15 s");
        Assert.Equal(2, server.Connections);
    }

    [Fact]
    public void A_body_that_falls_silent_is_given_up()
    {
        using FaultyServer server = new(async question =>
        {
            await question.SendAsync(FaultyServer.Question.Head(200, $"Content-Length: {Pdb.Length}"), Pdb[..1000]);
            await Task.Delay(Timeout.Infinite, TestContext.Current.CancellationToken);
        });
        AssertRefused(
            Find(server, Quick with { SilenceTimeout = TimeSpan.FromMilliseconds(600), Attempts = 2 }),
            $"fell silent after 1000 of {Pdb.Length} bytes");
    }

    [Fact]
    public void A_body_that_trickles_is_given_up_after_the_time_for_one_file()
    {
        using FaultyServer server = new(async question =>
        {
            await question.SendAsync(FaultyServer.Question.Head(200, $"Content-Length: {Pdb.Length}"));
            for (int i = 0; i < Pdb.Length; i++)
            {
                await question.SendAsync(Pdb[i..(i + 1)]);
                await Task.Delay(20, TestContext.Current.CancellationToken);
            }
        });
        AssertRefused(Find(server, Quick with { FileTimeout = TimeSpan.FromMilliseconds(400) }), "took longer than 0.4 s");
    }

    /// <summary>
    /// A byte now and then keeps no download alive; what comes fast enough may take as long as it likes, in one of many attempts where a
    /// busy machine holds it up.
    /// </summary>
    [Theory]
    [InlineData(1, false)]
    [InlineData(5_000, true)]
    public void A_body_slower_than_the_least_that_must_come_is_given_up(int bytesAtATime, bool isTaken)
    {
        using FaultyServer server = new(async question =>
        {
            await question.SendAsync(FaultyServer.Question.Head(200, $"Content-Length: {Pdb.Length}"));
            foreach (byte[] part in Pdb.Chunk(bytesAtATime))
            {
                await question.SendAsync(part);
                await Task.Delay(5, TestContext.Current.CancellationToken);
            }
        });
        SymbolAnswer answer = Find(server, Quick with
        {
            SilenceTimeout = TimeSpan.FromMilliseconds(isTaken ? 150 : 600),
            LeastBytesInTimeout = 1_000,
            FileTimeout = Timeout.InfiniteTimeSpan,
            Attempts = isTaken ? 20 : 2,
        });
        if (isTaken)
        {
            AssertFound(answer);
            return;
        }

        string refused = AssertRefused(answer, "too slow").ToString();
        Assert.Matches(@"is too slow: \d+ of \d+ bytes came, of them \d+ in the last 0\.\d+ s", refused);
        Assert.Equal(2, server.Connections);
    }

    [Fact]
    public void A_second_brings_a_KiB_at_least_where_nothing_else_is_said()
    {
        SymbolClientSettings usual = new();
        Assert.Equal((30 * 1024L, 30.0), (usual.LeastBytesInTimeout, usual.SilenceTimeout.TotalSeconds));
    }

    [Fact]
    public void A_slow_but_steady_body_is_waited_for()
    {
        using FaultyServer server = new(async question =>
        {
            await question.SendAsync(FaultyServer.Question.Head(200, $"Content-Length: {Pdb.Length}"));
            foreach (byte[] part in Pdb.Chunk(60_000))
            {
                await Task.Delay(30, TestContext.Current.CancellationToken);
                await question.SendAsync(part);
            }
        });
        AssertFound(Find(server));
    }

    [Theory]
    [InlineData("ETag: \"one\"")]
    [InlineData("Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT")]
    public void A_download_that_broke_off_goes_on_where_it_was(string validator)
    {
        using FaultyServer server = new(question => question.Header("Range") is { } range
            ? question.SendAsync(
                FaultyServer.Question.Head(
                    206, validator, $"Content-Range: bytes {range[6..^1]}-{Pdb.Length - 1}/{Pdb.Length}",
                    $"Content-Length: {Pdb.Length - int.Parse(range[6..^1], null)}"),
                Pdb[int.Parse(range[6..^1], null)..])
            : question.SendAsync(FaultyServer.Question.Head(200, validator, $"Content-Length: {Pdb.Length}"), Pdb[..100_000]));
        AssertFound(Find(server));
        Assert.Equal([null, "bytes=100000-"], server.Questions.Select(question => question.Header("Range")));
        Assert.Equal(validator.Split(": ")[1], server.Questions.Last().Header("If-Range"));
    }

    [Fact]
    public void A_download_begins_again_if_the_file_may_be_another()
    {
        int asked = 0;
        using FaultyServer server = new(question => Interlocked.Increment(ref asked) == 1
            ? question.SendAsync(
                FaultyServer.Question.Head(200, "ETag: \"one\"", $"Content-Length: {Pdb.Length}"), new byte[100_000])
            : question.AnswerAsync(200, Pdb, "ETag: \"two\""));
        AssertFound(Find(server));
    }

    [Fact]
    public void A_download_without_a_tag_begins_again()
    {
        int asked = 0;
        using FaultyServer server = new(question => Interlocked.Increment(ref asked) == 1
            ? question.SendAsync(FaultyServer.Question.Head(200, "ETag: W/\"weak\"", $"Content-Length: {Pdb.Length}"), Pdb[..70_000])
            : question.AnswerAsync(200, Pdb));
        AssertFound(Find(server));
        Every.Item(server.Questions, question => Assert.Null(question.Header("Range")));
    }

    [Fact]
    public void The_rest_of_another_place_is_not_taken()
    {
        using FaultyServer server = new(question => question.Header("Range") is null
            ? question.SendAsync(FaultyServer.Question.Head(200, "ETag: \"one\"", $"Content-Length: {Pdb.Length}"), Pdb[..70_000])
            : question.AnswerAsync(206, Pdb[90_000..], $"Content-Range: bytes 90000-{Pdb.Length - 1}/{Pdb.Length}"));
        AssertRefused(Find(server, Quick with { Attempts = 2 }), "sent another part of the file than was asked for");
    }

    [Fact]
    public void A_connection_that_always_breaks_off_is_given_up()
    {
        using FaultyServer server = new(question =>
            question.SendAsync(FaultyServer.Question.Head(200, $"Content-Length: {Pdb.Length}"), Pdb[..5_000]));
        AssertRefused(Find(server), $"broke off after 5000 of {Pdb.Length} bytes (asked 3 times)");
    }

    [Fact]
    public void A_file_that_was_cut_without_a_word_is_not_kept()
    {
        using FaultyServer server = new(question => question.AnswerAsync(200, Pdb[..^1]));
        AssertRefused(Find(server), $"is cut off: it has {Pdb.Length - 1} of {Pdb.Length} bytes", SymbolMiss.Damaged);
        using FaultyServer unlimited = new(question => question.SendAsync(FaultyServer.Question.Head(200), Pdb[..^1]));
        AssertRefused(Find(unlimited), "is cut off", SymbolMiss.Damaged);
    }

    [Fact]
    public void A_length_that_is_too_long_is_an_answer_that_breaks_off()
    {
        using FaultyServer server = new(question =>
            question.SendAsync(FaultyServer.Question.Head(200, $"Content-Length: {Pdb.Length + 10}"), Pdb));
        AssertRefused(Find(server), "broke off");
    }

    [Fact]
    public void Chunked_answers_are_taken_if_they_are_whole()
    {
        static byte[] Chunk(ReadOnlySpan<byte> bytes) => [.. Encoding.ASCII.GetBytes($"{bytes.Length:x}\r\n"), .. bytes, 13, 10];
        byte[] head = FaultyServer.Question.Head(200, "Transfer-Encoding: chunked");
        using FaultyServer server = new(question =>
            question.SendAsync(head, Chunk(Pdb.AsSpan(0, 1000)), Chunk(Pdb.AsSpan(1000)), Chunk([])));
        AssertFound(Find(server));
        Directory.Delete(Folders["cache"], recursive: true);
        using FaultyServer cut = new(question => question.SendAsync(head, Chunk(Pdb)));
        AssertRefused(Find(cut), "broke off");
    }

    [Fact]
    public void Files_that_are_too_large_are_refused_before_and_while_they_come()
    {
        using FaultyServer told = new(question =>
            question.SendAsync(FaultyServer.Question.Head(200, "Content-Length: 99999999999"), Pdb));
        AssertRefused(Find(told, Quick with { MaximumBytes = 1 << 20 }), "has a file of 99999999999 bytes, more than the 1048576");
        using FaultyServer untold = new(question => question.SendAsync(FaultyServer.Question.Head(200), Pdb, Pdb, Pdb, Pdb));
        AssertRefused(Find(untold, Quick with { MaximumBytes = Pdb.Length }), $"sends more than the {Pdb.Length} bytes");
    }

    [Fact]
    public void Encodings_that_were_not_asked_for_are_refused()
    {
        using FaultyServer server = new(question => question.AnswerAsync(200, [0x1F, 0x8B, 1, 2, 3], "Content-Encoding: gzip"));
        AssertRefused(Find(server), "encoded as gzip");
    }
}
