using Tracer.Symbols.Tests.Pe;

namespace Tracer.Symbols.Tests.Finding;

/// <summary>Images by what a trace tells of them: their identity, the PDB that they must name, or one of both.</summary>
public sealed class FindImageTests : IDisposable
{
    private readonly SymbolFolders _folders = new();
    private readonly byte[] _image = new HandMadePe().Bytes;

    private ImageId Id => HandMadePe.Read(_image).Id;

    public void Dispose() => _folders.Dispose();

    [Fact]
    public void An_image_without_any_identity_is_not_looked_for()
    {
        using SymbolFinder finder = _folders.Finder("");
        Assert.Throws<ArgumentException>(
            () => finder.FindImage("nic.sys", null, null, isNearOnly: false, TestContext.Current.CancellationToken));
    }

    [Fact]
    public void An_image_that_names_another_pdb_is_refused_with_both_ids()
    {
        _folders.Put("traces/nic.sys", _image);
        using SymbolFinder finder = _folders.Finder("", beside: "traces");
        Assert.NotNull(finder.FindImage("nic.sys", Id, null, isNearOnly: true, TestContext.Current.CancellationToken).Bytes);
        SymbolAnswer answer = finder.FindImage("nic.sys", Id, HandMadePdb.Id, isNearOnly: true, TestContext.Current.CancellationToken);
        Assert.Null(answer.Bytes);
        SymbolAttempt attempt = Assert.Single(answer.Attempts);
        Assert.Equal(SymbolMiss.WrongId, attempt.Miss);
        Assert.EndsWith($"names the PDB of nobody, not {HandMadePdb.Id.StoreKey}.", attempt.ToString(), StringComparison.Ordinal);
    }

    /// <summary>A store keys images by their identity: without it there is no place to look.</summary>
    [Fact]
    public void By_its_pdb_alone_an_image_is_looked_for_in_plain_folders_only()
    {
        var files = new WatchedFiles();
        _folders.Put("plain/other.sys", _image);
        using SymbolFinder finder = _folders.Finder("{plain};srv*{store}*http://192.0.2.1/symbols", files: files);
        Assert.Null(finder.FindImage("nic.sys", null, HandMadePdb.Id, isNearOnly: false, TestContext.Current.CancellationToken).Bytes);
        Assert.DoesNotContain(files.Touched, path => path.StartsWith(_folders["store"], StringComparison.Ordinal));
        Assert.Contains(files.Touched, path => path.StartsWith(_folders["plain"], StringComparison.Ordinal));
    }

    [Fact]
    public void No_server_is_asked_for_an_image_that_is_wanted_only_if_it_is_near()
    {
        using var server = new FaultyServer(new Dictionary<string, byte[]>());
        var client = new SymbolClient(SymbolClient.CreateHttp());
        using SymbolFinder finder = _folders.Finder($"srv*{{store}}*{server.Address}", client);
        Assert.Null(finder.FindImage("nic.sys", Id, null, isNearOnly: true, TestContext.Current.CancellationToken).Bytes);
        Assert.Empty(server.Questions);
        Assert.Null(finder.FindImage("nic.sys", Id, null, isNearOnly: false, TestContext.Current.CancellationToken).Bytes);
        Assert.NotEmpty(server.Questions);
    }
}
