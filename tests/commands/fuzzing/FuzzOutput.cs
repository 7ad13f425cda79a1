using System.Text;
using System.Text.Json;

namespace Tracer.Commands.Tests.Fuzzing;

/// <summary>
/// Takes what a command prints: counts it, and looks for what must never come out. Keeps nothing but JSON, to see whether it is valid.
/// </summary>
internal sealed class FuzzOutput(bool isJson) : TextWriter(CultureInfo.InvariantCulture)
{
    /// <summary>JSON that is longer is not kept: there is the same in short files.</summary>
    private const int MostKept = 16 * 1024 * 1024;

    private readonly StringBuilder _json = new();
    private char _before;

    public override Encoding Encoding => Encoding.UTF8;

    public long Characters { get; private set; }

    /// <summary>What may not be printed and was; null for nothing.</summary>
    public string? Problem { get; private set; }

    public override void Write(char value) => Write(new ReadOnlySpan<char>(in value));

    public override void Write(string? value) => Write(value.AsSpan());

    public override void Write(char[] buffer, int index, int count) => Write(buffer.AsSpan(index, count));

    public override void Write(ReadOnlySpan<char> buffer)
    {
        Characters += buffer.Length;
        foreach (char one in buffer)
        {
            bool isPair = char.IsLowSurrogate(one) && char.IsHighSurrogate(_before);
            bool isHarmless = (!char.IsControl(one) || one is '\n' or '\r') && (_before != '\r' || one == '\n');
            if (!isHarmless || (char.IsLowSurrogate(one) && !isPair) || (char.IsHighSurrogate(_before) && !isPair)
                || one is '\u2028' or '\u2029' or (>= '\u202a' and <= '\u202e') or (>= '\u2066' and <= '\u2069'))
            {
                Problem ??= $"printed U+{(int)one:X4}";
            }

            _before = one;
        }

        if (isJson && Characters <= MostKept)
        {
            _json.Append(buffer);
        }
    }

    /// <summary>What is wrong with all of it; null for nothing. Of a command that failed, JSON may be missing.</summary>
    public string? ProblemAtTheEnd()
    {
        if (Problem is not null || !isJson || Characters > MostKept || Characters == 0)
        {
            return Problem;
        }

        var reader = new Utf8JsonReader(
            Encoding.UTF8.GetBytes(_json.ToString()), new JsonReaderOptions { AllowMultipleValues = true, MaxDepth = 512 });
        try
        {
            while (reader.Read())
            {
            }

            return null;
        }
        catch (JsonException fault)
        {
            return $"JSON: {fault.Message}";
        }
    }
}
