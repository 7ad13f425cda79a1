using Tracer.Capture.Driver.Modules;
using Tracer.Capture.Merge;
using Tracer.Symbols;

namespace Tracer.Capture.Tests;

/// <summary>What identifies an image is read from its headers; what is no image has no identity.</summary>
public sealed class DiskImageFilesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-image-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void AnImageHasItsIdAndItsPdb()
    {
        string path = Path.Combine(RepositoryFiles.Root, "samples", "with-symbols", "nic.sys");
        Assert.True(PeImage.TryRead(SymbolBytes.Of(File.ReadAllBytes(path)), out PeImage? image, out _));
        ImageIdentity? identity = Files().Read(path);
        Assert.NotNull(identity);
        Assert.Equal(image.Id, identity.Id);
        Assert.NotNull(identity.Pdb);
        Assert.Equal(image.PdbId, identity.Pdb);
        Assert.EndsWith("nic.pdb", identity.PdbName, StringComparison.Ordinal);
    }

    /// <summary>Who has locked a file lets go one day; what it is is known from then on.</summary>
    [Fact]
    public void AFileThatIsLockedHasNoneUntilItIsNot()
    {
        string path = TestImages.DriverIn(_folder, "nic.sys");
        var cache = new ImageIdentityCache();
        using (new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None))
        {
            Assert.Null(cache.Of(path, Files()));
            Assert.NotNull(Files().StampOf(path));
            KernelModule module = new(1, TestImages.ImageBytes, path);
            Assert.Equal(0u, Assert.Single(ModuleRecords.Of([module])).Timestamp);
        }

        Assert.Null(cache.Of(path, Files())); // Of this trace all image records get one answer.
        cache.BeginTrace();
        Assert.Equal(TestImages.Timestamp, cache.Of(path, Files())?.Id.TimeDateStamp);
    }

    [Fact]
    public void WhatIsNoImageHasNone()
    {
        string path = Path.Combine(_folder, "x.sys");
        Assert.Null(Files().Read(path));
        File.WriteAllText(path, "");
        Assert.Null(Files().Read(path));
        File.WriteAllText(path, "MZ and no more");
        Assert.Null(Files().Read(path));
        Assert.Null(Files().Read(_folder));
    }

    /// <summary>Any bytes changed, and any cut: an identity or none, no exception, and no more read than is allowed.</summary>
    [Fact]
    public void DamageIsSurvived()
    {
        byte[] image = File.ReadAllBytes(Path.Combine(RepositoryFiles.Root, "samples", "with-symbols", "nic.sys"));
        var random = new Random(7);
        string path = Path.Combine(_folder, "damaged.sys");
        for (int i = 0; i < 200; i++)
        {
            byte[] damaged = image[..random.Next(1, image.Length)];
            for (int k = 0; k < 8; k++)
            {
                damaged[random.Next(Math.Min(damaged.Length, 1024))] = (byte)random.Next(256);
            }

            File.WriteAllBytes(path, damaged);
            _ = Files().Read(path);
        }
    }

    private static DiskImageFiles Files() => new(static name => name, []);
}
