using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// One server of ClickHouse by its HTTP interface, as 18.16 and today's versions have it. What fails for a while is tried again; whatever
/// is sent may come twice.
/// </summary>
internal sealed partial class ClickHouseServer(HttpClient http, Uri server, ClickHouseAddress address)
{
    private const int Attempts = 4;
    private const int LongestComplaint = 300;
    private const int MostComplaintBytes = 8192;

    /// <summary>Codes of what may be over when it is tried again: timeouts, too much at once, another server that is away.</summary>
    private static readonly int[] Passing = [159, 202, 209, 210, 252, 279];

    /// <summary>Codes of who may not ask: unknown user, wrong or missing password, address or action not allowed.</summary>
    private static readonly int[] Refusals = [192, 193, 194, 195, 164, 291, 497, 516];

    private const int UnknownTable = 60;

    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(300);

    private readonly AuthenticationHeaderValue _who = new("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(
        $"{address.User}:{Environment.GetEnvironmentVariable(ClickHouseAddress.PasswordVariable)}")));

    /// <summary>What all requests need: a client without redirects, cookies or a user of its own.</summary>
    public static HttpClient CreateHttp() => new(new SocketsHttpHandler
    {
        AllowAutoRedirect = false,
        UseCookies = false,
        ActivityHeadersPropagator = null,
        ConnectTimeout = TimeSpan.FromSeconds(10),
    })
    {
        Timeout = TimeSpan.FromMinutes(20),
    };

    /// <summary>Does something that has no answer.</summary>
    /// <exception cref="IOException">The server failed.</exception>
    public void Run(string sql)
    {
        using Stream answer = Ask("", () => new ByteArrayContent(Encoding.UTF8.GetBytes(sql)));
        Nothing(answer);
    }

    /// <param name="sql">What is done with them: <c>INSERT INTO ... FORMAT TabSeparated</c>.</param>
    /// <param name="settings">Settings as a part of a query: <c>&amp;name=value</c>.</param>
    /// <exception cref="IOException">The server failed.</exception>
    public void Insert(string sql, ReadOnlyMemory<byte> rows, string settings)
    {
        using Stream answer = Ask($"&query={Uri.EscapeDataString(sql)}{settings}", () => new ReadOnlyMemoryContent(rows));
        Nothing(answer);
    }

    /// <summary>Asks what only ClickHouse answers so.</summary>
    /// <exception cref="IOException">It is another server, or failed.</exception>
    public void Check()
    {
        string word = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(8));
        FleetRow[] rows = [.. Query($"SELECT '{word}' AS word, toInt64(7) AS number").Take(2)];
        if (rows is not [var row] || row.Text(0) != word || row.Number(1) != 7)
        {
            throw Foreign();
        }
    }

    /// <summary>Asks; rows come as they are read.</summary>
    /// <param name="sql">The question, without a format.</param>
    /// <param name="outside">A table that goes with the question: name, columns and rows; null for none.</param>
    /// <exception cref="IOException">The server failed.</exception>
    public IEnumerable<FleetRow> Query(string sql, (string Name, string Columns, ReadOnlyMemory<byte> Rows)? outside = null)
    {
        string question = sql + "\nFORMAT TabSeparatedWithNamesAndTypes";
        using Stream answer = outside is not { } table
            ? Ask("", () => new ByteArrayContent(Encoding.UTF8.GetBytes(question)))
            : Ask(
                $"&query={Uri.EscapeDataString(question)}&{table.Name}_format=TabSeparated"
                    + $"&{table.Name}_structure={Uri.EscapeDataString(table.Columns)}",
                () => Form(table.Name, table.Rows));
        var lines = new ClickHouseLines(answer);
        string[] names = (Line(lines) ?? throw Foreign()).Split('\t');
        string[] types = (Line(lines) ?? throw Foreign()).Split('\t');
        bool[] isText = [.. types.Select(static type => type is "String")];
        if (names.Length != types.Length || !Array.TrueForAll(types, static type => type is "String" || Whole().IsMatch(type)))
        {
            throw Foreign();
        }

        while (Line(lines) is { } line)
        {
            string[] cells = line.Split('\t');
            if (cells.Length != isText.Length)
            {
                throw Foreign();
            }

            object[] values = new object[cells.Length];
            for (int i = 0; i < cells.Length; i++)
            {
                values[i] = isText[i] ? ClickHouseText.Read(cells[i])
                    : long.TryParse(cells[i], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number) ? number
                    : throw Foreign();
            }

            yield return new FleetRow(values);
        }
    }

    /// <summary>An answer that must be empty.</summary>
    private void Nothing(Stream answer)
    {
        if (Line(new ClickHouseLines(answer)) is not null)
        {
            throw Foreign();
        }
    }

    private IOException Foreign() =>
        new($"{address.Name} answers, but not as ClickHouse does: is the port that of its HTTP interface (usually 8123)?");

    /// <summary>The part of a form that holds a table; its name stands in quotation marks, which old servers want.</summary>
    private static MultipartFormDataContent Form(string name, ReadOnlyMemory<byte> rows)
    {
        var part = new ReadOnlyMemoryContent(rows);
        part.Headers.ContentDisposition = new ContentDispositionHeaderValue("form-data") { Name = $"\"{name}\"", FileName = "\"rows\"" };
        return new MultipartFormDataContent { part };
    }

    private string? Line(ClickHouseLines lines)
    {
        try
        {
            return lines.Next();
        }
        catch (ClickHouseLinesException endless)
        {
            throw Failed(endless.Message);
        }
        catch (Exception fault) when (fault is IOException or HttpRequestException or OperationCanceledException)
        {
            throw Failed("its answer broke off; try again");
        }
    }

    private Stream Ask(string parameters, Func<HttpContent> content)
    {
        TimeSpan pause = FirstPause;
        for (int attempt = 1; ; attempt++)
        {
            (Stream? answer, IOException? failure, bool mayPass) = TryOnce(parameters, content);
            if (answer is not null)
            {
                return answer;
            }

            if (!mayPass || attempt == Attempts)
            {
                throw failure!;
            }

            Thread.Sleep(pause);
            pause *= 2;
        }
    }

    private (Stream? Answer, IOException? Failure, bool MayPass) TryOnce(string parameters, Func<HttpContent> content)
    {
        // The answer begins when all of it is there, so that its status is that of all of it.
        var asked = new Uri(server, $"/?wait_end_of_query=1&max_query_size=16777216{parameters}");
        using var request = new HttpRequestMessage(HttpMethod.Post, asked) { Content = content() };
        request.Headers.Authorization = _who;
        request.Headers.TryAddWithoutValidation("User-Agent", "Tracer");
        try
        {
            HttpResponseMessage response = http.Send(request, HttpCompletionOption.ResponseHeadersRead);
            if (response.IsSuccessStatusCode)
            {
                return (response.Content.ReadAsStream(), null, false);
            }

            using (response)
            {
                return Judged((int)response.StatusCode, Complaint(response));
            }
        }
        catch (HttpRequestException fault)
        {
            bool isFinal = fault.HttpRequestError is HttpRequestError.NameResolutionError or HttpRequestError.SecureConnectionError;
            return (null, new IOException($"{address.Name} cannot be reached ({fault.Message.TrimEnd('.')}): is the server running, and "
                + "is the port that of its HTTP interface (usually 8123)?", fault), !isFinal);
        }
        catch (Exception fault) when (fault is IOException or OperationCanceledException)
        {
            return (null, Failed("the connection broke off; try again"), true);
        }
    }

    private (Stream? Answer, IOException? Failure, bool MayPass) Judged(int status, string complaint)
    {
        int code = Code().Match(complaint) is { Success: true } match
            ? int.Parse(match.Groups[1].ValueSpan, NumberStyles.None, CultureInfo.InvariantCulture)
            : 0;
        return Refusals.Contains(code) || status is 401 or 403
            ? (null, new IOException($"{address.Name} refuses the user {address.User}: set {ClickHouseAddress.UserVariable} and "
                + $"{ClickHouseAddress.PasswordVariable}, or have the right granted ({Short(complaint)})"), false)
            : code == UnknownTable && address.Cluster is not null
                ? (null, Failed($"a server of the cluster lacks its tables: name all of its servers once, as in "
                    + $"clickhouse://HOST1,HOST2/{address.Database}?cluster={address.Cluster}"), false)
            : (null, Failed(complaint.Length > 0 ? Short(complaint) : $"it answers {status}"),
                Passing.Contains(code) || status is 502 or 503 or 504);
    }

    private static string Complaint(HttpResponseMessage response)
    {
        try
        {
            using Stream body = response.Content.ReadAsStream();
            byte[] bytes = new byte[MostComplaintBytes];
            return Encoding.UTF8.GetString(bytes, 0, body.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false));
        }
        catch (Exception fault) when (fault is IOException or HttpRequestException or OperationCanceledException)
        {
            return "";
        }
    }

    /// <summary>What a server says, as one line of bounded length.</summary>
    private static string Short(string complaint)
    {
        string line = string.Concat(complaint.Trim().Select(letter => char.IsControl(letter) ? ' ' : letter));
        return line.Length > LongestComplaint ? line[..LongestComplaint] + "..." : line;
    }

    private IOException Failed(string why) => new($"{address.Name} failed: {why}");

    [GeneratedRegex("^U?Int(?:8|16|32|64)$", RegexOptions.CultureInvariant)]
    private static partial Regex Whole();

    [GeneratedRegex(@"^Code: (\d{1,6})\b", RegexOptions.CultureInvariant)]
    private static partial Regex Code();
}
