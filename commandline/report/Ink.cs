namespace Tracer.CommandLine;

/// <summary>What a piece of a report is, so that a terminal can colour it; everywhere else it is plain text.</summary>
public enum Ink
{
    /// <summary>Ordinary text.</summary>
    Plain,

    /// <summary>The heading of a section.</summary>
    Heading,

    /// <summary>The name of a culprit.</summary>
    Name,

    /// <summary>That somebody is to blame.</summary>
    Guilty,

    /// <summary>That nobody is to blame.</summary>
    Innocent,

    /// <summary>That something is not known or was lost.</summary>
    Doubt,

    /// <summary>The filled part of a bar.</summary>
    Bar,

    /// <summary>What matters less: the empty part of a bar, explanations.</summary>
    Faint,
}
