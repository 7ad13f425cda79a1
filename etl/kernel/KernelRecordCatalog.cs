namespace Tracer.Etl.Kernel;

/// <summary>
/// Finds the class of a kernel event: by hook id where the header has one, by class GUID and opcode where it is a classic header. The
/// table is made once; finding allocates nothing.
/// </summary>
public static class KernelRecordCatalog
{
    /// <summary>
    /// Class of ImageID events: they have the process and the time stamp of the image record that they add to.
    /// </summary>
    public static readonly Guid ImageIdClass = new("b3e675d7-2554-4f18-830b-2762732560de");

    /// <summary>Class GUIDs that are no kernel group: their groups in the table lie above those of the kernel.</summary>
    private static readonly (Guid ClassId, int Group, string Name)[] OtherClasses =
    [
        (ImageIdClass, KernelRecordGroups.ImageId, "ImageId"),
        (new Guid("9b79ee91-b5fd-41c0-a243-4248e266e9d0"), KernelRecordGroups.SystemConfigEx, "SystemConfigEx"),
        (new Guid("bbccf6c1-6cd1-48c4-80ff-839482e37671"), KernelRecordGroups.EventMetadata, "EventMetadata"),
        (new Guid("ed54dff8-c409-4cf6-bf83-05e1e61a09c4"), KernelRecordGroups.WinSat, "WinSat"),
        (new Guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e"), KernelRecordGroups.Lost, "Lost"),
    ];

    private static readonly string[] GroupNames = MakeGroupNames();
    private static readonly string[] OpcodeNames = MakeOpcodeNames();
    private static readonly KernelRecordTable Table = KernelRecordGroups.MakeTable();

    /// <summary>The class of an event.</summary>
    /// <returns>Null for a kernel event that is not known, and for an event that is none of the kernel's.</returns>
    public static KernelRecordClass? Find(in EtlEvent traceEvent) =>
        TryPlace(in traceEvent, out int group) ? Table.Find(group, traceEvent.Opcode) : null;

    /// <summary>The class of an event, and what to call it in any case.</summary>
    /// <param name="traceEvent">The event.</param>
    /// <param name="group">Name of its group; empty for an event that is none of the kernel's.</param>
    /// <param name="name">Its name in the group; "Opcode 0x2a" where it has none; empty for an event that is none of the kernel's.</param>
    /// <returns>As <see cref="Find(in EtlEvent)"/>.</returns>
    public static KernelRecordClass? Find(in EtlEvent traceEvent, out string group, out string name)
    {
        if (!TryPlace(in traceEvent, out int place))
        {
            group = "";
            name = "";
            return null;
        }

        byte opcode = traceEvent.Opcode;
        KernelRecordClass? recordClass = Table.Find(place, opcode);
        group = recordClass?.Group ?? GroupNames[place];
        name = recordClass?.Name ?? OpcodeNames[opcode];
        return recordClass;
    }

    /// <summary>The class of a hook id.</summary>
    /// <param name="hookId">Group in the high byte, opcode in the low.</param>
    /// <returns>Null for one that is not known.</returns>
    public static KernelRecordClass? FindHook(ushort hookId) => Table.Find(hookId >> 8, (byte)hookId);

    /// <summary>The class of a classic event.</summary>
    /// <param name="classId">Class GUID of a kernel group, or of what merging and the system add.</param>
    /// <param name="opcode">Opcode.</param>
    /// <returns>Null for one that is not known.</returns>
    public static KernelRecordClass? FindClassic(in Guid classId, byte opcode) =>
        TryPlace(in classId, out int group) ? Table.Find(group, opcode) : null;

    private static bool TryPlace(in EtlEvent traceEvent, out int group)
    {
        if (traceEvent.IsKernelHook)
        {
            group = (int)traceEvent.Group;
            return true;
        }

        group = 0;
        return traceEvent.Kind is EtlHeaderKind.Full32 or EtlHeaderKind.Full64 or EtlHeaderKind.Instance32 or EtlHeaderKind.Instance64
            && TryPlace(traceEvent.ProviderId, out group);
    }

    private static bool TryPlace(in Guid classId, out int group)
    {
        group = (int)KernelGroupClass.GroupOf(in classId);
        if (group != (int)KernelGroup.None)
        {
            return true;
        }

        foreach ((Guid otherId, int otherGroup, _) in OtherClasses)
        {
            if (otherId == classId)
            {
                group = otherGroup;
                return true;
            }
        }

        return false;
    }

    private static string[] MakeGroupNames()
    {
        var names = new string[KernelRecordGroups.Count];
        for (int group = 0; group < KernelRecordGroups.FirstOther; group++)
        {
            names[group] = group <= (int)KernelGroup.HypervisorExtended ? ((KernelGroup)group).ToString() : $"Group 0x{group:x2}";
        }

        foreach ((_, int group, string name) in OtherClasses)
        {
            names[group] = name;
        }

        return names;
    }

    private static string[] MakeOpcodeNames()
    {
        var names = new string[256];
        for (int opcode = 0; opcode < names.Length; opcode++)
        {
            names[opcode] = $"Opcode 0x{opcode:x2}";
        }

        return names;
    }
}
