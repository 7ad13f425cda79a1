using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Tracer.Capture.Probe;

/// <summary>What the probe process is doing.</summary>
internal enum ProbeState
{
    /// <summary>It has not begun.</summary>
    Starting,

    /// <summary>It looks for the clock's ticks and its own floor.</summary>
    Calibrating,

    /// <summary>It measures.</summary>
    Running,

    Stopped,

    /// <summary>It could not begin; the message says why.</summary>
    Failed,
}

/// <summary>What the probe process tells of itself, at the head of the shared memory.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ProbeStatus
{
    /// <summary>"PRB1".</summary>
    public const uint KnownMagic = 0x31_42_52_50;

    /// <summary>Bytes that the head takes.</summary>
    public const int Bytes = 4096;

    public uint Magic;

    /// <summary>Rings behind the head, written by the parent.</summary>
    public int Rings;

    /// <summary>Not 0: the parent wants it to end.</summary>
    public int IsStopWanted;

    public int State;

    /// <summary>Rate of the performance counter, Hz.</summary>
    public long QpcHz;

    /// <summary>Latency of the idle machine on the worst of the CPUs that can be measured, or on the best where none can, ns.</summary>
    public long FloorNs;

    /// <summary>From one clock tick that serves the timer to the next on the coarsest CPU, ns; 0 where there is no grid.</summary>
    public long GranularityNs;

    /// <summary>Wake-ups measured.</summary>
    public long Wakeups;

    /// <summary>CPU time used since it measures, ns.</summary>
    public long CostNs;

    public long RunningNs;

    /// <summary>Lowest priority of its threads, as read back.</summary>
    public int Priority;

    /// <summary>Not 0: its timers are of the kind that is finer than the clock tick.</summary>
    public int IsHighResolution;

    /// <summary>Bytes of the message.</summary>
    public int MessageBytes;

    /// <summary>UTF-8: what was not granted, or why it failed.</summary>
    public MessageText Message;

    /// <summary>Writes the message, cut where it is too long.</summary>
    public void SetMessage(string text)
    {
        Encoding.UTF8.TryGetBytes(text.Length <= MessageText.Length / 3 ? text : text[..(MessageText.Length / 3)], Message, out int bytes);
        MessageBytes = bytes;
    }

    public readonly string GetMessage()
    {
        ReadOnlySpan<byte> bytes = Message;
        return Encoding.UTF8.GetString(bytes[..Math.Clamp(MessageBytes, 0, bytes.Length)]);
    }

    [InlineArray(Length)]
    public struct MessageText
    {
        /// <summary>Bytes of it.</summary>
        public const int Length = 1536;

        private byte _first;
    }
}
