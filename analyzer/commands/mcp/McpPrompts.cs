using System.Text.Json;
using ModelContextProtocol;
using ModelContextProtocol.Protocol;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;

namespace Tracer.AnalyzerCommand.Commands.Mcp;

/// <summary>What a person may choose to ask: a client shows it as a command.</summary>
internal static class McpPrompts
{
    private const int LongestValue = 1024;

    private static readonly (string Name, string Title, string Description, string[] Arguments, string Text)[] All =
    [
        ("who-was-late", "Who is to blame for the latency in a trace",
            "Names the culprit of one trace, with the proof and what to do next.",
            ["trace"],
            "Find out who is to blame for the latency in the trace {0}. Ask the tool open what it can answer, then blame; look at the "
            + "worst with episodes and timeline. Tell the verdict, what proves it, who is innocent, and the next steps. Where the verdict "
            + "is unknown, say what to record."),
        ("did-it-help", "Whether an update helped", "Compares a trace from before a change with one from after it.",
            ["before", "after"],
            "Find out with the tool diff whether the change between the trace {0} (before) and the trace {1} (after) helped or harmed, "
            + "which driver is behind it, and how small a change the data would have shown."),
        ("one-cause", "Whether one cause runs through all traces", "Judges all traces of the folders and compares who is to blame.",
            [],
            "Judge all traces with the tool verdicts, page by page. Tell which culprits several of them share, which traces cannot be "
            + "judged and why, and look at the clearest one with blame."),
    ];

    public static ListPromptsResult Listed() => new()
    {
        Prompts =
        [
            .. All.Select(one => new Prompt
            {
                Name = one.Name,
                Title = one.Title,
                Description = one.Description,
                Arguments =
                [
                    .. one.Arguments.Select(argument => new PromptArgument
                    {
                        Name = argument,
                        Description = "A trace, as the tool traces lists it.",
                        Required = true,
                    }),
                ],
            }),
        ],
    };

    /// <exception cref="McpProtocolException">There is none of this name, or a value is missing or no text.</exception>
    public static GetPromptResult Get(string? name, IDictionary<string, JsonElement>? given)
    {
        int at = Array.FindIndex(All, one => one.Name == name);
        if (at < 0)
        {
            throw new McpProtocolException("there is no such prompt; prompts/list lists them", McpErrorCode.InvalidParams);
        }

        object[] values =
        [
            .. All[at].Arguments.Select(argument => given is not null && given.TryGetValue(argument, out JsonElement value)
                && value.ValueKind == JsonValueKind.String && value.GetString() is { Length: > 0 and <= LongestValue } text
                    ? (object)BoundedJson.TextOf(PrintableText.Of(text))
                    : throw new McpProtocolException($"{argument}: the name of a trace is expected", McpErrorCode.InvalidParams)),
        ];
        return new GetPromptResult
        {
            Description = All[at].Description,
            Messages =
            [
                new PromptMessage
                {
                    Role = Role.User,
                    Content = new TextContentBlock { Text = string.Format(CultureInfo.InvariantCulture, All[at].Text, values) },
                },
            ],
        };
    }
}
