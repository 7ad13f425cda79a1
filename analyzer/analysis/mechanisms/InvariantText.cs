using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Mechanisms;

/// <summary>An interpolated string that is formatted in the invariant culture, also where several are joined with <c>+</c>.</summary>
[InterpolatedStringHandler]
internal ref struct InvariantText
{
    private DefaultInterpolatedStringHandler _text;

    public InvariantText(int literalLength, int formattedCount) =>
        _text = new DefaultInterpolatedStringHandler(literalLength, formattedCount, CultureInfo.InvariantCulture);

    public void AppendLiteral(string value) => _text.AppendLiteral(value);

    public void AppendFormatted<T>(T value) => _text.AppendFormatted(value);

    public void AppendFormatted<T>(T value, string? format) => _text.AppendFormatted(value, format);

    /// <summary>The text. Call it once only.</summary>
    public string Take() => _text.ToStringAndClear();
}
