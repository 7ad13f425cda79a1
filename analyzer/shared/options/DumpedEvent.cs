using Tracer.Etl.Decoding;
using Tracer.Etl.Kernel;

namespace Tracer.AnalyzerShared.Options;

/// <summary>Who an event is from and what it is called, whichever part of the library knows it.</summary>
internal readonly struct DumpedEvent
{
    private static readonly string[] EventIdNames = new string[1024];

    private DumpedEvent(Guid provider, string group, string? providerName, string name, KernelRecordClass? kernel)
    {
        Provider = provider;
        Group = group;
        ProviderName = providerName;
        Name = name;
        Kernel = kernel;
    }

    /// <summary>GUID of the provider; class GUID of a kernel event.</summary>
    public Guid Provider { get; }

    /// <summary>Group of a kernel event; empty for others.</summary>
    public string Group { get; }

    /// <summary>Name of the provider; null where it is not known.</summary>
    public string? ProviderName { get; }

    public string Name { get; }

    /// <summary>How a kernel event is read; null for others.</summary>
    public KernelRecordClass? Kernel { get; }

    /// <summary>Finds the name and the fields of an event.</summary>
    public static DumpedEvent Of(in EtlEvent traceEvent, EventDecoder decoder)
    {
        KernelRecordClass? kernel = KernelRecordCatalog.Find(in traceEvent, out string group, out string name);
        if (group.Length > 0)
        {
            Guid provider = traceEvent.HookId == KernelHook.ImageLoad ? KernelGroup.Image.ClassId() : traceEvent.ProviderId;
            return new DumpedEvent(provider, group, null, name, kernel);
        }

        bool isDescribed = decoder.TryDescribe(in traceEvent, out EventSchema? schema);
        if ((!isDescribed || schema!.Source == EventSchemaSource.ProviderOnly) && traceEvent.IsEventHeader
            && GlitchKind.Find(traceEvent.ProviderId, traceEvent.Id) is { } known)
        {
            return new DumpedEvent(traceEvent.ProviderId, "", known.ProviderName, known.Name, null);
        }

        return isDescribed
            ? new DumpedEvent(traceEvent.ProviderId, "", schema!.ProviderName, schema.EventName, null)
            : new DumpedEvent(traceEvent.ProviderId, "", null, UnnamedEvent(in traceEvent), null);
    }

    /// <returns>How many bytes at the end of the payload were not understood.</returns>
    public int WriteFields(in EtlEvent traceEvent, EventDecoder decoder, IFieldSink fields)
    {
        if (Group.Length > 0 && Kernel is { HasFields: true })
        {
            return Kernel.WriteFields(in traceEvent, fields) ? 0 : traceEvent.Payload.Length;
        }

        return Group.Length > 0 && Kernel is null
            ? traceEvent.Payload.Length
            : decoder.WriteFields(in traceEvent, fields).BytesLeft;
    }

    /// <summary>Whether a kernel event is shorter than its version asks for.</summary>
    public bool IsTooShort(in EtlEvent traceEvent) => Kernel is { HasFields: true } && !Kernel.Fits(in traceEvent);

    private static string UnnamedEvent(in EtlEvent traceEvent)
    {
        bool isEvent = traceEvent.IsEventHeader;
        if (isEvent && traceEvent.Id < EventIdNames.Length)
        {
            return EventIdNames[traceEvent.Id] ??= string.Create(CultureInfo.InvariantCulture, $"EventID({traceEvent.Id})");
        }

        string kind = isEvent ? "EventID" : traceEvent.Kind == EtlHeaderKind.Message ? "Message" : "Opcode";
        int number = isEvent || traceEvent.Kind == EtlHeaderKind.Message ? traceEvent.Id : traceEvent.Opcode;
        return string.Create(CultureInfo.InvariantCulture, $"{kind}({number})");
    }
}
