namespace Tracer.Symbols.Tests.Finding;

/// <summary>One server, one file, and a cache that is empty at first.</summary>
public abstract class DownloadCase : IDisposable
{
    protected const string Name = "nic.pdb";

    protected static readonly string Key = HandMadePdb.Id.StoreKey;
    protected static readonly string FilePath = $"{Name}/{Key}/{Name}";
    protected static readonly string PackedPath = $"{Name}/{Key}/nic.pd_";
    protected static readonly string PointerPath = $"{Name}/{Key}/file.ptr";
    protected static readonly byte[] Pdb = HandMadePdb.Make(HandMadePdb.Id, 600);

    protected static readonly SymbolClientSettings Quick = new()
    {
        FirstDelay = TimeSpan.FromMilliseconds(1),
        AnswerTimeout = TimeSpan.FromSeconds(15),
        SilenceTimeout = TimeSpan.FromSeconds(15),
    };

    private protected SymbolFolders Folders { get; } = new();

    public void Dispose()
    {
        Folders.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected SymbolAnswer Find(FaultyServer server, SymbolClientSettings? settings = null, HttpClient? http = null) =>
        Find(server.Address, settings, http);

    protected SymbolAnswer Find(string address, SymbolClientSettings? settings = null, HttpClient? http = null)
    {
        using HttpClient client = http ?? SymbolClient.CreateHttp();
        using SymbolFinder finder = Folders.Finder("srv*{cache}*" + address, new SymbolClient(client, settings ?? Quick));
        return finder.FindPdb(Name, HandMadePdb.Id, TestContext.Current.CancellationToken);
    }

    protected void AssertFound(SymbolAnswer answer)
    {
        Assert.True(answer.Bytes is not null, string.Join('\n', answer.Attempts));
        Assert.Equal(SymbolSource.Server, answer.Source);
        Assert.Equal([FilePath], Folders.FilesIn("cache"));
        Assert.Equal(Pdb, File.ReadAllBytes(answer.Path!));
    }

    protected SymbolAttempt AssertRefused(SymbolAnswer answer, string words, SymbolMiss miss = SymbolMiss.Server)
    {
        Assert.Null(answer.Bytes);
        SymbolAttempt attempt = answer.Attempts[^1];
        Assert.True(attempt.ToString().Contains(words, StringComparison.Ordinal), attempt.ToString());
        Assert.Equal(miss, attempt.Miss);
        Assert.Empty(Folders.FilesIn("cache"));
        return attempt;
    }
}
