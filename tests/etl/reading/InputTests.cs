namespace Tracer.Etl.Tests.Reading;

/// <summary>Where the bytes come from: files, streams, pipes, and what is no trace at all.</summary>
public class InputTests
{
    private static readonly EtlOrder[] Orders = Enum.GetValues<EtlOrder>();

    public static TheoryData<string> Files() => [.. Selection.Some(RepositoryFiles.InCorpus("*.etl"), 7)];

    [Theory]
    [MemberData(nameof(Files))]
    public void A_pipe_gives_what_the_file_gives_in_every_order(string file) =>
        AssertPipesAgree(File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file)), 7777);

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 1)]
    [InlineData(false, 100_000)]
    [InlineData(true, 100_000)]
    public void A_pipe_may_give_bytes_one_by_one_or_many(bool compress, int chunk) =>
        AssertPipesAgree(WrittenTrace.Of(new TraceShape { Compress = compress, Events = 2000 }), chunk);

    [Fact]
    public void A_file_that_is_named_is_read_as_a_stream_is()
    {
        byte[] bytes = WrittenTrace.Of(new TraceShape { Cpus = 3, Events = 2000 });
        WithFile(bytes, path =>
        {
            foreach (EtlOrder order in Orders)
            {
                using EtlReader reader = EtlReader.Open(path);
                Assert.Equal(ReadEvents.Of(bytes, order), ReadEvents.Of(reader, order));
            }
        });
    }

    [Theory]
    [InlineData(EtlOrder.File, EtlOrder.File)]
    [InlineData(EtlOrder.Any, EtlOrder.Time)]
    [InlineData(EtlOrder.File, EtlOrder.Cpu)]
    public void A_pipe_can_be_read_once_only(EtlOrder first, EtlOrder second)
    {
        using EtlReader reader = EtlReader.Open(new ForwardStream(WrittenTrace.Of(new TraceShape()), 4096), "stdin");
        Assert.Equal(501, ReadEvents.Of(reader, first).Count);
        var again = Assert.Throws<InvalidOperationException>(() => ReadEvents.Of(reader, second));
        Assert.Equal("stdin can be read only once", again.Message);
    }

    [Fact]
    public void A_pipe_that_was_put_in_order_can_be_read_again()
    {
        using EtlReader reader = EtlReader.Open(new ForwardStream(WrittenTrace.Of(new TraceShape()), 4096));
        List<ReadEvent> byTime = ReadEvents.Of(reader, EtlOrder.Time);
        Assert.Equal(501, ReadEvents.Of(reader, EtlOrder.File).Count);
        Assert.Equal(byTime, ReadEvents.Of(reader, EtlOrder.Time));
    }

    [Fact]
    public void The_copy_of_a_pipe_is_gone_afterwards()
    {
        string[] before = Directory.GetFiles(Path.GetTempPath());
        using (EtlReader reader = EtlReader.Open(new ForwardStream(WrittenTrace.Of(new TraceShape { Events = 3000 }), 4096)))
        {
            ReadEvents.Of(reader, EtlOrder.Cpu);
        }

        // Other tests and programs make files there too, but none that is a trace; and the runtime makes pipes there, which have no
        // length, and which to open would wait for ever.
        IEnumerable<string> made = Directory.GetFiles(Path.GetTempPath()).Except(before);
        foreach (string path in made.Where(path => new FileInfo(path) is { Exists: true, Length: > 0 }))
        {
            Assert.DoesNotContain("Made up", File.Exists(path) ? TextOf(path) : "", StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_pipe_that_fails_while_it_is_copied_is_used_up()
    {
        byte[] bytes = WrittenTrace.Of(new TraceShape { Events = 30_000 });
        using EtlReader reader = EtlReader.Open(new ForwardStream(bytes, 4096, failsAt: 500_000), "stdin");
        Assert.Equal("the cable was pulled", Assert.Throws<IOException>(() => ReadEvents.Of(reader, EtlOrder.Time)).Message);
        Assert.Throws<InvalidOperationException>(() => ReadEvents.Of(reader, EtlOrder.Time));
    }

    [Theory]
    [InlineData("")]
    [InlineData("00")]
    [InlineData("7F454C46")]
    [InlineData("89504E470D0A1A0A0000000D49484452")]
    public void Short_bytes_are_no_trace(string hex) => AssertNoTrace(Convert.FromHexString(hex));

    [Fact]
    public void Other_files_are_no_trace()
    {
        AssertNoTrace([.. Enumerable.Repeat("Not a trace but a text.\r\n"u8.ToArray(), 4000).SelectMany(line => line)]);
        AssertNoTrace([.. "Microsoft C/C++ MSF 7.00\r\n\x1a"u8, 0x44, 0x53, 0, 0, 0, .. new byte[100_000]]);
        AssertNoTrace(File.ReadAllBytes(typeof(InputTests).Assembly.Location));
        byte[] noise = new byte[1_000_000];
        new Random(3).NextBytes(noise);
        AssertNoTrace(noise);
        Array.Fill(noise, (byte)0xFF);
        AssertNoTrace(noise);
        foreach (string file in RepositoryFiles.InCorpus("*.baseline.txt"))
        {
            AssertNoTrace(File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file)));
        }
    }

    [Fact]
    public void A_large_sparse_file_is_no_trace()
    {
        WithFile([], path =>
        {
            using (FileStream sparse = File.OpenWrite(path))
            {
                sparse.SetLength(100 * 1024 * 1024);
            }

            AssertRefused<EtlFormatException>(() => EtlReader.Open(path), path);
        });
    }

    [Fact]
    public void What_cannot_be_opened_says_why()
    {
        string folder = Path.GetTempPath();
        string missing = Path.Combine(folder, Path.GetRandomFileName(), "missing.etl");
        AssertRefused<EtlFormatException>(() => EtlReader.Open(folder), folder);
        AssertRefused<DirectoryNotFoundException>(() => EtlReader.Open(missing), missing);
        missing = Path.Combine(folder, Path.GetRandomFileName());
        AssertRefused<FileNotFoundException>(() => EtlReader.Open(missing), missing);
    }

    [Fact]
    public void A_file_that_may_not_be_read_says_so()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows() || Environment.IsPrivilegedProcess, "whoever may do everything can read everything");
        WithFile(WrittenTrace.Of(new TraceShape()), path =>
        {
            if (!OperatingSystem.IsWindows())
            {
                File.SetUnixFileMode(path, UnixFileMode.None);
            }

            AssertRefused<UnauthorizedAccessException>(() => EtlReader.Open(path), path);
        });
    }

    [Fact]
    public void A_file_that_becomes_shorter_while_it_is_read_gives_what_is_left()
    {
        byte[] bytes = WrittenTrace.Of(new TraceShape { Events = 40_000 });
        WithFile(bytes, path =>
        {
            using EtlReader reader = EtlReader.Open(path);
            Assert.NotEmpty(reader.Cpus);
            using (FileStream file = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
            {
                file.SetLength(bytes.Length / 2);
            }

            foreach (EtlOrder order in Orders)
            {
                Assert.InRange(ReadEvents.Of(reader, order).Count, 15_000, 25_000);
            }

            using (FileStream file = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
            {
                byte[] noise = new byte[bytes.Length];
                new Random(4).NextBytes(noise);
                file.Write(noise);
            }

            // What was read into memory before may still come.
            Every.Item(Orders, order => Assert.InRange(ReadEvents.Of(reader, order).Count, 0, 6000));
        });
    }

    private static void AssertPipesAgree(byte[] bytes, int chunk)
    {
        foreach (EtlOrder order in Orders)
        {
            using EtlReader file = EtlReader.Open(new MemoryStream(bytes));
            List<ReadEvent> events = ReadEvents.Of(file, order);
            using EtlReader pipe = EtlReader.Open(new ForwardStream(bytes, chunk));
            List<ReadEvent> piped = ReadEvents.Of(pipe, order);
            if (order == EtlOrder.Any)
            {
                events = [.. events.OrderBy(read => read.BufferOffset)];
                piped = [.. piped.OrderBy(read => read.BufferOffset)];
            }

            Assert.True(events.SequenceEqual(piped), $"{order}: {events.Count} events of the file, {piped.Count} of the pipe");
            Assert.Equal(file.Header, pipe.Header);
            Assert.Equal(ReadEvents.Text(file.Health), ReadEvents.Text(pipe.Health));
        }
    }

    private static void AssertNoTrace(byte[] bytes)
    {
        AssertRefused<EtlFormatException>(() => EtlReader.Open(new MemoryStream(bytes), "x.bin"), "x.bin");
        AssertRefused<EtlFormatException>(() => EtlReader.Open(new ForwardStream(bytes, 999), "x.bin"), "x.bin");
    }

    private static void AssertRefused<TException>(Func<EtlReader> open, string name)
        where TException : Exception
    {
        string message = Assert.Throws<TException>(open).Message;
        Assert.DoesNotContain('\n', message);
        Assert.DoesNotContain("Exception", message, StringComparison.Ordinal);
        Assert.Contains(name.TrimEnd('/'), message, StringComparison.Ordinal);
    }

    private static string TextOf(string path)
    {
        try
        {
            return System.Text.Encoding.Unicode.GetString(File.ReadAllBytes(path));
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }

    private static void WithFile(byte[] bytes, Action<string> action)
    {
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, bytes);
            action(path);
        }
        finally
        {
            File.Delete(path);
        }
    }
}
