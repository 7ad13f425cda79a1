using Tracer.Simulator.Draws;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;

namespace Tracer.Bench.Fleet;

/// <summary>
/// A fleet whose truth is known: machines of a few models, with drivers of a few vendors in a few versions each, of which some have one of
/// five causes of latency. One cause comes with one version of one driver; all others are spread over models, versions and updates.
/// </summary>
internal sealed class PlantedFleet
{
    /// <summary>The machines of the cause that comes with a version: one in so many.</summary>
    private const int OneInWithVersion = 10;

    /// <summary>The machines of each other cause: one in so many.</summary>
    private const int OneInElse = 14;

    private const int Models = 8;
    private const int Updates = 6;
    private const int Vendors = 3;
    private const int Versions = 3;

    /// <summary>The cause that comes with a version of a driver.</summary>
    public static PlantedCause WithVersion { get; } = new("nic-dpc", "ndis-miniport", ImageRole.NetworkMiniport);

    /// <summary>The five causes.</summary>
    public static IReadOnlyList<PlantedCause> Causes { get; } =
    [
        WithVersion,
        new("sensor-masks-interrupts", "masked-interrupts", ImageRole.PlainDriver),
        new("firmware-stops", "beat-across", null) { Seconds = 8, HasOneBeat = true },
        new("scanner-hog", "priority-hog", null) { Program = "corpscan.exe", IsOfLastWeek = true },
        new("paging", "hard-faults", null),
    ];

    /// <summary>The driver whose version is to blame.</summary>
    public static string GuiltyDriver => Names[WithVersion.Role!.Value][0];

    /// <summary>The version that is to blame.</summary>
    public static string GuiltyVersion => VersionOf(0, GuiltyVersionNumber);

    private const int GuiltyVersionNumber = 1;

    /// <summary>The vendors' drivers by role; the first of each is the one that planted causes are about.</summary>
    private static readonly Dictionary<ImageRole, string[]> Names = new()
    {
        [ImageRole.NetworkMiniport] = ["kelan64.sys", "rivgbe.sys", "tomnd6.sys"],
        [ImageRole.DisplayMiniport] = ["palukmd.sys", "vegafx.sys", "xorvid.sys"],
        [ImageRole.StorageMiniport] = ["bonstor.sys", "lunvm.sys", "satahci.sys"],
        [ImageRole.AudioMiniport] = ["tuwave.sys", "gosnd.sys", "mipaud64.sys"],
        [ImageRole.FrameworkClient] = ["ribi2c.sys", "pegpio.sys", "dospi.sys"],
        [ImageRole.OtherFrameworkClient] = ["fatpad.sys", "zohid.sys", "nuuart.sys"],
        [ImageRole.PlainDriver] = ["temmon.sys", "bazhw.sys", "vittune.sys"],
        [ImageRole.FilterDriver] = ["novguard.sys", "degflt.sys", "sirscan.sys"],
    };

    /// <param name="machines">How many machines.</param>
    public PlantedFleet(ulong seed, int machines)
    {
        var random = new RandomSequence(seed, "fleet");
        int[] order = [.. Enumerable.Range(0, machines).OrderBy(_ => random.NextBits())];
        var planned = new PlantedMachine[machines];
        int next = 0;
        foreach (PlantedCause cause in Causes)
        {
            int count = Math.Max(1, machines / (cause == WithVersion ? OneInWithVersion : OneInElse));
            for (int i = 0; i < count && next < machines; i++, next++)
            {
                planned[order[next]] = Plan(seed, order[next], cause, random);
            }
        }

        for (; next < machines; next++)
        {
            planned[order[next]] = Plan(seed, order[next], null, random);
        }

        Machines = planned;
    }

    public IReadOnlyList<PlantedMachine> Machines { get; }

    /// <summary>
    /// A version's number has nothing of its vendor's others: neither a later nor an earlier one has the cause.
    /// </summary>
    private static string VersionOf(int vendor, int number) =>
        $"{10 + vendor}.{4 + number}.{(37 * (number + 1)) % 100}.{1200 + (311 * number)}";

    private static PlantedMachine Plan(ulong seed, int index, PlantedCause? cause, RandomSequence random)
    {
        WindowsBuild[] builds = [.. WindowsBuild.All.Where(build => build.Number is 19045 or 22621 or 26100)];
        ulong update = (ulong)random.NextBelow(Updates);
        Dictionary<ImageRole, SharedDriver> drivers = [];
        foreach ((ImageRole role, string[] names) in Names)
        {
            int vendor = (int)random.NextBelow(Vendors);
            int version = (int)random.NextBelow(Versions);
            // Whose driver has the cause has that driver; and nobody else has the version that brings it.
            vendor = cause?.Role == role ? 0 : vendor;
            if (role == WithVersion.Role && vendor == 0)
            {
                version = cause == WithVersion ? GuiltyVersionNumber : version == GuiltyVersionNumber ? version + 1 : version;
            }

            string company = $"{char.ToUpperInvariant(names[vendor][0])}{names[vendor][1..3]} Devices Ltd.";
            drivers.Add(role, new SharedDriver(names[vendor], company, VersionOf(vendor, version)));
        }

        return new PlantedMachine(
            (seed * 1_000_000) + (ulong)index,
            cause,
            builds[update % (ulong)builds.Length],
            new FleetMember
            {
                Model = (seed * 1_000) + (ulong)random.NextBelow(Models),
                Update = (seed * 1_000) + update,
                Drivers = drivers,
                Fault = cause is { HasOneBeat: true } ? seed : null,
                Programs = cause?.Program is { } program ? [program] : [],
            });
    }
}

/// <summary>A cause of latency that some machines of the fleet have.</summary>
/// <param name="Scenario">The simulator's scenario.</param>
/// <param name="Role">The driver that it is about; null for none.</param>
internal sealed record PlantedCause(string Name, string Scenario, ImageRole? Role)
{
    /// <summary>The program that it is about; null for none.</summary>
    public string? Program { get; init; }

    /// <summary>How long its traces are, in seconds; 0 for as long as the others.</summary>
    public int Seconds { get; init; }

    /// <summary>Whether it keeps the same beat on all machines.</summary>
    public bool HasOneBeat { get; init; }

    /// <summary>Whether it has been there for the last week only.</summary>
    public bool IsOfLastWeek { get; init; }
}

/// <param name="Seed">What is its own follows this.</param>
/// <param name="Cause">What it suffers from now and then; null for a healthy one.</param>
/// <param name="Member">What it has in common with others.</param>
internal sealed record PlantedMachine(ulong Seed, PlantedCause? Cause, WindowsBuild Build, FleetMember Member)
{
    /// <param name="cause">What shows in it; null for nothing.</param>
    /// <param name="seconds">How long it is.</param>
    public ScenarioRun Recording(PlantedCause? cause, int number, int seconds, DateTime beganUtc) =>
        new(ScenarioCatalog.Find(cause?.Scenario ?? "clean")!, Seed)
        {
            Duration = Duration.FromSeconds(cause?.Seconds is > 0 and int longer ? longer : seconds),
            Cpus = 2,
            HasFewPrograms = true,
            Build = Build,
            Member = Member,
            Chance = (Seed * 1_000) + (ulong)number,
            ChangeRecording = options => options with
            {
                IsMerged = true,
                IsWindows7Merge = false,
                Rundown = Rundowns.End,
                BeganUtc = beganUtc,
            },
        };
}
