using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Tracer.Commands.Tests.Common.Objects;

/// <summary>A store of objects on this machine, as presigned addresses reach one: GET and PUT; it fails as often as it is told.</summary>
internal sealed class ObjectServer : IDisposable
{
    private readonly HttpListener _listener = new();
    private readonly ConcurrentDictionary<string, byte[]> _objects = new();
    private readonly ConcurrentQueue<string> _asked = new();
    private int _failures;

    public ObjectServer()
    {
        using (var free = new TcpListener(IPAddress.Loopback, 0))
        {
            free.Start();
            Address = $"http://127.0.0.1:{((IPEndPoint)free.LocalEndpoint).Port}/";
        }

        _listener.Prefixes.Add(Address);
        _listener.Prefixes.Add(Address.Replace("127.0.0.1", "localhost", StringComparison.Ordinal));
        _listener.Start();
        _ = ServeAsync();
    }

    public string Address { get; }

    /// <summary>Requests so far: method, path and the sort of blob.</summary>
    public IEnumerable<string> Asked => _asked;

    public byte[]? this[string path]
    {
        get => _objects.GetValueOrDefault(path);
        set => _objects[path] = value!;
    }

    /// <summary>So many requests are answered by 503.</summary>
    public void Fail(int times) => _failures = times;

    public void Dispose() => _listener.Close();

    private async Task ServeAsync()
    {
        try
        {
            while (true)
            {
                HttpListenerContext one = await _listener.GetContextAsync();
                await AnswerAsync(one.Request, one.Response);
                one.Response.Close();
            }
        }
        catch (Exception over) when (over is HttpListenerException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private async Task AnswerAsync(HttpListenerRequest request, HttpListenerResponse response)
    {
        string path = request.Url!.AbsolutePath;
        _asked.Enqueue($"{request.HttpMethod} {path} {request.Headers["x-ms-blob-type"]}".TrimEnd());
        using var body = new MemoryStream();
        await request.InputStream.CopyToAsync(body);
        if (_failures > 0)
        {
            _failures--;
            response.StatusCode = 503;
        }
        else if (request.Url.Query != "?sig=secret")
        {
            response.StatusCode = 403;
        }
        else if (path.StartsWith("/moved/", StringComparison.Ordinal))
        {
            response.StatusCode = 307;
            response.RedirectLocation = $"/{path["/moved/".Length..]}?sig=secret";
        }
        else if (path.StartsWith("/elsewhere/", StringComparison.Ordinal))
        {
            response.StatusCode = 307;
            string other = Address.Replace("127.0.0.1", "localhost", StringComparison.Ordinal);
            response.RedirectLocation = $"{other}{path["/elsewhere/".Length..]}?sig=secret";
        }
        else if (request.HttpMethod == "PUT")
        {
            _objects[path] = body.ToArray();
        }
        else if (_objects.TryGetValue(path, out byte[]? found))
        {
            response.ContentLength64 = found.Length;
            await response.OutputStream.WriteAsync(found);
        }
        else
        {
            response.StatusCode = 404;
        }
    }
}
