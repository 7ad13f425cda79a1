using System.CommandLine;

namespace Tracer.TracerCommand.Common.Screen;

/// <summary>How a command of <c>tracer</c> prints.</summary>
internal enum TextOrJson
{
    /// <summary>For people.</summary>
    Text,

    /// <summary>For programs.</summary>
    Json,
}

/// <summary>The option that chooses between them.</summary>
internal static class ScreenFormat
{
    private static readonly NamedChoice<TextOrJson> Names = NamedChoice.OfAll<TextOrJson>();

    public static Option<TextOrJson> Option(string description) => Names.Option("--format", description);
}
