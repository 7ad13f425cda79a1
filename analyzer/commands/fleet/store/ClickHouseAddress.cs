using System.Text.RegularExpressions;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>
/// A store on ClickHouse: <c>clickhouse://[USER@]HOST[:PORT][,HOST[:PORT]...]/DATABASE[?cluster=NAME]</c>, with <c>clickhouses</c> for
/// TLS. The ports are those of the HTTP interface. Passwords come from the environment, where no list of processes has them.
/// </summary>
/// <param name="Servers">The servers, the first of which is asked; all get their tables.</param>
/// <param name="Cluster">The cluster over which rows are spread by machine; null for one server alone.</param>
internal sealed partial record ClickHouseAddress(IReadOnlyList<Uri> Servers, string Database, string? Cluster, string User)
{
    /// <summary>The variable that holds the user where the address does not; ClickHouse's own clients know it, too.</summary>
    public const string UserVariable = "CLICKHOUSE_USER";

    public const string PasswordVariable = "CLICKHOUSE_PASSWORD";

    private const string Plain = "clickhouse";
    private const string Secure = "clickhouses";
    private const int PlainPort = 8123;
    private const int SecurePort = 8443;

    /// <summary>The store as messages call it.</summary>
    public string Name => $"{(Servers[0].Scheme == Uri.UriSchemeHttps ? Secure : Plain)}://"
        + $"{string.Join(',', Servers.Select(server => server.Authority))}/{Database}";

    /// <summary>Whether what was given for a store is one of these.</summary>
    public static bool Is(string given) => given.StartsWith(Plain + "://", StringComparison.OrdinalIgnoreCase)
        || given.StartsWith(Secure + "://", StringComparison.OrdinalIgnoreCase);

    /// <param name="problem">What is wrong with it; null where nothing is.</param>
    public static ClickHouseAddress? Read(string given, out string? problem)
    {
        problem = "--store: write clickhouse://HOST:PORT/DATABASE, with ?cluster=NAME after it for a cluster";
        if (Form().Match(given) is not { Success: true } match)
        {
            return null;
        }

        string user = match.Groups["user"].Value;
        if (user.Contains(':', StringComparison.Ordinal))
        {
            problem = $"--store: the password is not taken from the address, where others may see it; set {PasswordVariable}";
            return null;
        }

        bool isSecure = match.Groups["scheme"].Value.Equals(Secure, StringComparison.OrdinalIgnoreCase);
        List<Uri> servers = [];
        foreach (string server in match.Groups["servers"].Value.Split(','))
        {
            string address = $"{(isSecure ? Uri.UriSchemeHttps : Uri.UriSchemeHttp)}://{server}";
            if (!Uri.TryCreate(address, UriKind.Absolute, out Uri? known) || known.Host.Length == 0)
            {
                return null;
            }

            bool hasPort = Port().IsMatch(server);
            servers.Add(hasPort ? known : new UriBuilder(known) { Port = isSecure ? SecurePort : PlainPort }.Uri);
        }

        problem = null;
        string cluster = match.Groups["cluster"].Value;
        return new ClickHouseAddress(
            servers,
            match.Groups["database"].Value,
            cluster.Length > 0 ? cluster : null,
            user.Length > 0 ? Uri.UnescapeDataString(user) : Environment.GetEnvironmentVariable(UserVariable) ?? "default");
    }

    [GeneratedRegex(@"^(?<scheme>clickhouses?)://(?:(?<user>[^@/?#]*)@)?(?<servers>[^@/?#]+)/(?<database>[A-Za-z_]\w{0,63})"
        + @"(?:\?cluster=(?<cluster>[A-Za-z_][\w-]{0,63}))?$", RegexOptions.IgnoreCase)]
    private static partial Regex Form();

    [GeneratedRegex(@":\d+$", RegexOptions.CultureInvariant)]
    private static partial Regex Port();
}
