namespace Tracer.Simulator.Writing;

/// <summary>
/// The event that ACPI.sys logs about a firmware method: event 7, version 0 of Microsoft-Windows-Kernel-Acpi. Fields as in its manifest:
/// u16 AmlMethodNameLength (in characters), the name without a NUL, u16 AmlMethodState, u64 AmlElapsedTime.
/// </summary>
/// <remarks>
/// No recorded bytes of it were available: that the state is 0 at the beginning and 1 at the end, and that the time is in units of 100 ns
/// and 0 at the beginning, is our reading of the names.
/// </remarks>
internal sealed class FirmwareMethods
{
    public const ushort EventId = 7;

    /// <summary>Its keywords: the diagnostic channel and telemetry.</summary>
    public const ulong Keyword = 0x8000_2000_0000_0000;

    /// <summary>Enough for its payload, in bytes.</summary>
    public const int LargestPayload = 1024;

    private const int LongestName = 255;

    private readonly Dictionary<(uint ThreadId, string Method), long> _began = [];

    public void Lay(ref PayloadSpan payload, long timeNs, uint threadId, string method, bool isEnd)
    {
        long elapsedNs = 0;
        if (!isEnd)
        {
            _began[(threadId, method)] = timeNs;
        }
        else if (_began.Remove((threadId, method), out long beganNs))
        {
            elapsedNs = timeNs - beganNs;
        }

        string name = method[..Math.Min(method.Length, LongestName)];
        payload.UInt16((ushort)name.Length);
        payload.Utf16Units(name);
        payload.UInt16((ushort)(isEnd ? 1 : 0));
        payload.UInt64((ulong)elapsedNs / 100);
    }
}
