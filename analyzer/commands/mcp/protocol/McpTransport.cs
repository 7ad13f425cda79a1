using System.Text.Json;
using System.Text.Json.Nodes;
using ModelContextProtocol;
using ModelContextProtocol.Protocol;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Protocol;

/// <summary>
/// The messages of one client, a line of JSON each, as the protocol has them for standard input and output. Whatever comes, memory is
/// bounded: a line that is too long is passed over, what is no message is answered by an error, notifications that mean nothing here are
/// dropped, and only so many requests are answered at once. Where a client does not read its answers, no more is read from it.
/// </summary>
internal sealed class McpTransport : TransportBase
{
    /// <summary>The longest line that is read, in bytes: requests name a trace and a few settings.</summary>
    public const int LongestLine = 1 << 20;

    /// <summary>So many requests are answered at once; one more is refused.</summary>
    public const int MostRequests = 32;

    private const int BusyCode = -32000;

    private readonly Stream _input;
    private readonly PrintableWriter _output;
    private readonly TimeSpan _patience;
    private readonly SemaphoreSlim _sending = new(1, 1);
    private readonly HashSet<RequestId> _open = [];
    private readonly TaskCompletionSource _isAnswered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _hasEnded;
    private bool _isInitialized;

    /// <param name="output">What the client is told; only whole lines are written.</param>
    /// <param name="patience">How long requests may still be answered when the input has ended.</param>
    public McpTransport(Stream input, PrintableWriter output, TimeSpan patience)
        : base("analyzer mcp", loggerFactory: null)
    {
        (_input, _output, _patience) = (input, output, patience);
        SetConnected();
        Reading = Task.Run(ReadAsync);
    }

    public Task Reading { get; }

    public override async Task SendMessageAsync(JsonRpcMessage message, CancellationToken cancellationToken = default)
    {
        string line = JsonSerializer.Serialize(message, McpJsonUtilities.DefaultOptions.GetTypeInfo(typeof(JsonRpcMessage)));
        await WriteLineAsync(line, cancellationToken).ConfigureAwait(false);
        if (message is JsonRpcResponse or JsonRpcError)
        {
            Close(((JsonRpcMessageWithId)message).Id);
        }
    }

    public override ValueTask DisposeAsync()
    {
        SetDisconnected();
        return ValueTask.CompletedTask;
    }

    private async Task ReadAsync()
    {
        try
        {
            var lines = new BoundedLines(_input, LongestLine);
            while (await lines.ReadAsync().ConfigureAwait(false))
            {
                await TakeAsync(lines.Line, lines.IsTooLong).ConfigureAwait(false);
            }

            await LastAnswersAsync().ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is IOException or ObjectDisposedException or UnauthorizedAccessException)
        {
            // The client is gone, and nobody is there to be told.
        }
        finally
        {
            SetDisconnected();
        }
    }

    private async Task TakeAsync(ReadOnlyMemory<byte> line, bool isTooLong)
    {
        if (isTooLong)
        {
            await RefuseAsync(null, (int)McpErrorCode.InvalidRequest, $"a message has at most {LongestLine} bytes").ConfigureAwait(false);
            return;
        }

        if (line.Span.Trim(" \t\r"u8).IsEmpty)
        {
            return;
        }

        JsonRpcMessage? message = null;
        try
        {
            message = (JsonRpcMessage?)JsonSerializer.Deserialize(
                line.Span, McpJsonUtilities.DefaultOptions.GetTypeInfo(typeof(JsonRpcMessage)));
        }
        catch (Exception problem) when (problem is JsonException or InvalidOperationException or ArgumentException or FormatException)
        {
            // What it was is looked into below.
        }

        switch (message)
        {
            case JsonRpcRequest request when RequestShape.Problem(request) is { } problem:
                await RefuseAsync(request.Id, (int)McpErrorCode.InvalidParams, problem).ConfigureAwait(false);
                break;
            case JsonRpcRequest request when !TryOpen(request.Id, out string? why):
                await RefuseAsync(request.Id, BusyCode, why!).ConfigureAwait(false);
                break;
            case JsonRpcRequest request:
                await WriteMessageAsync(request).ConfigureAwait(false);
                break;
            case JsonRpcNotification notification when IsMeant(notification):
                await WriteMessageAsync(notification).ConfigureAwait(false);
                break;
            case null:
                await RefuseAsync(line).ConfigureAwait(false);
                break;
            default:
                break; // A notification without meaning here, or an answer to what was never asked.
        }
    }

    /// <summary>Refuses a line that is no message: -32700 where it is no JSON, else -32600, with its id where it has one.</summary>
    private Task RefuseAsync(ReadOnlyMemory<byte> line)
    {
        RequestId? id = null;
        try
        {
            using var parsed = JsonDocument.Parse(line);
            if (parsed.RootElement.ValueKind == JsonValueKind.Object && parsed.RootElement.TryGetProperty("id", out JsonElement given))
            {
                id = given.ValueKind switch
                {
                    JsonValueKind.String => new RequestId(given.GetString()!),
                    JsonValueKind.Number when given.TryGetInt64(out long number) => new RequestId(number),
                    _ => null,
                };
            }
        }
        catch (Exception problem) when (problem is JsonException or InvalidOperationException)
        {
            return RefuseAsync(null, (int)McpErrorCode.ParseError, "this line is not JSON");
        }

        return RefuseAsync(id, (int)McpErrorCode.InvalidRequest, "this is not a message of JSON-RPC 2.0, one object a line");
    }

    private Task RefuseAsync(RequestId? id, int code, string why)
    {
        var refusal = new JsonObject
        {
            ["jsonrpc"] = "2.0",
            ["id"] = id?.Id switch
            {
                string text => JsonValue.Create(text),
                long number => JsonValue.Create(number),
                _ => null,
            },
            ["error"] = new JsonObject { ["code"] = code, ["message"] = why },
        };
        return WriteLineAsync(refusal.ToJsonString(), CancellationToken.None);
    }

    private async Task WriteLineAsync(string line, CancellationToken cancellation)
    {
        await _sending.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            // JSON without blanks is one line; in its strings what is not printable is escaped.
            _output.WriteLines(line);
            _output.WriteLine();
            _output.Flush();
        }
        finally
        {
            _sending.Release();
        }
    }

    private bool TryOpen(RequestId id, out string? why)
    {
        lock (_open)
        {
            why = _open.Count >= MostRequests ? $"{MostRequests} requests are being answered; ask again when one of them is done"
                : !_open.Add(id) ? "a request with this id is being answered"
                : null;
            return why is null;
        }
    }

    private void Close(RequestId id)
    {
        lock (_open)
        {
            _open.Remove(id);
            if (_hasEnded && _open.Count == 0)
            {
                _isAnswered.TrySetResult();
            }
        }
    }

    /// <summary>Whether a notification does something here: the first greeting, and the end of a request that is being answered.</summary>
    private bool IsMeant(JsonRpcNotification notification)
    {
        if (notification.Method == NotificationMethods.InitializedNotification && !_isInitialized)
        {
            _isInitialized = true;
            return true;
        }

        if (notification.Method != NotificationMethods.CancelledNotification || IdIn(notification.Params) is not { } id)
        {
            return false;
        }

        lock (_open)
        {
            if (!_open.Contains(id))
            {
                return false;
            }
        }

        // Who takes a request back gets no answer to it.
        Close(id);
        return true;
    }

    private static RequestId? IdIn(JsonNode? parameters) => (parameters as JsonObject)?["requestId"] switch
    {
        JsonValue value when value.TryGetValue(out string? text) => new RequestId(text),
        JsonValue value when value.TryGetValue(out long number) => new RequestId(number),
        _ => null,
    };

    /// <summary>What was asked before the input ended is answered if that takes no long time.</summary>
    private async Task LastAnswersAsync()
    {
        lock (_open)
        {
            _hasEnded = true;
            if (_open.Count == 0)
            {
                return;
            }
        }

        await Task.WhenAny(_isAnswered.Task, Task.Delay(_patience)).ConfigureAwait(false);
    }
}
