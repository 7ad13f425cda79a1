using Tracer.Capture.Merge;
using Tracer.Symbols;

namespace Tracer.Capture.Tests;

/// <summary>A file is read once, and again only when it changed; whether it did is looked at once for each trace.</summary>
public sealed class ImageIdentityCacheTests
{
    private static readonly DateTime Day = new(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    private static readonly ImageFileStamp Stamp = new(4096, Day, Day);

    private readonly Files _files = new() { Stamp = Stamp };
    private readonly ImageIdentityCache _cache = new();

    [Fact]
    public void AFileThatStaysIsReadOnceForAllEpisodes()
    {
        ImageIdentity? first = Ask();
        Ask();
        _cache.BeginTrace();
        Assert.Same(first, Ask());
        Ask();
        Assert.Equal((1, 2), (_files.Reads, _files.Looks));
    }

    [Theory]
    [InlineData(4097, 0, 0)]
    [InlineData(4096, 1, 0)]
    [InlineData(4096, 0, 1)] // Replaced by one of equal size that kept its package's time.
    public void AFileThatWasReplacedIsReadAgain(long bytes, int writtenHours, int createdHours)
    {
        ImageIdentity? first = Ask();
        _files.Stamp = new ImageFileStamp(bytes, Day.AddHours(writtenHours), Day.AddHours(createdHours));
        Assert.Same(first, Ask()); // Of this trace all image records get one answer.
        _cache.BeginTrace();
        Assert.NotSame(first, Ask());
        Assert.Equal(2, _files.Reads);
    }

    [Fact]
    public void AFileOfWhichNothingIsKnownIsReadForEachTrace()
    {
        _files.Stamp = null;
        Ask();
        Ask();
        _cache.BeginTrace();
        Ask();
        Assert.Equal(2, _files.Reads);
    }

    [Fact]
    public void TheStampOfAFileOnDiskChangesWithIt()
    {
        string folder = Directory.CreateTempSubdirectory("tracer-stamp-").FullName;
        string path = Path.Combine(folder, "x.sys");
        var disk = new DiskImageFiles(name => name, []);
        Assert.Null(disk.StampOf(path));
        File.WriteAllText(path, "one");
        ImageFileStamp? one = disk.StampOf(path);
        Assert.Equal(one, disk.StampOf(path));
        Assert.Equal(3, one!.Value.Bytes);
        File.SetLastWriteTimeUtc(path, Day);
        Assert.NotEqual(one, disk.StampOf(path));
        Directory.Delete(folder, recursive: true);
    }

    private ImageIdentity? Ask() => _cache.Of(@"\SystemRoot\x.sys", _files);

    private sealed class Files : IImageFiles
    {
        public ImageFileStamp? Stamp { get; set; }

        public int Reads { get; private set; }

        public int Looks { get; private set; }

        public IReadOnlyList<VolumeName> Volumes => [];

        public ImageFileStamp? StampOf(string traceName)
        {
            Looks++;
            return Stamp;
        }

        public ImageIdentity? Read(string traceName)
        {
            Reads++;
            return new ImageIdentity(new ImageId(1, 2), null, "", null);
        }
    }
}
