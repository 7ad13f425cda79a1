namespace Tracer.Commands.Tests.Fleet.Made;

/// <summary>Cases of a fleet that never was: what no test is about is the same everywhere.</summary>
internal static class MadeCase
{
    public static readonly DateTime Start = new(2025, 3, 3, 8, 0, 0, DateTimeKind.Utc);

    /// <summary>A histogram of a thousand wake-ups of so many microseconds.</summary>
    private static readonly string Histogram = Encoded(20);

    /// <param name="number">Which: its id follows.</param>
    /// <param name="day">How many days after the start it was recorded.</param>
    /// <param name="drivers">Its drivers: name and version.</param>
    /// <param name="chains">How its latency came about.</param>
    public static CaseReport Of(
        int number, int machine, double day, IReadOnlyList<(string Name, string Version)> drivers, params CaseChain[] chains) => new()
        {
            Id = number.ToString("x32", System.Globalization.CultureInfo.InvariantCulture),
            Machine = $"machine-{machine:x16}",
            RecordedUtc = Start.AddDays(day),
            Problem = null,
            Duration = Duration.FromSeconds(60),
            Losses = new CaseLosses(100_000, 0, 0, 0, false),
            Threshold = Duration.FromMicroseconds(500),
            MinPriority = 16,
            Verdict = chains.Length > 0 ? Verdict.Driver : Verdict.None,
            Probes = 1000,
            Episodes = chains.Sum(chain => chain.Episodes),
            OverThreshold = new Duration(chains.Sum(chain => chain.Latency.Nanoseconds)),
            Worst = new Duration(chains.Select(chain => chain.Worst.Nanoseconds).DefaultIfEmpty(20_000).Max()),
            Culprits = [],
            Chains = chains,
            System = new CaseSystem
            {
                OsBuild = 22621 + (machine % 3),
                Cpus = 8,
                Cpu = $"CPU {machine % 5}",
                MemoryMb = 16_384,
                Hypervisor = false,
                Model = $"Model {machine % 7}",
                Firmware = $"1.{machine % 4}",
            },
            Drivers = [.. drivers.Select(driver => new CaseDriver(driver.Name, driver.Version))],
            Latencies = [new CaseLatency(LatencyKind.Thread, LatencySource.ReadyThread, 1000, Duration.FromMicroseconds(20), Histogram)],
        };

    public static CaseChain Chain(
        string? owner, Mechanism mechanism, string? path, int episodes = 4, double? beat = null, CulpritKind? kind = CulpritKind.Driver,
        params string[] more) => new()
        {
            Mechanism = mechanism,
            Kind = owner is null ? null : kind,
            Owner = owner,
            Path = path,
            BeatSeconds = beat,
            Links = [$"{KebabCase.Of(mechanism)} {owner}", .. more],
            Episodes = episodes,
            Latency = Duration.FromMicroseconds(900 * episodes),
            Worst = Duration.FromMicroseconds(1200),
        };

    public static CaseCulprit Culprit(string name, string? device) => new()
    {
        Kind = CulpritKind.Driver,
        Name = name,
        Mechanism = Mechanism.Dpc,
        Through = [],
        Share = 1,
        Blamed = Duration.FromMicroseconds(900),
        Episodes = 1,
        Confidence = Confidence.Certain,
        BeatSeconds = null,
        Version = null,
        Device = device,
    };

    public static byte[] Line(CaseReport one)
    {
        using var line = new MemoryStream();
        ReportJson.Write(line, one);
        line.WriteByte((byte)'\n');
        return line.ToArray();
    }

    public static string File(string path, params IEnumerable<CaseReport> cases)
    {
        using FileStream file = System.IO.File.Create(path);
        foreach (CaseReport one in cases)
        {
            file.Write(Line(one));
        }

        return path;
    }

    private static string Encoded(long microseconds)
    {
        var histogram = new HdrHistogram(HdrLayout.Latencies);
        histogram.Record(microseconds * 1000, 1000);
        return HdrEncoding.Encode(histogram);
    }
}
