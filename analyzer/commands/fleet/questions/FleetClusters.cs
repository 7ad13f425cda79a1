using System.Security.Cryptography;
using System.Text;
using Tracer.AnalyzerCommand.Commands.Fleet.Store;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

/// <summary>
/// Which places are one cause. Owner and mechanism must be the same; then names of functions decide, where there are any. Offsets without
/// names are told apart only where the traces show that they are two things: one routine is hit at many offsets, and builds move them, so
/// what a trace with several episodes has of both is one cause, and what traces never mix is two. The groups of one build are those of
/// another in the order of their offsets, which a compiler keeps. Where no code is known at all, beats that several machines have tell
/// causes apart. What took less, and its order, plays no part.
/// </summary>
internal sealed class FleetClusters
{
    /// <summary>Functions, or stretches of code of a build, that are compared with each other; the rest has little time.</summary>
    private const int MostRegions = 16;

    /// <summary>So many traces must have had the chance to show both, before it tells anything that few did.</summary>
    private const double LeastExpected = 3;

    /// <summary>Two are one cause where at least this part of the traces that should show both do.</summary>
    private const double LeastMixed = 0.25;

    /// <summary>So many machines must have a beat before it tells a cause from others.</summary>
    private const int LeastMachinesOfBeat = 2;

    /// <summary>So many machines must have a stretch of code before it is another cause than the rest of its driver.</summary>
    private const int LeastMachinesOfCode = 3;

    /// <summary>Beats that differ by half or less are one cause that takes another beat on another machine.</summary>
    private const int NearBeats = 8;

    /// <summary>A beat is the double of another where it is so many steps off at most.</summary>
    private const int NearDoubles = 2;

    private const int DigitsOfId = 8;

    private readonly Dictionary<string, string> _clusters = [];
    private readonly Dictionary<string, (string Mechanism, string Owner)> _causes = [];

    public IReadOnlyCollection<(string Place, string Cluster)> OfPlaces => [.. _clusters.Select(one => (one.Key, one.Value))];

    public IReadOnlyDictionary<string, (string Mechanism, string Owner)> Causes => _causes;

    /// <summary>Finds the clusters of a store, and assigns its places to them.</summary>
    /// <exception cref="IOException">The store failed.</exception>
    public static FleetClusters Of(IFleetStore store)
    {
        List<FleetPlaceSum> places =
        [
            .. store.Query(FleetQuestions.Places).Select(row => new FleetPlaceSum(
                new FleetPlace(row.Text(0), row.Text(1), row.Text(2), row.Text(3)), row.Number(4), row.Number(5), row.Number(6))),
        ];
        List<Cause> causes = [.. places.GroupBy(one => (one.Place.Mechanism, one.Place.Owner)).Select(one => new Cause([.. one]))];
        Cause[] open = [.. causes.Where(cause => cause.IsOpen)];
        if (open.Length > 0)
        {
            Ask(store, open);
        }

        var clusters = new FleetClusters();
        foreach (Cause cause in causes)
        {
            clusters.Add(cause);
        }

        store.Assign(clusters.OfPlaces);
        return clusters;
    }

    /// <summary>Finds out which stretches of code the same traces have.</summary>
    private static void Ask(IFleetStore store, Cause[] open)
    {
        List<(string Place, string Region)> regions = [];
        for (int i = 0; i < open.Length; i++)
        {
            regions.AddRange(open[i].Regions.SelectMany((region, j) => region.Places.Select(place =>
                (place.Place.Key, string.Create(CultureInfo.InvariantCulture, $"{i}:{j}")))));
        }

        store.Assign(regions);
        string id = "";
        Dictionary<int, List<(int Region, long Episodes)>> mix = [];
        foreach (FleetRow row in store.Query(FleetQuestions.Mixes))
        {
            if (row.Text(0) != id)
            {
                Tell();
                id = row.Text(0);
            }

            string[] at = row.Text(1).Split(':');
            int cause = int.Parse(at[0], CultureInfo.InvariantCulture);
            mix.TryAdd(cause, []);
            mix[cause].Add((int.Parse(at[1], CultureInfo.InvariantCulture), row.Number(2)));
        }

        Tell();

        void Tell()
        {
            foreach ((int cause, List<(int Region, long Episodes)> parts) in mix)
            {
                open[cause].Mixed(parts);
            }

            mix.Clear();
        }
    }

    private void Add(Cause cause)
    {
        (string mechanism, string owner) = (cause.Places[0].Place.Mechanism, cause.Places[0].Place.Owner);
        foreach ((IReadOnlyList<FleetPlaceSum> places, string what) in cause.Groups())
        {
            byte[] text = SHA256.HashData(Encoding.UTF8.GetBytes($"{mechanism}|{owner}|{what}"));
            string id = Convert.ToHexStringLower(text)[..DigitsOfId];
            _causes[id] = (mechanism, owner);
            foreach (FleetPlaceSum place in places)
            {
                _clusters[place.Place.Key] = id;
            }
        }
    }

    /// <summary>Places in code that are near to each other in one build, or of one name.</summary>
    private sealed class Region(string version, string name, long block)
    {
        public List<FleetPlaceSum> Places { get; } = [];

        /// <summary>The build; empty where the name holds for all.</summary>
        public string Version => version;

        /// <summary>The function; empty where only the offset is known.</summary>
        public string Name => name;

        /// <summary>Where the last place of it is.</summary>
        public long Block { get; set; } = block;

        public long Episodes => Places.Sum(place => place.Episodes);

        public long TimeUs => Places.Sum(place => place.TimeUs);

        public long Machines => Places.Max(place => place.Machines);

        public double Middle => Places.Average(place => FleetPlace.BlockOf(place.Place.Spot) ?? 0);

        public double Typical => TimeUs / (double)Math.Max(1, Episodes);
    }

    /// <summary>All places of one owner and mechanism.</summary>
    private sealed class Cause
    {
        private readonly double[,] _expected;
        private readonly long[,] _both;

        public Cause(FleetPlaceSum[] places)
        {
            Places = places;
            List<Region> regions = [];
            foreach (IGrouping<string, FleetPlaceSum> name in places.Where(place => place.Place.Spot.StartsWith('!'))
                .GroupBy(place => place.Place.Spot))
            {
                regions.Add(new Region("", name.Key, 0));
                regions[^1].Places.AddRange(name);
            }

            foreach (FleetPlaceSum place in places.Where(place => FleetPlace.BlockOf(place.Place.Spot) is not null)
                .OrderBy(place => place.Place.Version, StringComparer.Ordinal).ThenBy(place => FleetPlace.BlockOf(place.Place.Spot)))
            {
                long block = FleetPlace.BlockOf(place.Place.Spot)!.Value;
                if (regions.Count == 0 || regions[^1].Version != place.Place.Version || block > regions[^1].Block + 1)
                {
                    regions.Add(new Region(place.Place.Version, "", block));
                }

                regions[^1].Places.Add(place);
                regions[^1].Block = block;
            }

            Regions =
            [
                .. regions.GroupBy(region => region.Version)
                    .SelectMany(build => build.OrderByDescending(region => region.Episodes).Take(MostRegions)),
            ];
            _expected = new double[Regions.Count, Regions.Count];
            _both = new long[Regions.Count, Regions.Count];
        }

        public FleetPlaceSum[] Places { get; }

        /// <summary>Those of each build, or of names, that have the most episodes.</summary>
        public IReadOnlyList<Region> Regions { get; }

        /// <summary>Whether traces must tell which regions are one cause.</summary>
        public bool IsOpen => Regions.GroupBy(region => region.Version).Any(build => build.Count() > 1);

        public void Mixed(List<(int Region, long Episodes)> parts)
        {
            for (int i = 0; i < Regions.Count; i++)
            {
                long mine = parts.Where(part => part.Region == i).Sum(part => part.Episodes);
                for (int j = i + 1; j < Regions.Count; j++)
                {
                    if (Regions[i].Version != Regions[j].Version)
                    {
                        continue;
                    }

                    long other = parts.Where(part => part.Region == j).Sum(part => part.Episodes);
                    if (mine + other < 2)
                    {
                        continue;
                    }

                    double part = Regions[i].Episodes / (double)Math.Max(1, Regions[i].Episodes + Regions[j].Episodes);
                    _expected[i, j] += 1 - Math.Pow(part, mine + other) - Math.Pow(1 - part, mine + other);
                    _both[i, j] += mine > 0 && other > 0 ? 1 : 0;
                }
            }
        }

        /// <summary>The places of each cluster, and what tells it from others of this owner and mechanism.</summary>
        public IEnumerable<(IReadOnlyList<FleetPlaceSum> Places, string What)> Groups()
        {
            List<(List<FleetPlaceSum> Places, string What)> groups = [];
            List<List<Region>> named = Joined([.. Regions.Where(region => region.Name.Length > 0)]);
            groups.AddRange(named.Select(group => (group.SelectMany(region => region.Places).ToList(), group[0].Name)));
            List<List<FleetPlaceSum>> unnamed = Aligned();
            if (named.Count == 1 && unnamed.Count == 1)
            {
                groups[0].Places.AddRange(unnamed[0]);
            }
            else
            {
                groups.AddRange(unnamed.Select((group, index) =>
                    (group, string.Create(CultureInfo.InvariantCulture, $"#{index + 1}"))));
            }

            groups.AddRange(OfBeats());
            HashSet<FleetPlace> taken = [.. groups.SelectMany(group => group.Places).Select(place => place.Place)];
            List<FleetPlaceSum> rest = [.. Places.Where(place => !taken.Contains(place.Place))];
            if (groups.Count == 1)
            {
                groups[0].Places.AddRange(rest);
            }
            else if (rest.Count > 0)
            {
                groups.Add((rest, "?"));
            }

            // The only one is the same when another comes.
            return groups.Select(group => ((IReadOnlyList<FleetPlaceSum>)group.Places, groups.Count == 1 ? "" : group.What));
        }

        /// <summary>Puts regions of one build, or names, together: those with the most episodes come first.</summary>
        private List<List<Region>> Joined(Region[] regions)
        {
            List<List<Region>> groups = [];
            foreach (Region region in regions.OrderByDescending(one => one.Episodes).ThenBy(one => one.Name, StringComparer.Ordinal)
                .ThenBy(one => one.Block))
            {
                List<Region>? group = groups.Where(one => one.TrueForAll(other => !AreTwo(region, other)))
                    .Where(one => region.Name.Length == 0 || one.Exists(other => AreOne(region, other)))
                    .OrderByDescending(one => one.Max(other => Evidence(region, other).Both))
                    .ThenBy(one => one.Min(other => Math.Abs(other.Block - region.Block)))
                    .FirstOrDefault();
                if (group is null)
                {
                    groups.Add(group = []);
                }

                group.Add(region);
            }

            return groups;
        }

        private bool AreTwo(Region one, Region other) =>
            Math.Min(one.Machines, other.Machines) >= LeastMachinesOfCode
            && Evidence(one, other) is var (expected, both) && expected >= LeastExpected && both < expected * LeastMixed;

        private bool AreOne(Region one, Region other) =>
            Evidence(one, other) is var (expected, both) && both >= 2 && both >= expected * LeastMixed;

        private (double Expected, long Both) Evidence(Region one, Region other)
        {
            int i = Index(one);
            int j = Index(other);
            return i < j ? (_expected[i, j], _both[i, j]) : (_expected[j, i], _both[j, i]);
        }

        private int Index(Region region)
        {
            for (int i = 0; i < Regions.Count; i++)
            {
                if (ReferenceEquals(Regions[i], region))
                {
                    return i;
                }
            }

            throw new ArgumentException("No region of this cause.", nameof(region));
        }

        /// <summary>The groups of all builds, each build's laid beside those of the build that has the most.</summary>
        private List<List<FleetPlaceSum>> Aligned()
        {
            List<List<List<Region>>> builds =
            [
                .. Regions.Where(region => region.Name.Length == 0).GroupBy(region => region.Version)
                    .OrderBy(build => build.Key, StringComparer.Ordinal)
                    .Select(build => Joined([.. build]).OrderBy(Offset).ToList()),
            ];
            if (builds.Count == 0)
            {
                return [];
            }

            List<List<Region>> model = builds.OrderByDescending(build => build.Count)
                .ThenByDescending(build => build.Max(group => group.Max(region => region.Machines))).First();
            List<List<FleetPlaceSum>> groups = [.. model.Select(_ => new List<FleetPlaceSum>())];
            foreach (List<List<Region>> build in builds)
            {
                int[] at = ReferenceEquals(build, model) ? [.. Enumerable.Range(0, model.Count)] : Laid(build, model);
                for (int i = 0; i < build.Count; i++)
                {
                    groups[at[i]].AddRange(build[i].SelectMany(region => region.Places));
                }
            }

            return groups;
        }

        private static double Offset(List<Region> group) => group.MaxBy(region => region.Episodes)!.Middle + 1;

        /// <summary>Which group of a model each group of a build is: in their order, and as near as that allows.</summary>
        private static int[] Laid(List<List<Region>> build, List<List<Region>> model)
        {
            // The least cost of the first i groups among the first j of the model.
            double[,] costs = new double[build.Count + 1, model.Count + 1];
            for (int i = 1; i <= build.Count; i++)
            {
                costs[i, 0] = double.PositiveInfinity;
                for (int j = 1; j <= model.Count; j++)
                {
                    costs[i, j] = Math.Min(costs[i, j - 1], costs[i - 1, j - 1] + Cost(build[i - 1], model[j - 1]));
                }
            }

            int[] at = new int[build.Count];
            for (int i = build.Count, j = model.Count; i > 0; j--)
            {
                if (costs[i, j] < costs[i, j - 1])
                {
                    at[--i] = j - 1;
                }
            }

            return at;
        }

        /// <summary>How unlike two groups are: by how far they moved, and by how long their episodes are.</summary>
        private static double Cost(List<Region> one, List<Region> other)
        {
            const double OfOffset = 4;
            const double OfTime = 0.5;
            return (OfOffset * Math.Abs(Math.Log(Offset(one) / Offset(other))))
                + (OfTime * Math.Abs(Math.Log((Typical(one) + 1) / (Typical(other) + 1))));
        }

        private static double Typical(List<Region> group) => group.MaxBy(region => region.Episodes)!.Typical;

        /// <summary>
        /// Where no code is known, causes by their beats, if several machines have them: one goes over into the next, or is its double.
        /// </summary>
        private IEnumerable<(List<FleetPlaceSum> Places, string What)> OfBeats()
        {
            int octave = (int)Math.Round(Math.Log(2) / Math.Log(FleetPlace.BeatOf(1)));
            List<List<FleetPlaceSum>> groups = [];
            foreach (FleetPlaceSum place in Places.Where(one => FleetPlace.BeatStepOf(one.Place.Spot) is not null))
            {
                List<List<FleetPlaceSum>> near = [.. groups.Where(group => group.Exists(other => IsNear(Step(place), Step(other))))];
                groups.RemoveAll(near.Contains);
                groups.Add([place, .. near.SelectMany(group => group)]);
            }

            return groups.Where(group => group.Sum(place => place.Machines) >= LeastMachinesOfBeat)
                .Select(group => (group, string.Create(
                    CultureInfo.InvariantCulture, $"~{Step(group.OrderByDescending(place => place.Machines).ThenBy(Step).First())}")));

            static int Step(FleetPlaceSum place) => FleetPlace.BeatStepOf(place.Place.Spot)!.Value;

            bool IsNear(int one, int other) =>
                Math.Abs(one - other) <= NearBeats || Math.Abs(Math.Abs(one - other) - octave) <= NearDoubles;
        }
    }
}
