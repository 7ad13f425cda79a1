using Tracer.Capture.Triggers.Events;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>What <c>--trigger</c> names.</summary>
internal sealed record TriggerList(IReadOnlyList<TriggerKind> Kinds, IReadOnlyList<EventCondition> Events)
{
    /// <summary>
    /// Splits a list at its commas, but not at those between quotation marks: a text that a field is compared with may have some.
    /// </summary>
    public static IEnumerable<string> Split(string text)
    {
        int begin = 0;
        bool isQuoted = false;
        for (int i = 0; i < text.Length; i++)
        {
            isQuoted ^= text[i] == '"';
            if (text[i] == ',' && !isQuoted)
            {
                yield return text[begin..i];
                begin = i + 1;
            }
        }

        yield return text[begin..];
    }
}
