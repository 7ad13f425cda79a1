using Tracer.AnalyzerCommand.Commands.Blame;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.Commands.Tests.Common;

public class OutputFormatsTests
{
    /// <summary>A format that is added without a word for it fails here, and not in a user's message.</summary>
    [Fact]
    public void Every_format_has_a_name_of_its_own()
    {
        OutputFormat[] formats = Enum.GetValues<OutputFormat>();
        Assert.Equal(formats.Length, formats.Select(OutputFormats.NameOf).Distinct().Count());
        Assert.Equal("text", OutputFormats.NameOf(OutputFormat.Text));
    }

    [Fact]
    public void No_style_but_our_own_is_anything_but_text()
    {
        foreach (BlameStyle style in Enum.GetValues<BlameStyle>())
        {
            foreach (OutputFormat format in Enum.GetValues<OutputFormat>())
            {
                bool isMeant = style == BlameStyle.Own || format == OutputFormat.Text;
                string? problem = BlameStyles.Problem(style, format);
                Assert.Equal(isMeant, problem is null);
                Assert.True(isMeant || problem!.Contains($"asks for {OutputFormats.NameOf(format)};", StringComparison.Ordinal));
            }
        }
    }
}
