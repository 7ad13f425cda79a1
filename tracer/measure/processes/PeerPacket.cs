using System.Buffers.Binary;
using Tracer.Measure.Ground;

namespace Tracer.Measure.Processes;

/// <summary>
/// What goes between a measurement and the process that answers it. A request is never an answer, so two that answer do not answer each
/// other. All numbers are little-endian: at 4 the number of the request; in an answer with stamps at 12 when the request was there and at
/// 20 when the answer went, in nanoseconds of the counter of the machine that answers.
/// </summary>
internal static class PeerPacket
{
    /// <summary>Bytes of the shortest request: Bernadat's packets have 54 bytes, 12 of them data.</summary>
    public const int LeastBytes = 12;

    /// <summary>Bytes of an answer with stamps.</summary>
    public const int StampedBytes = 28;

    /// <summary>Bytes of the longest packet.</summary>
    public const int MostBytes = 65_507;

    private const byte Request = (byte)'T';
    private const byte Reply = (byte)'t';
    private const int NumberAt = 4;
    private const int ReceivedAt = 12;
    private const int SentAt = 20;

    /// <summary>Answers that belong to earlier requests are passed over; of more than this the other end is not one of ours.</summary>
    private const int MostOthers = 1_000;

    /// <summary>Makes a request.</summary>
    /// <param name="packet">Takes it; what is beyond the number stays as it is.</param>
    /// <param name="wantsStamps">Whether the answer tells when, instead of what was sent.</param>
    public static void Ask(Span<byte> packet, long number, bool wantsStamps)
    {
        packet[0] = Request;
        packet[1] = wantsStamps ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteInt64LittleEndian(packet[NumberAt..], number);
    }

    /// <summary>Makes the answer to a request in its place.</summary>
    /// <param name="buffer">Holds what came, and takes the answer; <see cref="MostBytes"/>.</param>
    /// <param name="received">When it came, in nanoseconds.</param>
    /// <returns>Length of the answer; 0 for none: it was no request.</returns>
    public static int Answer(Span<byte> buffer, int length, long received, long sent)
    {
        if (length < LeastBytes || buffer[0] != Request)
        {
            return 0;
        }

        buffer[0] = Reply;
        if ((buffer[1] & 1) == 0)
        {
            return length;
        }

        BinaryPrimitives.WriteInt64LittleEndian(buffer[ReceivedAt..], received);
        BinaryPrimitives.WriteInt64LittleEndian(buffer[SentAt..], sent);
        return StampedBytes;
    }

    /// <summary>Waits for the answer to a request.</summary>
    /// <returns>Its length; -1 where none came for a second.</returns>
    public static int Await(IMeasurePeer peer, Span<byte> buffer, long number)
    {
        for (int others = 0; others < MostOthers; others++)
        {
            int length = peer.Receive(buffer);
            if (length < 0)
            {
                return -1;
            }

            if (length >= LeastBytes && buffer[0] == Reply && BinaryPrimitives.ReadInt64LittleEndian(buffer[NumberAt..]) == number)
            {
                return length;
            }
        }

        return -1;
    }

    /// <summary>The stamps of an answer, in nanoseconds of the counter of the machine that answers.</summary>
    public static (long Received, long Sent) Stamps(ReadOnlySpan<byte> answer) =>
        (BinaryPrimitives.ReadInt64LittleEndian(answer[ReceivedAt..]), BinaryPrimitives.ReadInt64LittleEndian(answer[SentAt..]));
}
