using System.Text;
using System.Text.RegularExpressions;

namespace Tracer.Capture.Tests;

/// <summary>
/// Asks a C compiler for the sizes, offsets and constants of <see cref="HeaderCatalog"/>: a C file whose one array holds them, compiled
/// to LLVM's text form, where they stand as numbers. Nothing is linked or run.
/// </summary>
internal static partial class HeaderProgram
{
    /// <summary>Compiles and reads the numbers.</summary>
    /// <param name="folder">A folder for the C file.</param>
    /// <param name="without">Names that these headers do not have.</param>
    /// <param name="options">Target and headers.</param>
    /// <returns>Numbers by name, in the order of the catalogue.</returns>
    public static IReadOnlyList<(string Name, ulong Value)> Compile(
        string folder, IReadOnlyCollection<string> without, params string[] options)
    {
        (string Name, string Expression)[] entries = [.. Entries().Where(one => !without.Contains(one.Name.Split('.')[0]))];
        string source = Path.Combine(folder, "table.c");
        File.WriteAllText(source, Source(entries.Select(static one => one.Expression)));
        string text = ChildProcess.Output("clang-16", [.. options, "-S", "-emit-llvm", "-o", "-", source]);
        Match table = Table().Match(text);
        Assert.True(table.Success, "the compiler's output holds no table");
        ulong[] numbers = [.. Number().Matches(table.Groups[1].Value).Select(
            static one => unchecked((ulong)long.Parse(one.Groups[1].Value, CultureInfo.InvariantCulture)))];
        Assert.Equal(entries.Length, numbers.Length);
        return [.. entries.Zip(numbers, static (entry, number) => (entry.Name, number))];
    }

    private static string Source(IEnumerable<string> expressions)
    {
        StringBuilder source = new();
        source.AppendLine("#define WIN32_LEAN_AND_MEAN")
            .AppendLine("#include <windows.h>")
            .AppendLine("#include <stddef.h>")
            .AppendLine("#include <winternl.h>")
            .AppendLine("#include <wmistr.h>")
            .AppendLine("#include <evntrace.h>")
            .AppendLine("#include <evntprov.h>")
            .AppendLine("#include <evntcons.h>")
            .AppendLine("#include <wintrust.h>")
            .AppendLine("const unsigned long long table[] = {");
        foreach (string expression in expressions)
        {
            source.AppendLine(CultureInfo.InvariantCulture, $"\t{expression},");
        }

        return source.AppendLine("};").ToString();
    }

    private static IEnumerable<(string Name, string Expression)> Entries()
    {
        foreach (HeaderStructure one in HeaderCatalog.Structures)
        {
            yield return (one.Name, one.SizeExpression ?? $"sizeof({one.Name})");
            foreach (string field in StructureLayout.Of(one.Type, 8).Offsets.Keys)
            {
                string path = one.OtherNames?.GetValueOrDefault(field) ?? field;
                yield return ($"{one.Name}.{field}", $"offsetof({one.Name}, {path})");
            }
        }

        foreach (HeaderConstant one in HeaderCatalog.Constants)
        {
            yield return (one.Name, one.Name);
        }
    }

    [GeneratedRegex(@"@table = .*constant \[\d+ x i64\] \[(.*)\]")]
    private static partial Regex Table();

    [GeneratedRegex(@"i64 (-?\d+)")]
    private static partial Regex Number();
}
