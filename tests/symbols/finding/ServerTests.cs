using System.Collections.Concurrent;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Tracer.Symbols.Tests.Finding;

/// <summary>What is asked of a real server on loopback, where its answers may lead, and what is kept of them.</summary>
public sealed class ServerTests : DownloadCase
{
    [Fact]
    public void A_file_is_downloaded_checked_and_kept()
    {
        using FaultyServer server = new(new Dictionary<string, byte[]> { [FilePath] = Pdb });
        SymbolAnswer answer = Find(server);
        AssertFound(answer);
        Assert.Equal($"{server.Address}/{FilePath}", answer.Origin);
        FaultyServer.Question question = Assert.Single(server.Questions);
        Assert.Equal(("GET", "Tracer", "identity"), (question.Method, question.Header("User-Agent"), question.Header("Accept-Encoding")));
        Assert.Null(question.Header("Cookie") ?? question.Header("Referer") ?? question.Header("traceparent"));
        Assert.Equal(SymbolSource.Store, Find(server).Source);
        Assert.Equal(1, server.Connections);
    }

    [Fact]
    public void No_server_is_asked_without_the_flag()
    {
        using FaultyServer server = new(new Dictionary<string, byte[]> { [FilePath] = Pdb });
        using SymbolFinder finder = Folders.Finder($"{server.Address};srv*{{cache}}*{server.Address};srv*;cache*");
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Null(answer.Bytes);
        Assert.Contains(answer.Attempts, attempt => attempt.ToString() == $"{server.Address} is not asked: downloads are off.");

        // A client alone is no flag.
        using SymbolFinder unflagged = new(
            new DiskSymbolFiles(), HandMadePdb.ReadId,
            new SymbolFinderSettings { Path = SymbolFolders.Parse(server.Address), CacheFolder = Folders.Cache },
            new SymbolClient(SymbolClient.CreateHttp()));
        Assert.Null(unflagged.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken).Bytes);
        Assert.Equal(0, server.Connections);
        Assert.Throws<ArgumentException>(() => new SymbolFinder(
            new DiskSymbolFiles(), HandMadePdb.ReadId, new SymbolFinderSettings { AskServers = true }));
    }

    [Fact]
    public void A_near_file_is_used_before_any_server_is_asked()
    {
        using FaultyServer server = new(new Dictionary<string, byte[]> { [FilePath] = Pdb });
        Folders.Put("plain/nic.pdb", Pdb);
        using SymbolFinder finder = Folders.Finder(server.Address + ";{plain}", new SymbolClient(SymbolClient.CreateHttp(), Quick));
        Assert.Equal(SymbolSource.Folder, finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken).Source);
        Assert.Equal(0, server.Connections);
    }

    [Fact]
    public void What_is_not_there_is_told_and_not_asked_for_again()
    {
        using FaultyServer server = new(new Dictionary<string, byte[]>());
        SymbolClient client = new(SymbolClient.CreateHttp(), Quick);
        for (int i = 0; i < 2; i++)
        {
            using SymbolFinder finder = Folders.Finder("srv*{cache}*" + server.Address, client);
            SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
            AssertRefused(answer, $"{server.Address} does not have it (404): {Name} {Key}", SymbolMiss.NotThere);
        }

        Assert.Equal([FilePath, PackedPath, PointerPath, "index2.txt"], server.Paths);
    }

    [Fact]
    public void Compressed_files_are_asked_for_next_and_expanded()
    {
        using FaultyServer server = new(new Dictionary<string, byte[]> { [PackedPath] = new HandMadeCabinet().Make(Pdb) });
        AssertFound(Find(server));
        Assert.Equal([FilePath, PackedPath], server.Paths);
    }

    [Fact]
    public void Compressed_files_of_lzx_are_refused_with_a_word()
    {
        using FaultyServer server = new(
            new Dictionary<string, byte[]> { [PackedPath] = new HandMadeCabinet { Method = 0x1503 }.Make(Pdb) });
        AssertRefused(Find(server), "is compressed with LZX", SymbolMiss.Compressed);
    }

    [Fact]
    public void Stores_of_two_tiers_are_asked_in_two_tiers()
    {
        using FaultyServer server = new(new Dictionary<string, byte[]> { ["index2.txt"] = [], ["ni/" + FilePath] = Pdb });
        AssertFound(Find(server));
        Assert.Equal("ni/" + FilePath, server.Paths.Last());
    }

    [Theory]
    [InlineData("PATH:\\\\attacker\\share\\nic.pdb", "leads to \\\\attacker\\share\\nic.pdb, which is not followed")]
    [InlineData("PATH:{plain}", "which is not followed")]
    [InlineData("MSG: not \u001b[31mpublic", "says: not ?[31mpublic")]
    public void Pointers_of_servers_are_shown_and_never_followed(string pointer, string words)
    {
        string plain = Folders.Put("plain/other.pdb", Pdb);
        byte[] text = Encoding.UTF8.GetBytes(pointer.Replace("{plain}", plain, StringComparison.Ordinal));
        using FaultyServer server = new(new Dictionary<string, byte[]> { [PointerPath] = text });
        WatchedFiles watched = new();
        using SymbolFinder finder = Folders.Finder(
            $"{{plain}};srv*{{cache}}*{server.Address}", new SymbolClient(SymbolClient.CreateHttp(), Quick), files: watched);
        AssertRefused(finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken), words, SymbolMiss.Pointer);
        Assert.DoesNotContain(plain, watched.Touched);
    }

    [Fact]
    public void A_file_of_another_build_is_refused_with_both_ids_and_not_kept()
    {
        using FaultyServer server = new(question => question.AnswerAsync(200, HandMadePdb.Make(HandMadePdb.OtherId)));
        AssertRefused(Find(server), $"is {HandMadePdb.OtherId.StoreKey}, not {HandMadePdb.Id.StoreKey}", SymbolMiss.WrongId);
        Assert.Single(server.Questions);
    }

    [Theory]
    [InlineData("<html>Log in to the network of this hotel</html>", "is no PDB")]
    [InlineData("", "is empty")]
    public void What_is_no_pdb_is_refused(string body, string words)
    {
        using FaultyServer server = new(question => question.AnswerAsync(200, Encoding.ASCII.GetBytes(body)));
        SymbolAnswer answer = Find(server);
        Assert.Null(answer.Bytes);
        Assert.Contains(words, answer.Attempts[^1].Text, StringComparison.Ordinal);
        Assert.Empty(Folders.FilesIn("cache"));
    }

    [Theory]
    [InlineData(301)]
    [InlineData(302)]
    [InlineData(303)]
    [InlineData(307)]
    [InlineData(308)]
    public void Redirects_are_followed(int status)
    {
        using FaultyServer other = new(new Dictionary<string, byte[]> { ["blob?secret=1"] = Pdb });
        using FaultyServer server = new(question => question.RedirectAsync(other.Address + "/blob?secret=1", status));
        AssertFound(Find(server));
    }

    [Fact]
    public void Five_redirects_are_followed_and_not_six()
    {
        int left = 5;
        using FaultyServer server = new(question => left-- > 0 ? question.RedirectAsync("next") : question.AnswerAsync(200, Pdb));
        AssertFound(Find(server));
        Directory.Delete(Folders["cache"], recursive: true);
        using FaultyServer loop = new(question => question.RedirectAsync("/symbols/" + question.Path));
        AssertRefused(Find(loop), "redirects more than 5 times");
        Assert.Equal(6, loop.Connections);
    }

    [Theory]
    [InlineData("file:///etc/passwd")]
    [InlineData("ftp://127.0.0.1/x")]
    [InlineData("http://[bad")]
    public void Redirects_elsewhere_than_http_are_refused(string location)
    {
        using FaultyServer server = new(question => question.RedirectAsync(location));
        AssertRefused(Find(server), "redirects to");
    }

    [Fact]
    public void A_redirect_from_https_to_http_is_refused()
    {
        using FaultyServer plain = new(new Dictionary<string, byte[]> { [FilePath] = Pdb });
        using FaultyServer secure = new(
            question => question.RedirectAsync(plain.Address + "/" + question.Path + "?token=secret"), isSecure: true);
        SymbolAttempt attempt = AssertRefused(Find(secure, http: Trusting()), "which is not followed from https");
        Assert.DoesNotContain("secret", attempt.Text, StringComparison.Ordinal);
        Assert.Equal(0, plain.Connections);
    }

    [Fact]
    public void Https_works_and_a_wrong_certificate_is_refused()
    {
        using FaultyServer server = new(question => question.AnswerAsync(200, Pdb), isSecure: true);
        AssertRefused(Find(server), "can't be reached: The SSL connection");
        Assert.Empty(server.Questions);
        AssertFound(Find(server, http: Trusting()));
    }

    [Fact]
    public void A_client_that_follows_redirects_by_itself_is_noticed()
    {
        using FaultyServer server = new(question =>
            question.Path == "moved" ? question.AnswerAsync(200, Pdb) : question.RedirectAsync("/symbols/moved"));
        AssertRefused(Find(server, http: new HttpClient()), "follows redirects by itself");
    }

    [Theory]
    [InlineData(401, "wants a name and password (401)")]
    [InlineData(400, "answers 400")]
    [InlineData(204, "answers 204")]
    public void Other_answers_are_told_and_not_repeated(int status, string words)
    {
        using FaultyServer server = new(question => question.AnswerAsync(status));
        AssertRefused(Find(server), words);
        Assert.Equal(1, server.Connections);
    }

    [Fact]
    public void A_store_that_hides_what_it_does_not_have_is_asked_for_all_forms()
    {
        using FaultyServer server = new(question =>
            question.Path == PackedPath ? question.AnswerAsync(200, new HandMadeCabinet().Make(Pdb)) : question.AnswerAsync(403));
        AssertFound(Find(server));
    }

    [Fact]
    public void A_server_that_refuses_head_does_not_mind()
    {
        using FaultyServer server = new(question =>
            question.Method == "HEAD" ? question.AnswerAsync(405) : question.AnswerAsync(200, Pdb));
        AssertFound(Find(server));
    }

    [Fact]
    public void Garbage_in_place_of_http_is_told()
    {
        using FaultyServer server = new(question => question.SendAsync("SSH-2.0-OpenSSH_9.2\r\n"u8.ToArray()));
        AssertRefused(Find(server), "can't be reached");
    }

    [Fact]
    public void A_server_that_is_not_there_is_told() => AssertRefused(Find(FaultyServer.NobodysAddress()), "can't be reached");

    [Fact]
    public void Names_are_escaped_and_never_paths()
    {
        using FaultyServer server = new(question => question.AnswerAsync(404));
        using SymbolFinder finder = Folders.Finder("srv*{cache}*" + server.Address, new SymbolClient(SymbolClient.CreateHttp(), Quick));
        finder.FindPdb(@"..\..\my c++ #1.pdb", HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal($"my%20c%2B%2B%20%231.pdb/{Key}/my%20c%2B%2B%20%231.pdb", server.Paths.First());
        int before = server.Connections;
        finder.FindPdb("..", HandMadePdb.Id, TestContext.Current.CancellationToken);
        finder.FindPdb("a\r\nHost: x", HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Equal(before, server.Connections);
    }

    [Fact]
    public void Progress_is_told()
    {
        using FaultyServer server = new(question => question.AnswerAsync(200, Pdb));
        Progress progress = new();
        AssertFound(Find(server, Quick with { Progress = progress }));
        Assert.Equal(new SymbolProgress("127.0.0.1", Name, Pdb.Length, Pdb.Length), progress.Told.Last());
        Assert.Equal(progress.Told.Select(told => told.Bytes).Order(), progress.Told.Select(told => told.Bytes));
    }

    [Fact]
    public async Task Many_threads_that_want_one_file_ask_once()
    {
        using FaultyServer server = new(async question =>
        {
            await Task.Delay(50, TestContext.Current.CancellationToken);
            await question.AnswerAsync(200, Pdb);
        });
        WatchedFiles watched = new();
        using SymbolFinder finder = Folders.Finder(
            "srv*{cache}*" + server.Address, new SymbolClient(SymbolClient.CreateHttp(), Quick), files: watched);
        SymbolAnswer[] answers = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => Task.Run(
            () => finder.FindPdbAsync(i % 2 == 0 ? Name : "NIC.PDB", HandMadePdb.Id, TestContext.Current.CancellationToken))));
        Every.Item(answers, answer => Assert.Same(answers[0], answer));
        Assert.NotNull(answers[0].Bytes);
        Assert.Equal(1, server.Connections);
    }

    /// <summary>Finders that know nothing of each other stand for processes: what they share is the folder.</summary>
    [Fact]
    public async Task Several_processes_may_download_the_same_file_at_once()
    {
        using Barrier barrier = new(4);
        using FaultyServer server = new(async question =>
        {
            await Task.Run(() => barrier.SignalAndWait(TimeSpan.FromSeconds(10)));
            await question.AnswerAsync(200, Pdb);
        });
        SymbolFinder[] finders =
        [
            .. Enumerable.Range(0, 4).Select(_ =>
                Folders.Finder("srv*{cache}*" + server.Address, new SymbolClient(SymbolClient.CreateHttp(), Quick))),
        ];
        SymbolAnswer[] answers = await Task.WhenAll(
            finders.Select(finder => finder.FindPdbAsync(Name, HandMadePdb.Id, TestContext.Current.CancellationToken)));
        Every.Item(answers, AssertFound);
        Every.Item(answers, answer => Assert.Equal(Pdb, answer.Bytes!.At(0, Pdb.Length).ToArray()));
        Array.ForEach(finders, finder => finder.Dispose());
        Assert.Equal([FilePath], Folders.FilesIn("cache"));
    }

    [Fact]
    public async Task A_search_that_is_given_up_ends_soon_and_can_be_begun_again()
    {
        int asked = 0;
        TaskCompletionSource came = new();
        using FaultyServer server = new(async question =>
        {
            if (Interlocked.Increment(ref asked) == 1)
            {
                came.SetResult();
                await Task.Delay(Timeout.Infinite, TestContext.Current.CancellationToken);
            }

            await question.AnswerAsync(200, Pdb);
        });
        using SymbolFinder finder = Folders.Finder("srv*{cache}*" + server.Address, new SymbolClient(SymbolClient.CreateHttp(), Quick));
        using CancellationTokenSource first = new();
        Task<SymbolAnswer> givenUp = finder.FindPdbAsync(Name, HandMadePdb.Id, first.Token);
        await came.Task.WaitAsync(TimeSpan.FromSeconds(100), TestContext.Current.CancellationToken);
        Task<SymbolAnswer> patient = finder.FindPdbAsync(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        await first.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => givenUp);
        AssertFound(await patient.WaitAsync(TimeSpan.FromSeconds(100), TestContext.Current.CancellationToken));
        Assert.Equal([FilePath], Folders.FilesIn("cache"));
    }

    [Fact]
    public async Task Disposing_of_the_finder_ends_its_searches()
    {
        TaskCompletionSource came = new();
        using FaultyServer server = new(async question =>
        {
            came.TrySetResult();
            await Task.Delay(Timeout.Infinite, TestContext.Current.CancellationToken);
        });
        SymbolFinder finder = Folders.Finder("srv*{cache}*" + server.Address, new SymbolClient(SymbolClient.CreateHttp(), Quick));
        Task<SymbolAnswer> search = finder.FindPdbAsync(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        await came.Task.WaitAsync(TimeSpan.FromSeconds(100), TestContext.Current.CancellationToken);
        finder.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => search.WaitAsync(TimeSpan.FromSeconds(100), TestContext.Current.CancellationToken));
    }

    [Fact]
    public void A_server_without_a_place_to_download_to_is_not_asked()
    {
        using FaultyServer server = new(question => question.AnswerAsync(200, Pdb));
        using SymbolFinder finder = new(
            new DiskSymbolFiles(), HandMadePdb.ReadId,
            new SymbolFinderSettings { Path = SymbolFolders.Parse(server.Address), AskServers = true },
            new SymbolClient(SymbolClient.CreateHttp(), Quick));
        SymbolAnswer answer = finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
        Assert.Contains("there is no cache", answer.Attempts[^1].Text, StringComparison.Ordinal);
        Assert.Equal(0, server.Connections);
    }

    [Fact]
    public void A_wrong_file_in_the_cache_is_replaced_by_the_right_one()
    {
        Folders.Put("cache/" + FilePath, HandMadePdb.Make(HandMadePdb.OtherId));
        using FaultyServer server = new(question => question.AnswerAsync(200, Pdb));
        SymbolAnswer answer = Find(server);
        AssertFound(answer);
        Assert.Equal(SymbolMiss.WrongId, Assert.Single(answer.Attempts).Miss);
    }

    private static HttpClient Trusting() => new(new SocketsHttpHandler
    {
        AllowAutoRedirect = false,
        SslOptions = new SslClientAuthenticationOptions { RemoteCertificateValidationCallback = IsOurs },
    });

    private static bool IsOurs(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors) =>
        certificate?.Subject == FaultyServer.CertificateSubject;

    private sealed class Progress : IProgress<SymbolProgress>
    {
        public ConcurrentQueue<SymbolProgress> Told { get; } = new();

        public void Report(SymbolProgress value) => Told.Enqueue(value);
    }
}
