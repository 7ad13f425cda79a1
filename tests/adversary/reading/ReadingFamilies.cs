namespace Tracer.Adversary;

/// <summary>The families that aim at reading and decoding.</summary>
internal static class ReadingFamilies
{
    public static IReadOnlyList<AdversaryFamily> All { get; } =
    [
        new("bombs", "compressed buffers of 90 bytes that become 16 MiB of zeros", false, bytes => Bombs.OfZeros(bytes, cpus: 1)),
        new("bombs-300-cpus", "the same on 300 CPUs in turn", false, bytes => Bombs.OfZeros(bytes, cpus: 300)),
        new("bombs-of-events", "compressed buffers of 110 bytes that become half a million events", false, Bombs.OfEvents),
        new("tiny-buffers", "a slow session: each compressed buffer has one event", true, bytes => TinyBuffers.InOrder(bytes, cpus: 4)),
        new("tiny-buffers-2048-cpus", "the same on 2,048 CPUs", true, bytes => TinyBuffers.InOrder(bytes, cpus: 2048)),
        new("tiny-buffers-overlapping", "buffers of two events, all second ones after all first ones", true, TinyBuffers.Overlapping),
        new("claims", "headers that may be those of buffers and lead nowhere", false, bytes => Claims.Of(bytes, isCompressed: false)),
        new("claims-compressed", "the same with the flag for compression", false, bytes => Claims.Of(bytes, isCompressed: true)),
        new("claims-far", "sound headers one behind the other, each of which claims a quarter of a MiB", false, Claims.Far),
        new("gaps", "one buffer of each of 2,048 CPUs, then gaps in the numbers of one", true, Gaps.Of),
        new("random-times", "events without any order in time", true, RandomTimes.Of),
        new("manifests", "many manifests of one provider, and events that none describes", true, Manifests.Many),
        new("value-map", "a bit map of many values, and events whose values are combinations", true, Manifests.LargeMap),
        new("long-names", "a manifest with names of 60,000 characters, and short events", true, Manifests.LongNames),
        new("silent-fields", "a manifest of fields that take no bytes, and short events", true, Manifests.SilentFields),
        new("nested-zeros", "self-described events: structs of nothing in arrays in structs", true, SelfDescribed.NestedZeros),
        new("schemas", "self-described events, each of another schema with fields of one byte", true, SelfDescribed.Schemas),
        new("frozen-clock", "samples and stacks that all have one time stamp", true, FrozenClock.Of),
    ];

    /// <summary>The family of a name; null for none.</summary>
    public static AdversaryFamily? Find(string name) => All.FirstOrDefault(family => family.Name == name);
}
