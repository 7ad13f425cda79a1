using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using Tracer.Capture.Sessions.Native;

#pragma warning disable CA1416 // Nothing is called: these are names and values.

namespace Tracer.Capture.Tests;

/// <summary>docs/internals/etw-calls.md has every call, and says of each information class what the SDK's header says.</summary>
public sealed partial class EtwCallsTests
{
    private static readonly string[] Lines = File.ReadAllLines(Path.Combine(RepositoryFiles.Root, "docs/internals/etw-calls.md"));

    [Fact]
    public void EveryCallStandsInTheTable()
    {
        string[] calls =
        [
            .. typeof(TraceFunctions)
                .GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
                .Select(static one => one.GetCustomAttribute<LibraryImportAttribute>() is { } import ? import.EntryPoint ?? one.Name : null)
                .OfType<string>(),
        ];
        Assert.NotEmpty(calls);
        Every.Item(calls, call => Assert.Contains(
            Lines, line => line.StartsWith('|') && line.Contains($"`{call}`", StringComparison.Ordinal)));
    }

    [Fact]
    public void EveryInformationClassStandsInTheTableWithItsValue() => Assert.Equal(
        Enum.GetValues<TraceInformationClass>().Select(static one => (one.ToString(), (int)one)).Order(),
        Table().Select(static one => (one.Name, one.Value)).Order());

    /// <summary>The table has what the code does: no call with a class in a way that it lacks, and none that nobody makes.</summary>
    [Fact]
    public void TheCodeMakesTheCallsOfTheTable()
    {
        string[] made =
        [
            .. Directory.GetFiles(Path.Combine(RepositoryFiles.Root, "tracer/capture"), "*.cs", SearchOption.AllDirectories)
                .SelectMany(static file => Call().Matches(File.ReadAllText(file)))
                .Select(static call => $"`{call.Groups[1].Value}` {call.Groups[2].Value}").Distinct().Order(StringComparer.Ordinal),
        ];
        Assert.Equal(
            Table().SelectMany(static one => one.Calls.Split(", ").Select(call => $"{call} {one.Name}")).Order(StringComparer.Ordinal),
            made);
    }

    /// <summary>Each class that the kernel is asked for stands in the table with its value, and no other.</summary>
    [Fact]
    public void TheKernelIsAskedForTheClassesOfTheTable()
    {
        string[] asked =
        [
            .. Directory.GetFiles(Path.Combine(RepositoryFiles.Root, "tracer"), "*.cs", SearchOption.AllDirectories)
                .Select(static file => File.ReadAllText(file))
                .SelectMany(static text => KernelCall().Matches(text).Select(call =>
                    $"{call.Groups[1].Value} {Regex.Match(text, $@"const uint {call.Groups[1].Value} = (\d+);").Groups[1].Value}"))
                .Distinct().Order(StringComparer.Ordinal),
        ];
        Assert.NotEmpty(asked);
        Assert.Equal(
            Lines.Select(static line => KernelRow().Match(line)).Where(static match => match.Success)
                .Select(static match => $"{match.Groups[1].Value} {match.Groups[2].Value}").Order(StringComparer.Ordinal),
            asked);
    }

    /// <summary>A class that is only set is not asked for, and the other way round.</summary>
    [Fact]
    public void ACallGoesNoWayThatTheTableDoesNotName() => Every.Item(Table(), static one => Assert.Equal(
        (one.Calls.Contains("`TraceSetInformation`", StringComparison.Ordinal),
            one.Calls.Contains("`TraceQueryInformation`", StringComparison.Ordinal)),
        (one.Set, one.Query)));

    /// <summary>The comment before each class names the functions that take it.</summary>
    [Fact]
    public void TheHeaderSaysTheSame()
    {
        string? headers = SdkHeaders.Folder();
        Assert.SkipWhen(headers is null, "Microsoft.Windows.SDK.CPP is not restored (tests/capture/sessions/headers/README.md)");
        string text = File.ReadAllText(Path.Combine(headers!, "shared", "evntrace.h"));
        Every.Item(Table(), one =>
        {
            Match value = Regex.Match(text, $@"((?:[ \t]*//[^\n]*\n)+)\s*{one.Name} = (\d+),");
            Assert.True(value.Success, one.Name);
            Assert.Equal(one.Value, int.Parse(value.Groups[2].Value, CultureInfo.InvariantCulture));
            string comment = value.Groups[1].Value;
            Assert.Equal(
                (one.Set, one.Query),
                (comment.Contains("- TraceSetInformation", StringComparison.Ordinal),
                    comment.Contains("- TraceQueryInformation", StringComparison.Ordinal)));
        });
    }

    private static IReadOnlyList<(string Calls, string Name, int Value, bool Set, bool Query)> Table()
    {
        (string, string, int, bool, bool)[] rows =
        [
            .. Lines.Select(static line => Row().Match(line)).Where(static match => match.Success).Select(static match => (
                match.Groups[1].Value,
                match.Groups[2].Value,
                int.Parse(match.Groups[3].Value, CultureInfo.InvariantCulture),
                match.Groups[4].Value == "yes",
                match.Groups[5].Value == "yes")),
        ];
        Assert.NotEmpty(rows);
        return rows;
    }

    [GeneratedRegex(@"(Trace(?:Set|Query)Information)\([^;]*?TraceInformationClass\.(\w+)")]
    private static partial Regex Call();

    [GeneratedRegex(@"NtQuerySystemInformation\((\w+),")]
    private static partial Regex KernelCall();

    [GeneratedRegex(@"^\| `(System\w+)` \| (\d+) \|")]
    private static partial Regex KernelRow();

    [GeneratedRegex(@"^\| (`Trace\w+`(?:, `Trace\w+`)?) \| `(\w+)` \| (\d+) \| (yes|no) \| (yes|no) \|")]
    private static partial Regex Row();
}
