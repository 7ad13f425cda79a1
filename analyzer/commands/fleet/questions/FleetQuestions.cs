using Tracer.AnalyzerCommand.Commands.Fleet.Store;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

/// <summary>A place with what its chains add up to.</summary>
/// <param name="Machines">Machines on which it is met; those of several places may be the same.</param>
internal sealed record FleetPlaceSum(FleetPlace Place, long Machines, long Episodes, long TimeUs);

/// <summary>
/// All that is asked of a store, as SQL that every engine answers alike: see <see cref="IFleetStore"/>. Those of clusters follow
/// <see cref="IFleetStore.Assign"/>.
/// </summary>
internal static class FleetQuestions
{
    /// <summary>The chains with their clusters.</summary>
    private static FormattableString Clustered =>
        $"{FleetTable.Chains} {FleetWord.Join} (SELECT place, cluster FROM {FleetTable.Clusters}) USING (place)";

    /// <summary>A number: of cases.</summary>
    public static FormattableString Count => $"SELECT COUNT(*) FROM {FleetTable.Cases}";

    /// <summary>Cases: all, judged, undecided, unreadable, judged with losses, without machine; threshold, priority, glitches.</summary>
    public static FormattableString Cases => $"""
        SELECT COUNT(*), SUM(judged), SUM(problem = '' AND judged = 0), SUM(problem <> ''), SUM(judged = 1 AND lost = 1),
            SUM(judged = 1 AND machine = ''), MIN(threshold_ns), MIN(min_priority),
            SUM(glitches)
        FROM {FleetTable.Cases}
        """;

    /// <summary>A row where some are judged: their machines, episodes, over-threshold microseconds, missed deadlines.</summary>
    public static FormattableString Judged => $"""
        SELECT COUNT(DISTINCT machine) - MAX(machine = ''), SUM(episodes), SUM(over_us), SUM(deadlines_missed)
        FROM {FleetTable.Cases} WHERE judged = 1 GROUP BY judged
        """;

    /// <summary>A row where some tell when they were recorded: the first and the last moment.</summary>
    public static FormattableString Times(FleetTimes times) => $"""
        SELECT MIN(recorded_ms), MAX(recorded_ms) FROM {FleetTable.Cases} WHERE {times.Known} GROUP BY threshold_ns
        """;

    /// <summary>Machines with cases whose time cannot be, by machine: machine, cases, those that are ahead.</summary>
    public static FormattableString Astray(FleetTimes times) => $"""
        SELECT machine, COUNT(*), SUM(recorded_ms > {times.LastMs}) FROM {FleetTable.Cases}
        WHERE recorded_ms <> -1 AND (recorded_ms < {times.FirstMs} OR recorded_ms > {times.LastMs}) GROUP BY machine ORDER BY machine
        """;

    /// <summary>All places: mechanism, owner, version, spot, machines, episodes, microseconds.</summary>
    public static FormattableString Places => $"""
        SELECT mechanism, owner, version, spot, COUNT(DISTINCT machine), SUM(episodes), SUM(time_us)
        FROM {FleetTable.Chains} GROUP BY mechanism, owner, version, spot ORDER BY mechanism, owner, version, spot
        """;

    /// <summary>What each case has of each cluster: case, cluster, episodes; by case.</summary>
    public static FormattableString Mixes => $"""
        SELECT id, cluster, SUM(episodes) FROM {Clustered} GROUP BY id, cluster ORDER BY id, cluster
        """;

    /// <summary>All clusters: cluster, kind, machines, cases, episodes, microseconds, worst.</summary>
    public static FormattableString Clusters => $"""
        SELECT cluster, MAX(kind), COUNT(DISTINCT machine) - MAX(machine = ''), COUNT(DISTINCT id), SUM(episodes), SUM(time_us),
            MAX(worst_us)
        FROM {Clustered} GROUP BY cluster ORDER BY cluster
        """;

    /// <summary>When each cluster was seen: cluster, first, last.</summary>
    public static FormattableString Seen(FleetTimes times) => $"""
        SELECT cluster, MIN(recorded_ms), MAX(recorded_ms) FROM {Clustered} WHERE {times.Known} GROUP BY cluster ORDER BY cluster
        """;

    /// <summary>Judged cases that are short enough to say when, of a cluster or of all: machine, moment; by id.</summary>
    public static FormattableString RecordedTimes(FleetTimes times, string? cluster)
    {
        FormattableString has = cluster is null
            ? (FormattableString)$""
            : $" AND id {FleetWord.In} (SELECT id FROM {Clustered} WHERE cluster = {cluster})";
        return $"""
            SELECT machine, recorded_ms FROM {FleetTable.Cases}
            WHERE judged = 1 AND {times.Known} AND duration_us >= 0 AND duration_us <= {FleetPlannedTimes.LongestCaseUs}{has}
            ORDER BY id LIMIT {FleetPlannedTimes.MostCases}
            """;
    }

    /// <summary>The places of a cluster, the most time first: version, name, machines, microseconds.</summary>
    public static FormattableString Routines(string cluster, int most) => $"""
        SELECT version, MIN(routine), COUNT(DISTINCT machine) - MAX(machine = '') AS machine_count, SUM(time_us) AS time_sum, spot
        FROM {Clustered} WHERE cluster = {cluster} GROUP BY version, spot ORDER BY time_sum DESC, version, spot LIMIT {most}
        """;

    /// <summary>What the driver of a cluster drives on its machines, that of the most first: device, machines.</summary>
    public static FormattableString Devices(string cluster, string driver, int most) => $"""
        SELECT value, COUNT(DISTINCT machine) AS machine_count FROM {FleetTable.Traits}
        WHERE trait = {FleetTraits.Device(driver)}{Affected(cluster)} GROUP BY value ORDER BY machine_count DESC, value LIMIT {most}
        """;

    /// <summary>The beats of a cluster, that of the most cases first: milliseconds in steps, cases.</summary>
    public static FormattableString Beats(string cluster, int most) => $"""
        SELECT beat_ms, COUNT(*) AS case_count FROM {Clustered} WHERE cluster = {cluster} AND beat_ms > 0
        GROUP BY beat_ms ORDER BY case_count DESC, beat_ms LIMIT {most}
        """;

    /// <summary>The machines of a cluster, the most time first: machine, cases, episodes, microseconds, worst.</summary>
    public static FormattableString Machines(string cluster, int most) => $"""
        SELECT machine, COUNT(DISTINCT id), SUM(episodes), SUM(time_us) AS time_sum, MAX(worst_us)
        FROM {Clustered} WHERE cluster = {cluster} GROUP BY machine ORDER BY time_sum DESC, machine LIMIT {most}
        """;

    /// <summary>The cases of a cluster, the most time first: id, machine, recorded, episodes, microseconds, worst.</summary>
    public static FormattableString CasesOf(string cluster, int most) => $"""
        SELECT id, MIN(machine), MIN(recorded_ms), SUM(episodes), SUM(time_us) AS time_sum, MAX(worst_us)
        FROM {Clustered} WHERE cluster = {cluster} GROUP BY id ORDER BY time_sum DESC, id LIMIT {most}
        """;

    /// <summary>The longest episode that each case has of a cluster: microseconds, the shortest first.</summary>
    public static FormattableString WorstOfCases(string cluster, int most) => $"""
        SELECT MAX(worst_us) AS worst_of FROM {Clustered} WHERE cluster = {cluster} GROUP BY id ORDER BY worst_of LIMIT {most}
        """;

    /// <summary>Cases that could not be judged: id, machine, why it could not be read, trace.</summary>
    public static FormattableString Unjudged(int most) =>
        $"SELECT id, machine, problem, trace FROM {FleetTable.Cases} WHERE judged = 0 ORDER BY id LIMIT {most}";

    /// <summary>The case with the longest episode of a cluster: as <see cref="CasesOf"/>.</summary>
    public static FormattableString Example(string cluster) => $"""
        SELECT id, MIN(machine), MIN(recorded_ms), SUM(episodes), SUM(time_us), MAX(worst_us) AS worst_of
        FROM {Clustered} WHERE cluster = {cluster} GROUP BY id ORDER BY worst_of DESC, id LIMIT 1
        """;

    /// <summary>Where the traces of some cases are, of those that tell: id, path.</summary>
    public static FormattableString Traces(IReadOnlyCollection<string> ids) =>
        $"SELECT id, trace FROM {FleetTable.Cases} WHERE id IN {ids} AND trace <> '' ORDER BY id";

    /// <summary>What each case has of each cluster, by case, the most time first: id, machine, cluster, episodes, microseconds.</summary>
    public static FormattableString Labels => $"""
        SELECT id, MIN(machine), cluster, SUM(episodes), SUM(time_us) AS time_sum
        FROM {Clustered} GROUP BY id, cluster ORDER BY id, time_sum DESC, cluster
        """;

    /// <summary>Machines that have a driver, or that have it not.</summary>
    public static FormattableString WithTrait(string trait, FleetWord isIn = FleetWord.In) =>
        $" AND machine {isIn} (SELECT machine FROM {FleetTable.Traits} WHERE trait = {trait})";

    public static FormattableString Affected(string cluster) =>
        $" AND machine {FleetWord.In} (SELECT machine FROM {Clustered} WHERE cluster = {cluster} AND machine <> '')";

    /// <summary>How many machines there are for which all of some conditions hold.</summary>
    public static FormattableString MachinesIn(FormattableString conditions) =>
        $"SELECT COUNT(DISTINCT machine) FROM {FleetTable.Traits} WHERE machine <> ''{conditions}";

    /// <summary>
    /// What machines have for which all of some conditions hold: trait, 1 where a machine has that value alone or else 0, value, machines.
    /// </summary>
    public static FormattableString Values(FormattableString conditions) => $"""
        SELECT trait, is_only, value_seen, COUNT(*) FROM (
            SELECT machine, trait, MIN(value) AS value_seen, COUNT(*) = 1 AS is_only
            FROM {FleetTable.Traits} WHERE machine <> ''{conditions} GROUP BY machine, trait)
        GROUP BY trait, is_only, value_seen ORDER BY trait, is_only, value_seen
        """;

    /// <summary>The judged cases of each machine, by machine: machine, those since a moment, all.</summary>
    public static FormattableString Watched(FleetTimes times, long sinceMs) => $"""
        SELECT machine, SUM(recorded_ms >= {sinceMs}), COUNT(*) FROM {FleetTable.Cases}
        WHERE judged = 1 AND {times.Known} AND machine <> '' GROUP BY machine ORDER BY machine
        """;

    /// <summary>The cases of each machine with each cluster, by machine: machine, cluster, those since a moment, all.</summary>
    public static FormattableString Met(FleetTimes times, long sinceMs) => $"""
        SELECT machine, cluster, SUM(is_since), COUNT(*) FROM (
            SELECT DISTINCT machine, cluster, id, recorded_ms >= {sinceMs} AS is_since
            FROM {Clustered} WHERE {times.Known} AND machine <> '')
        GROUP BY machine, cluster ORDER BY machine, cluster
        """;

    /// <summary>A number: of machines that were seen only before a moment, or only since.</summary>
    public static FormattableString MachinesOnly(FleetTimes times, long sinceMs, bool isSince) =>
        $"SELECT COUNT(*) FROM ({OneOfEach(times, sinceMs, isSince)})";

    /// <summary>
    /// One case of each machine that was seen only before a moment, or only since: of how many it has each cluster. Cluster, cases.
    /// </summary>
    public static FormattableString MetOnly(FleetTimes times, long sinceMs, bool isSince) => $"""
        SELECT cluster, COUNT(DISTINCT id) FROM {Clustered} WHERE id {FleetWord.In} ({OneOfEach(times, sinceMs, isSince)})
        GROUP BY cluster ORDER BY cluster
        """;

    /// <summary>The cases with each cluster, of whatever machine: cluster, those since a moment, all.</summary>
    public static FormattableString MetInAll(FleetTimes times, long sinceMs) => $"""
        SELECT cluster, SUM(is_since), COUNT(*) FROM (
            SELECT DISTINCT cluster, id, recorded_ms >= {sinceMs} AS is_since FROM {Clustered} WHERE {times.Known})
        GROUP BY cluster ORDER BY cluster
        """;

    /// <summary>All latencies, added up by bucket: kind, source, bucket, number.</summary>
    public static FormattableString Latencies => $"""
        SELECT kind, source, bucket, SUM(number) FROM {FleetWord.Buckets} GROUP BY kind, source, bucket ORDER BY kind, source, bucket
        """;

    /// <summary>The greatest latencies: kind, source, microseconds.</summary>
    public static FormattableString Longest => $"""
        SELECT kind, source, MAX(max_us) FROM {FleetTable.Latencies} GROUP BY kind, source ORDER BY kind, source
        """;

    /// <summary>Ids follow from digests, so that the least is any.</summary>
    private static FormattableString OneOfEach(FleetTimes times, long sinceMs, bool isSince)
    {
        FormattableString only = isSince ? (FormattableString)$"MIN(recorded_ms) >= {sinceMs}" : $"MAX(recorded_ms) < {sinceMs}";
        return $"""
            SELECT MIN(id) AS one_of FROM {FleetTable.Cases} WHERE judged = 1 AND {times.Known} AND machine <> ''
            GROUP BY machine HAVING {only}
            """;
    }
}
