using Tracer.Analysis.Facts;
using Tracer.Analysis.Modules;
using Tracer.Symbols;
using Tracer.Symbols.Pdb;

namespace Tracer.Analysis.Tests.Modules;

/// <summary>
/// Which PDB and image name an image's functions, by what the trace tells of it; the files are those of samples/with-symbols.
/// </summary>
public sealed class ImageSymbolsTests : IDisposable
{
    private const uint NicDpc = 0x1050;

    private static readonly PeImage Nic = Image();
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    private static PdbId Id => Nic.PdbId!.Value;

    private static string Sample => Path.Combine(RepositoryFiles.Root, "samples", "with-symbols");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_pdb_that_the_trace_names_is_used() =>
        Assert.Equal(("NicDpc", 5u, SymbolProof.Private), Found(Loaded(stamp: 0, pdb: Id), NicDpc + 5, "nic.pdb"));

    [Fact]
    public void Where_the_trace_names_no_pdb_the_image_of_its_time_stamp_and_size_does() =>
        Assert.Equal(("NicDpc", 0u, SymbolProof.Private), Found(Loaded(Nic.Id.TimeDateStamp, null), NicDpc, "nic.pdb", "nic.sys"));

    [Fact]
    public void Where_the_trace_has_no_time_stamp_an_image_that_names_the_pdb_is_the_image() =>
        Assert.Equal(("sub_1050", 1u, SymbolProof.Pdata), Found(Loaded(stamp: 0, pdb: Id), NicDpc + 1, "nic.sys"));

    [Fact]
    public void Without_any_identity_nothing_is_used() => Assert.Null(Found(Loaded(stamp: 0, pdb: null), NicDpc, "nic.pdb", "nic.sys"));

    [Fact]
    public void A_pdb_alone_is_not_used_for_a_time_stamp() =>
        Assert.Null(Found(Loaded(Nic.Id.TimeDateStamp, null), NicDpc, "nic.pdb"));

    [Theory]
    [InlineData(0)]
    [InlineData(7)]
    [InlineData(15)]
    public void One_other_byte_in_the_guid_and_neither_pdb_nor_image_is_used(int at)
    {
        byte[] guid = Id.Guid.ToByteArray();
        guid[at] ^= 1;
        LoadedImage image = Loaded(Nic.Id.TimeDateStamp, Id with { Guid = new Guid(guid) });
        Assert.Null(Found(image, NicDpc, "nic.pdb", "nic.sys"));
    }

    [Fact]
    public void Another_age_is_another_pdb() =>
        Assert.Null(Found(Loaded(stamp: 0, pdb: Id with { Age = Id.Age + 1 }), NicDpc, "nic.pdb", "nic.sys"));

    [Fact]
    public void Another_time_stamp_or_size_is_another_image()
    {
        Assert.Null(Found(Loaded(Nic.Id.TimeDateStamp + 1, Id), NicDpc, "nic.sys"));
        Assert.Null(Found(Loaded(Nic.Id.TimeDateStamp, Id, size: Nic.Id.SizeOfImage + 0x1000), NicDpc, "nic.sys"));
    }

    [Fact]
    public void One_file_in_many_processes_is_looked_for_once()
    {
        Copy("nic.pdb");
        using SymbolFinder finder = Finder();
        var symbols = new ImageSymbols(finder, Open);
        for (uint process = 100; process < 200; process++)
        {
            Assert.True(symbols.TryFind(Loaded(0, Id, process: process), NicDpc, out NamedFunction function));
            Assert.Equal("NicDpc", function.Name);
        }

        Assert.Single(symbols.Asked);
    }

    /// <summary>A reader may want to know whose a PDB is: what lies beside a trace is a stranger's.</summary>
    [Fact]
    public void The_reader_is_told_where_the_pdb_lay()
    {
        Copy("nic.pdb");
        using SymbolFinder finder = Finder();
        List<SymbolSource> sources = [];
        var symbols = new ImageSymbols(finder, (SymbolBytes bytes, SymbolSource source, out string? problem) =>
        {
            sources.Add(source);
            return Open(bytes, source, out problem);
        });
        Assert.True(symbols.TryFind(Loaded(0, Id), NicDpc, out _));
        Assert.Equal([SymbolSource.Beside], sources);
    }

    private static PeImage Image()
    {
        Assert.True(PeImage.TryRead(SymbolBytes.Of(File.ReadAllBytes(Path.Combine(Sample, "nic.sys"))), out PeImage? image, out _));
        return image;
    }

    private static LoadedImage Loaded(uint stamp, PdbId? pdb, uint? size = null, uint process = 0) => new()
    {
        Name = "nic.sys",
        Path = @"\SystemRoot\System32\drivers\nic.sys",
        Base = 0xFFFFF80030000000,
        Size = size ?? Nic.Id.SizeOfImage,
        ProcessId = process,
        LoadTicks = long.MinValue,
        UnloadTicks = long.MaxValue,
        Description = null,
        Number = (int)process,
        TimeDateStamp = stamp,
        Pdb = pdb is { } id ? new ImagePdb(@"C:\build\nic.pdb", id) : null,
    };

    private static PdbFile? Open(SymbolBytes bytes, SymbolSource source, out string? problem)
    {
        PdbFile? pdb = PdbFile.Open(bytes, out PdbFault? fault);
        problem = fault?.Message;
        return pdb;
    }

    private SymbolFinder Finder() => new(
        new DiskSymbolFiles(),
        (SymbolBytes bytes, out string? problem) => Open(bytes, SymbolSource.Beside, out problem)?.Id,
        new SymbolFinderSettings { FoldersBeside = [_folder] });

    private (string Name, uint Offset, SymbolProof Proof)? Found(LoadedImage image, uint rva, params string[] beside)
    {
        Copy(beside);
        using SymbolFinder finder = Finder();
        return new ImageSymbols(finder, Open).TryFind(image, rva, out NamedFunction function)
            ? (function.Name, function.Offset, function.Proof)
            : null;
    }

    private void Copy(params string[] names)
    {
        foreach (string name in names)
        {
            File.Copy(Path.Combine(Sample, name), Path.Combine(_folder, name), overwrite: true);
        }
    }
}
