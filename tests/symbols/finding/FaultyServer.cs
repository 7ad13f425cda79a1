using System.Collections.Concurrent;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Tracer.Symbols.Tests.Finding;

/// <summary>A real HTTP server on the loopback interface that answers as a test tells it, byte by byte; one request a connection.</summary>
internal sealed class FaultyServer : IDisposable
{
    public const string CertificateSubject = "CN=127.0.0.1";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Func<Question, Task> _answer;
    private readonly X509Certificate2? _certificate;
    private readonly ConcurrentQueue<Question> _questions = new();
    private int _connections;

    public FaultyServer(Func<Question, Task> answer, bool isSecure = false)
    {
        (_answer, _certificate) = (answer, isSecure ? MakeCertificate() : null);
        _listener.Start();
        _ = AcceptAsync();
    }

    /// <summary>A server that has files by their paths, and 404 for all others.</summary>
    public FaultyServer(IReadOnlyDictionary<string, byte[]> files)
        : this(question => files.TryGetValue(question.Path, out byte[]? body) ? question.AnswerAsync(200, body) : question.AnswerAsync(404))
    {
    }

    public int Connections => Volatile.Read(ref _connections);

    public IEnumerable<Question> Questions => _questions;

    public IEnumerable<string> Paths => _questions.Select(question => question.Path);

    public string Address =>
        $"{(_certificate is null ? "http" : "https")}://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}/symbols";

    public static string NobodysAddress()
    {
        TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;
        listener.Stop();
        return $"http://127.0.0.1:{port}/symbols";
    }

    public void Dispose()
    {
        _listener.Stop();
        _certificate?.Dispose();
    }

    private static X509Certificate2 MakeCertificate()
    {
        using var key = RSA.Create(2048);
        CertificateRequest request = new(CertificateSubject, key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using X509Certificate2 made = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pfx), null);
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _ = ServeAsync(await _listener.AcceptTcpClientAsync());
            }
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The test is over.
        }
    }

    private async Task ServeAsync(TcpClient client)
    {
        Interlocked.Increment(ref _connections);
        using TcpClient closed = client;
        client.NoDelay = true;
        try
        {
            Stream stream = client.GetStream();
            if (_certificate is not null)
            {
                SslStream secure = new(stream);
                await secure.AuthenticateAsServerAsync(_certificate);
                stream = secure;
            }

            string head = await ReadHeadAsync(stream);
            if (head.Length == 0)
            {
                return; // The client did not trust the certificate.
            }

            Question question = new(stream, head);
            _questions.Enqueue(question);
            await _answer(question);
            await stream.FlushAsync();
        }
        catch (Exception fault) when (fault is IOException or SocketException or ObjectDisposedException
            or System.Security.Authentication.AuthenticationException)
        {
            // The client went away, as some tests want.
        }
    }

    private static async Task<string> ReadHeadAsync(Stream stream)
    {
        StringBuilder head = new();
        byte[] one = new byte[1];
        while (!head.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal) && await stream.ReadAsync(one) == 1)
        {
            head.Append((char)one[0]);
        }

        return head.ToString();
    }

    /// <summary>One request, and how it is answered.</summary>
    internal sealed class Question
    {
        private readonly Stream _stream;
        private readonly string[] _lines;

        public Question(Stream stream, string head) => (_stream, _lines) = (stream, head.Split("\r\n"));

        public string Method => _lines[0].Split(' ')[0];

        /// <summary>The path below the store, as it was sent.</summary>
        public string Path => _lines[0].Split(' ')[1].Replace("/symbols/", "", StringComparison.Ordinal);

        public string? Header(string name) => _lines
            .FirstOrDefault(line => line.StartsWith(name + ":", StringComparison.OrdinalIgnoreCase))?[(name.Length + 1)..].Trim();

        public Task AnswerAsync(int status, byte[]? body = null, params string[] headers) => SendAsync(
            Head(status, [$"Content-Length: {body?.Length ?? 0}", .. headers]), body ?? []);

        public Task RedirectAsync(string location, int status = 302) => AnswerAsync(status, null, "Location: " + location);

        public static byte[] Head(int status, params string[] headers)
        {
            string lines = string.Concat(headers.Select(header => header + "\r\n"));
            return Encoding.Latin1.GetBytes($"HTTP/1.1 {status} Whatever\r\n{lines}Connection: close\r\n\r\n");
        }

        public async Task SendAsync(params byte[][] parts)
        {
            foreach (byte[] part in parts)
            {
                await _stream.WriteAsync(part);
            }

            await _stream.FlushAsync();
        }
    }
}
