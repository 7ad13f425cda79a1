using System.Reflection;
using System.Runtime.InteropServices;
using Tracer.Capture.Probe;
using Tracer.Capture.Sessions;
using Tracer.Capture.Sessions.Native;
using Tracer.Windows;

namespace Tracer.Capture.Tests;

/// <summary>
/// What our P/Invokes repeat of Windows is what the SDK's own headers say, for 64 and 32 bits. windows-headers.txt is made from these
/// headers; where they and clang are at hand, it is made again and must not differ.
/// </summary>
public sealed class WindowsHeadersTests : IDisposable
{
    private const string Stored = "tests/capture/sessions/headers/windows-headers.txt";
    private const string Mingw = "/usr/share/mingw-w64/include";

    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-headers-").FullName;

    [Fact]
    public void TheStoredTableIsWhatTheHeadersSay()
    {
        string? headers = SdkHeaders.Folder();
        Assert.SkipWhen(headers is null, "Microsoft.Windows.SDK.CPP is not restored (tests/capture/sessions/headers/README.md)");
        RequireClang();
        string[] options = SdkHeaders.Options(headers!, _folder);
        GoldenText.AssertEqual(Stored, Text(
            HeaderProgram.Compile(_folder, [], ["--target=x86_64-pc-windows-msvc", .. options]),
            HeaderProgram.Compile(_folder, [], ["--target=i686-pc-windows-msvc", .. options])));
    }

    [Fact]
    public void OurStructuresAndConstantsAreThoseOfTheTable()
    {
        Assert.Equal(
            File.ReadAllText(Path.Combine(RepositoryFiles.Root, Stored)), Text([.. Ours(pointerBytes: 8)], [.. Ours(pointerBytes: 4)]));
    }

    [Fact]
    public void TheRuntimeLaysOurStructuresOutByTheRules()
    {
        Assert.SkipWhen(nint.Size != 8, "a 64-bit process");
        foreach (HeaderStructure one in HeaderCatalog.Structures)
        {
            (int bytes, IReadOnlyDictionary<string, int> offsets) = StructureLayout.Of(one.Type, nint.Size);
            Assert.Equal(bytes, Marshal.SizeOf(one.Type));
            foreach ((string field, int offset) in offsets)
            {
                Assert.Equal(offset, (int)Marshal.OffsetOf(one.Type, field));
            }
        }
    }

    [Fact]
    public void MingwsHeadersAgree()
    {
        RequireClang();
        Assert.SkipUnless(File.Exists(Mingw + "/evntrace.h"), "the headers of mingw-w64 are not installed");
        string[] options = ["-isystem", Mingw];
        IEnumerable<string> stored = File.ReadLines(Path.Combine(RepositoryFiles.Root, Stored))
            .Where(static line => !HeaderCatalog.NotInMingw.Contains(line.Split(' ', '.')[0]));
        Assert.Equal(string.Join('\n', [.. stored, ""]), Text(
            HeaderProgram.Compile(_folder, HeaderCatalog.NotInMingw, ["--target=x86_64-w64-mingw32", .. options]),
            HeaderProgram.Compile(_folder, HeaderCatalog.NotInMingw, ["--target=i686-w64-mingw32", .. options])));
    }

    [Fact]
    public void EveryStructureOfAPInvokeIsInTheCatalog()
    {
        HashSet<Type> known = [.. HeaderCatalog.Structures.Select(static one => one.Type), .. HeaderCatalog.InNoHeader];
        IEnumerable<Type> used = typeof(ITraceSessions).Assembly.GetTypes()
            .SelectMany(static type => type.GetMethods(
                BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            .Where(static method => method.GetCustomAttribute<LibraryImportAttribute>() is not null)
            .SelectMany(static method => method.GetParameters())
            .Select(static parameter => Pointed(parameter.ParameterType))
            .Where(static type => type is { IsValueType: true, IsPrimitive: false, IsEnum: false })
            .Where(static type => type.Assembly == typeof(ITraceSessions).Assembly);
        Assert.NotEmpty(used);
        Assert.DoesNotContain(used, type => !known.Contains(type));
    }

    [Fact]
    public void EveryConstantIsInTheCatalog()
    {
        Assert.Equal(ConstantsOf(typeof(EtwConstants)), HeaderCatalog.EtwConstantNames.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(ConstantsOf(typeof(EtwError)), HeaderCatalog.EtwErrorNames.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(ConstantsOf(typeof(ThreadNatives)), HeaderCatalog.ThreadNames.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(ConstantsOf(typeof(ProbeNatives)), HeaderCatalog.ProbeNames.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(
            RecordedEvents.Recorder.Where(static one => one.EnableFlag != 0).Select(static one => one.Name).Order(StringComparer.Ordinal),
            HeaderCatalog.EnableFlagNames.Keys.Order(StringComparer.Ordinal));
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static void RequireClang()
    {
        string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        Assert.SkipUnless(folders.Any(static folder => File.Exists(Path.Combine(folder, "clang-16"))), "clang-16 is not installed");
    }

    private static Type Pointed(Type type)
    {
        while (type.HasElementType)
        {
            type = type.GetElementType()!;
        }

        return type;
    }

    private static IEnumerable<string> ConstantsOf(Type type) =>
        type.GetFields().Select(static field => field.Name).Order(StringComparer.Ordinal);

    private static IEnumerable<(string Name, ulong Value)> Ours(int pointerBytes)
    {
        foreach (HeaderStructure one in HeaderCatalog.Structures)
        {
            (int bytes, IReadOnlyDictionary<string, int> offsets) = StructureLayout.Of(one.Type, pointerBytes);
            yield return (one.Name, (ulong)bytes);
            foreach ((string field, int offset) in offsets)
            {
                yield return ($"{one.Name}.{field}", (ulong)offset);
            }
        }

        foreach (HeaderConstant one in HeaderCatalog.Constants)
        {
            yield return (one.Name, one.Value);
        }
    }

    private static string Text(IReadOnlyList<(string Name, ulong Value)> win64, IReadOnlyList<(string Name, ulong Value)> win32)
    {
        IEnumerable<string> lines = win64.Zip(win32, static (one, other) =>
        {
            Assert.Equal(one.Name, other.Name);
            return string.Create(CultureInfo.InvariantCulture, $"{one.Name,-44} {one.Value,10} {other.Value,10}");
        });
        return string.Join('\n', ["name                                              win64      win32", .. lines, ""]);
    }
}
