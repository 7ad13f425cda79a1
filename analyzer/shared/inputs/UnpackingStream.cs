using ZstdSharp;

namespace Tracer.AnalyzerShared.Inputs;

/// <summary>What is unpacked, as a pipe gives it: forwards only. Damage, and a bomb, end the reading with a message.</summary>
/// <param name="unpacked">Gives the bytes.</param>
/// <param name="packed">What they are made of; its position tells how much.</param>
internal sealed class UnpackingStream(Stream unpacked, Stream packed, string name) : ForwardStream
{
    /// <summary>Any file may become so large.</summary>
    private const long FreeBytes = 1L << 30;

    /// <summary>Beyond that, a byte may become so many; traces become 4 to 40, and a bomb 1032.</summary>
    private const int MostOfAByte = 200;

    private readonly ZipChecksum _checksum = new();
    private long _given;

    /// <summary>Of all that is unpacked, where the unpacker does not look at it itself; null where it does.</summary>
    public uint? Checksum { get; init; }

    public override int Read(Span<byte> buffer)
    {
        try
        {
            int read = unpacked.Read(buffer);
            _given += read;
            if (_given == 0 && !buffer.IsEmpty)
            {
                throw new EtlFormatException(
                    $"{name} has nothing inside that can be unpacked: it is cut short, or what was packed is empty");
            }

            if (_given > FreeBytes && _given / MostOfAByte > packed.Position)
            {
                throw new IOException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{name} becomes more than {MostOfAByte} times as large when it is unpacked, which no trace does: if it is one, "
                    + $"unpack it and name the .etl file"));
            }

            if (Checksum is { } checksum && !buffer.IsEmpty)
            {
                _checksum.Add(buffer[..read]);
                if (read == 0 && _checksum.Value != checksum)
                {
                    throw new InvalidDataException("the checksum is not that of the .zip");
                }
            }

            return read;
        }
        catch (Exception damage) when (damage is InvalidDataException or ZstdException)
        {
            throw new EtlFormatException(string.Create(
                CultureInfo.InvariantCulture,
                $"{name} is damaged after {_given} unpacked bytes ({damage.Message.TrimEnd('.')}): unpack what can be and name the "
                + $".etl file"));
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            unpacked.Dispose();
            packed.Dispose();
        }

        base.Dispose(disposing);
    }
}
