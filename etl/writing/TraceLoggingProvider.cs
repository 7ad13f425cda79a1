namespace Tracer.Etl;

/// <summary>
/// A provider of TraceLogging events: its id and the traits that stand with each of its events (extended item 12; Microsoft
/// Learn, "Provider Traits").
/// </summary>
public sealed class TraceLoggingProvider
{
    private const byte GroupTrait = 1;

    /// <summary>Makes a provider.</summary>
    /// <param name="name">Its name, without NUL.</param>
    /// <param name="id">Its id; by the rule of <see cref="ProviderIdFromName"/> when left out.</param>
    /// <param name="group">The group of providers that it belongs to, if any.</param>
    /// <exception cref="ArgumentException">The name has a NUL or is too long.</exception>
    public TraceLoggingProvider(string name, Guid? id = null, Guid? group = null)
    {
        Name = name;
        Id = id ?? ProviderIdFromName.Compute(name);
        var traits = new TraceLoggingMetadata();
        traits.AddText(name);
        if (group is { } groupId)
        {
            traits.AddUInt16(2 + 1 + 16);
            traits.AddByte(GroupTrait);
            traits.AddBytes(groupId.ToByteArray());
        }

        Traits = new EtlExtendedItem(EtlExtendedItemKind.ProviderTraits, traits.Finish());
    }

    /// <summary>Its name.</summary>
    public string Name { get; }

    /// <summary>Its id.</summary>
    public Guid Id { get; }

    /// <summary>The extended item that names it.</summary>
    public EtlExtendedItem Traits { get; }
}
