using System.Reflection.PortableExecutable;

namespace Tracer.Symbols.Tests.Pe;

/// <summary>
/// Images that happen to be on the machine: the .NET runtime's own (also ready-to-run ones), mingw's and Wine's libraries, those of the
/// NuGet packages. What .NET's own reader says of them is what ours says.
/// </summary>
public class RealImageTests
{
    private const int MaximumFiles = 400;

    private static IEnumerable<string> Folders()
    {
        yield return AppContext.BaseDirectory;
        yield return Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        yield return "/usr/x86_64-w64-mingw32";
        yield return "/usr/i686-w64-mingw32";
        yield return "/usr/lib/gcc/x86_64-w64-mingw32";
        yield return "/usr/lib/x86_64-linux-gnu/wine";
        yield return "/usr/lib/wine";
        string packages = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        yield return Path.Combine(packages, "microsoft.diagnostics.tracing.traceevent");
        yield return Path.Combine(packages, "gee.external.capstone");
    }

    /// <summary>A quarter by default.</summary>
    private static IEnumerable<string> Files() => Selection.Some(
        from folder in Folders()
        where Directory.Exists(folder)
        from file in Directory.EnumerateFiles(folder, "*.dll", SearchOption.AllDirectories).Take(MaximumFiles)
        select file,
        0,
        parts: 4);

    [Fact]
    public void Real_images_are_read_without_oddities_and_as_dotnet_reads_them()
    {
        int images = 0;
        foreach (string path in Files())
        {
            byte[] bytes = File.ReadAllBytes(path);
            if (!PeImage.TryRead(SymbolBytes.Of(bytes), out PeImage? image, out string? problem))
            {
                Assert.Fail($"{path}: {problem}");
            }

            images++;
            Assert.True(image.Oddities.Count == 0, $"{path}: {string.Join("; ", image.Oddities)}");
            using var reader = new PEReader(new MemoryStream(bytes));
            PEHeader header = reader.PEHeaders.PEHeader!;
            Assert.Equal((uint)reader.PEHeaders.CoffHeader.TimeDateStamp, image.Id.TimeDateStamp);
            Assert.Equal((uint)header.SizeOfImage, image.Id.SizeOfImage);
            Assert.Equal(header.CheckSum, image.CheckSum);
            Assert.Equal(header.CorHeaderTableDirectory.Size != 0, image.IsManaged);
            ComparePdbs(reader, image);
            CheckFunctions(path, image, bytes, (uint)header.ExceptionTableDirectory.RelativeVirtualAddress);
        }

        TestContext.Current.SendDiagnosticMessage($"{images} real images");
        Assert.True(images > (Selection.IsAll ? 100 : 25), $"{images} images");
    }

    private static void ComparePdbs(PEReader reader, PeImage image)
    {
        System.Collections.Immutable.ImmutableArray<DebugDirectoryEntry> entries = reader.ReadDebugDirectory();
        Assert.Equal(entries.Any(entry => entry.Type == DebugDirectoryEntryType.Reproducible), image.IsReproducible);
        foreach (DebugDirectoryEntry entry in entries.Where(entry => entry.Type == DebugDirectoryEntryType.CodeView))
        {
            CodeViewDebugDirectoryData told = reader.ReadCodeViewDebugDirectoryData(entry);
            PdbReference pdb = Assert.Single(image.Pdbs, pdb => pdb.Id?.Guid == told.Guid && pdb.Path == told.Path);
            Assert.Equal((uint)told.Age, pdb.Age);
            Assert.Equal(entry.IsPortableCodeView, pdb.IsPortable);
        }
    }

    /// <summary>
    /// The first and the last address of each function find it; exports that lie in a section have bytes. Compilers leave entries of no
    /// length for pieces that became empty: they are no functions.
    /// </summary>
    private static void CheckFunctions(string path, PeImage image, byte[] bytes, uint tableRva)
    {
        const int EntrySizeOfX64 = 12;
        for (int i = 0; i < image.UnwindEntries; i++)
        {
            if (image.Machine == PeMachine.X64 && image.TryGetOffset(tableRva + (uint)(i * EntrySizeOfX64), out long offset)
                && BitConverter.ToUInt32(bytes, (int)offset) == BitConverter.ToUInt32(bytes, (int)offset + 4))
            {
                Assert.False(image.TryGetFunction(i, out _), $"{path}: entry {i} is empty");
                continue;
            }

            Assert.True(image.TryGetFunction(i, out FunctionBounds entry), $"{path}: entry {i}");
            Assert.True(image.TryFindFunction(entry.PieceBegin, out FunctionBounds found) && found == entry, $"{path}: {entry} is {found}");
            Assert.True(image.TryFindFunction(entry.PieceEnd - 1, out found) && found == entry, $"{path}: {entry} is {found}");
        }

        foreach (PeExport export in image.Exports)
        {
            Assert.True(export.Forwarder is not null || export.Rva < image.Id.SizeOfImage, $"{path}: {export}");
            Assert.True(export.Forwarder?.Contains('.', StringComparison.Ordinal) ?? true, $"{path}: {export.Forwarder}");
        }
    }
}
