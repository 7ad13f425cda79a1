using System.Diagnostics.CodeAnalysis;
using Tracer.Capture.Sessions;
using Tracer.Etl.Decoding;

namespace Tracer.Capture.Triggers.Events;

/// <summary>An event that is to trigger, as this machine has it.</summary>
/// <param name="ProviderName">Name of the provider, or what the user wrote for it.</param>
/// <param name="Ids">Ids of the events; empty for all.</param>
/// <param name="Test">What a field must be; null for nothing.</param>
/// <param name="Descriptions">What the events look like (TRACE_EVENT_INFO); empty where only they themselves can tell.</param>
public sealed record EventRule(
    string Text, string ProviderName, Guid Provider, IReadOnlyList<ushort> Ids, FieldTest? Test, IReadOnlyList<byte[]> Descriptions)
{
    /// <summary>More fields are not listed in a message.</summary>
    private const int MostListed = 12;

    /// <summary>What sessions have to be asked for. An EventSource describes itself with an event of its own.</summary>
    public ProviderRequest Request => new(
        ProviderName,
        Provider,
        ulong.MaxValue,
        Ids.Count == 0 ? [] : Test is null || Descriptions.Count > 0 ? Ids : [.. Ids, ManifestPieceId]);

    /// <summary>Id of the events in which an EventSource writes its manifest (ManifestEnvelope in the source of .NET).</summary>
    private const ushort ManifestPieceId = 0xFFFE;

    /// <summary>Looks for what the user wrote on this machine.</summary>
    /// <param name="problem">What is wrong, and what to do, as a sentence without a full stop.</param>
    /// <param name="unknownName">The name of a provider that is not registered: others may be like it.</param>
    /// <returns>False where something is wrong.</returns>
    public static bool TryResolve(
        EventCondition condition,
        IProviderCatalog catalog,
        [NotNullWhen(true)] out EventRule? rule,
        [NotNullWhen(false)] out string? problem,
        out string? unknownName)
    {
        ArgumentNullException.ThrowIfNull(condition);
        ArgumentNullException.ThrowIfNull(catalog);
        rule = null;
        unknownName = null;
        if (!TryFind(condition.Provider, catalog, out RegisteredProvider provider))
        {
            unknownName = condition.Provider;
            problem = $"no provider '{condition.Provider}' is registered on this machine; 'logman query providers' lists those that are, "
                + "and one that is known only while its program runs is named by its GUID or with a star in front";
            return false;
        }

        IReadOnlyList<ushort> ids = condition.Ids;
        IReadOnlyList<ManifestEvent>? events = catalog.Events(provider.Id);
        if (events is not null && ids.Count > 0)
        {
            ids = [.. ids.Where(id => events.Any(one => one.Id == id))];
            if (ids.Count == 0 || (!condition.IsPreset && ids.Count < condition.Ids.Count))
            {
                problem = $"{provider.Name} has no event {Listed(condition.Ids)}; it has {Listed(events.Select(static one => one.Id))}";
                return false;
            }
        }

        List<byte[]> descriptions = [];
        if (condition.Test is { } test && events is not null)
        {
            ManifestEvent[] tested = [.. events.Where(one => ids.Count == 0 || ids.Contains(one.Id))];
            descriptions.AddRange(tested.Select(one => catalog.Describe(provider.Id, one)).OfType<byte[]>());
            string[] fields = [.. FieldsOf(provider.Id, tested, descriptions)];
            if (!fields.Contains(test.Field, StringComparer.OrdinalIgnoreCase))
            {
                problem = $"'{condition.Text}': the event has no field '{test.Field}'; it has "
                    + (fields.Length == 0 ? "none" : string.Join(", ", fields.Take(MostListed)));
                return false;
            }
        }

        rule = new EventRule(condition.Text, provider.Name, provider.Id, ids, condition.Test, descriptions);
        problem = null;
        return true;
    }

    /// <summary>A description as the record that a merge would put into a trace, which is how decoders learn of it.</summary>
    internal static void Teach(byte[] description, EventDecoder decoder)
    {
        var header = new EtlEventHeader
        {
            Kind = EtlHeaderKind.Full64,
            TimestampTicks = 0,
            ProviderId = EventMetadata.ClassId,
            Opcode = EventMetadata.EventInfoOpcode,
        };
        byte[] record = new byte[EventRecord.Measure(in header, description.Length)];
        EventRecord.Write(record, in header, description);
        if (EtlEvent.TryRead(record, 0, 0, out EtlEvent one))
        {
            decoder.Learn(in one);
        }
    }

    private static bool TryFind(string name, IProviderCatalog catalog, out RegisteredProvider provider)
    {
        if (name[0] == EventCondition.UnregisteredMark)
        {
            provider = new RegisteredProvider(name[1..], ProviderIdFromName.Compute(name[1..]));
            return true;
        }

        IReadOnlyList<RegisteredProvider> all = catalog.Providers();
        bool isGuid = Guid.TryParse(name, out Guid id);
        RegisteredProvider? found = all.Cast<RegisteredProvider?>().FirstOrDefault(one =>
            isGuid ? one!.Value.Id == id : one!.Value.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
        provider = found ?? new RegisteredProvider(name, id);
        return found is not null || isGuid;
    }

    private static IEnumerable<string> FieldsOf(Guid provider, ManifestEvent[] events, List<byte[]> descriptions)
    {
        var decoder = new EventDecoder();
        descriptions.ForEach(one => Teach(one, decoder));
        return events.SelectMany(one => FieldsOf(provider, one, decoder)).Distinct(StringComparer.OrdinalIgnoreCase);
    }

    private static string[] FieldsOf(Guid provider, ManifestEvent one, EventDecoder decoder)
    {
        var header = new EtlEventHeader
        {
            Kind = EtlHeaderKind.EventHeader64,
            TimestampTicks = 0,
            ProviderId = provider,
            Id = one.Id,
            Version = one.Version,
        };
        byte[] record = new byte[EventRecord.Measure(in header, 0)];
        EventRecord.Write(record, in header, []);
        return EtlEvent.TryRead(record, 0, 0, out EtlEvent empty) && decoder.TryDescribe(in empty, out EventSchema? schema)
            ? [.. schema!.Fields.Select(static field => field.Name)]
            : [];
    }

    private static string Listed(IEnumerable<ushort> ids)
    {
        ushort[] all = [.. ids.Distinct().Order()];
        string more = all.Length > MostListed ? ", ..." : "";
        return string.Join(", ", all.Take(MostListed).Select(static id => id.ToString(CultureInfo.InvariantCulture))) + more;
    }
}
