using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Sessions;

/// <summary>The kernel events of a running session, all eight words of them: what TraceSystemTraceEnableFlagsInfo sets and tells.</summary>
internal static unsafe class KernelMaskSetting
{
    /// <summary>
    /// Adds events to those that the session's enable flags have switched on. Where Windows refuses them together, one after the other:
    /// what is too new for this build stays off and the rest is on.
    /// </summary>
    /// <param name="withConfiguration">Whether the session describes the machine when it stops.</param>
    /// <returns>What Windows took of it, without a word of refusal.</returns>
    public static KernelMasks Apply(ulong handle, KernelMasks wanted, bool withConfiguration)
    {
        // Where Windows does not tell, those are on that have an enable flag: the session started with them.
        KernelMasks on = Query(handle) ?? ByFlags(wanted, withConfiguration);
        KernelMasks all = Join(on, wanted);
        if (all == on || Set(handle, all) == EtwError.Success)
        {
            return all;
        }

        foreach (KernelSwitch one in RecordedEvents.All)
        {
            if (!wanted.Has(one.Mask) || on.Has(one.Mask))
            {
                continue;
            }

            KernelMasks more = on;
            more.Add(one.Mask);
            if (Set(handle, more) == EtwError.Success)
            {
                on = more;
            }
        }

        return on;
    }

    /// <returns>
    /// Its masks; events that have an enable flag in its place are named by their mask. Null where Windows does not tell: that ends
    /// nothing.
    /// </returns>
    public static KernelMasks? Query(ulong handle)
    {
        KernelMasks masks = default;
        uint code = TraceFunctions.TraceQueryInformation(
            handle, TraceInformationClass.TraceSystemTraceEnableFlagsInfo, &masks, (uint)sizeof(KernelMasks), out _);
        return code == EtwError.Success
            ? RecordedEvents.WithFlagsAsMasks(masks)
            : null;
    }

    private static KernelMasks ByFlags(KernelMasks wanted, bool withConfiguration)
    {
        KernelMasks on = default;
        if (!withConfiguration)
        {
            on.Add(EtwConstants.FlagNoSystemConfig); // It is a bit of the masks, too (krabsetw, PERF_NO_SYSCONFIG): set without it is lost.
        }

        foreach (KernelSwitch one in RecordedEvents.All)
        {
            if (one.EnableFlag != 0 && wanted.Has(one.Mask))
            {
                on.Add(one.Mask);
            }
        }

        return on;
    }

    private static uint Set(ulong handle, KernelMasks masks) => TraceFunctions.TraceSetInformation(
        handle, TraceInformationClass.TraceSystemTraceEnableFlagsInfo, &masks, (uint)sizeof(KernelMasks));

    private static KernelMasks Join(KernelMasks first, KernelMasks second)
    {
        for (int word = 0; word < KernelMasks.Words; word++)
        {
            first[word] |= second[word];
        }

        return first;
    }
}
