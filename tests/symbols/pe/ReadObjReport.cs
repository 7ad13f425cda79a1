using System.Text.RegularExpressions;

namespace Tracer.Symbols.Tests.Pe;

/// <summary>What llvm-readobj says of an image, as far as the tests compare it.</summary>
internal sealed partial class ReadObjReport
{
    private readonly string _text;

    private ReadObjReport(string text) => _text = text;

    /// <summary>Name, RVA, virtual size, file offset, file size of each section.</summary>
    public IEnumerable<string> Sections =>
        from Match section in Section().Matches(_text)
        select $"{section.Groups[1].Value} {Hex(section, 3):x} {Hex(section, 2):x} {Hex(section, 5):x} "
            + section.Groups[4].Value;

    /// <summary>Ordinal, name, and RVA or forwarder of each export; not of the numbers between that nothing is exported by.</summary>
    public IEnumerable<string> Exports =>
        from Match export in Export().Matches(_text)
        where export.Groups[4].Success || Hex(export, 3) != 0
        select $"{export.Groups[1].Value} {export.Groups[2].Value.Trim()} "
            + (export.Groups[4].Success ? export.Groups[4].Value : Hex(export, 3).ToString("x", CultureInfo.InvariantCulture));

    /// <summary>Begin, end, and begin of the entry that it is chained to, or of itself, for each entry of the x64 table.</summary>
    public IEnumerable<string> UnwindX64(ulong imageBase) =>
        from string entry in _text.Split("  RuntimeFunction {").Skip(1)
        let begins = Start().Matches(entry)
        select $"{Hex(begins[0], 1) - imageBase:x} {Hex(begins[0], 2) - imageBase:x} {Hex(begins[^1], 1) - imageBase:x}";

    /// <summary>Begin and end of each entry of the ARM64 table.</summary>
    public IEnumerable<string> UnwindArm64(ulong imageBase) =>
        from Match entry in Arm64Function().Matches(_text)
        let begin = Hex(entry, 1) - imageBase
        select $"{begin:x} {begin + ulong.Parse(entry.Groups[2].Value, CultureInfo.InvariantCulture):x} {begin:x}";

    public static ReadObjReport Of(string path) => new(ChildProcess.Output(
        "llvm-readobj-16", "--file-headers", "--sections", "--coff-exports", "--unwind", "--coff-debug-directory", path));

    /// <summary>The first value of a field: a decimal number, or a hexadecimal one with 0x, perhaps in brackets behind a word.</summary>
    public ulong Number(string field)
    {
        string value = Regex.Match(_text, $@"^ *{field}: (?:.*\()?(0x[0-9A-Fa-f]+|\d+)\)?$", RegexOptions.Multiline).Groups[1].Value;
        return value.StartsWith("0x", StringComparison.Ordinal)
            ? ulong.Parse(value.AsSpan(2), NumberStyles.HexNumber, CultureInfo.InvariantCulture)
            : ulong.Parse(value, CultureInfo.InvariantCulture);
    }

    public string Text(string field) => Regex.Match(_text, $"^ *{field}: (.*)$", RegexOptions.Multiline).Groups[1].Value;

    private static ulong Hex(Match match, int group) =>
        ulong.Parse(match.Groups[group].ValueSpan, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    [GeneratedRegex(
        @"Name: (\S*) \(.*\n *VirtualSize: 0x(\w+)\n *VirtualAddress: 0x(\w+)\n *RawDataSize: (\w+)\n *PointerToRawData: 0x(\w+)")]
    private static partial Regex Section();

    [GeneratedRegex(@"Export \{\n *Ordinal: (\d+)\n *Name:(.*)\n *(?:RVA: 0x(\w+)|ForwardedTo: (.*))")]
    private static partial Regex Export();

    [GeneratedRegex(@"StartAddress: .*?\(0x(\w+)\)\s*EndAddress: .*?\(0x(\w+)\)")]
    private static partial Regex Start();

    [GeneratedRegex(@"Function: .*?0x(\w+)\)?\n(?:(?!RuntimeFunction).*\n)*? *FunctionLength: (\d+)")]
    private static partial Regex Arm64Function();
}
