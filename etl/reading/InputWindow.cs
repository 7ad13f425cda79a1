using Microsoft.Win32.SafeHandles;

namespace Tracer.Etl.Reading;

/// <summary>
/// The bytes of a trace, looked at through a window that moves: at any place of a file, forward only in a pipe. One block is held,
/// recycled, so memory does not depend on the input's size.
/// </summary>
internal sealed class InputWindow : IDisposable
{
    /// <summary>Bytes read at once while going through the input; measured best, see bench/.</summary>
    public const int BlockBytes = 256 * 1024;

    private readonly SafeFileHandle? _file;
    private readonly Stream? _pipe;
    private byte[] _block;
    private long _blockOffset;
    private int _blockLength;
    private bool _pipeEnded;

    private InputWindow(SafeFileHandle? file, Stream? pipe, long length, int blockBytes)
    {
        _file = file;
        _pipe = pipe;
        Length = length;
        _block = new byte[blockBytes];
    }

    /// <summary>Length of the input in bytes when it was opened; <see cref="long.MaxValue"/> for a pipe.</summary>
    public long Length { get; }

    /// <summary>Whether any place can be looked at again.</summary>
    public bool CanGoBack => _file is not null;

    /// <summary>Looks at a file. The handle stays the caller's.</summary>
    /// <param name="file">The file.</param>
    /// <param name="blockBytes">How much to read at once; little where only headers are wanted.</param>
    public static InputWindow OverFile(SafeFileHandle file, int blockBytes = BlockBytes) =>
        new(file, null, RandomAccess.GetLength(file), blockBytes);

    /// <summary>Looks at a pipe. The stream stays the caller's.</summary>
    public static InputWindow OverPipe(Stream pipe) => new(null, pipe, long.MaxValue, BlockBytes);

    /// <summary>Looks at a place; valid until the next look.</summary>
    /// <param name="offset">Where; in a pipe not before the last place looked at.</param>
    /// <param name="bytes">How many bytes.</param>
    /// <returns>The bytes, fewer at the end of the input.</returns>
    public ReadOnlySpan<byte> Peek(long offset, int bytes)
    {
        long inBlock = offset - _blockOffset;
        if (inBlock < 0 || inBlock + bytes > _blockLength)
        {
            Move(offset, bytes);
            inBlock = offset - _blockOffset;
        }

        int available = (int)Math.Clamp(_blockLength - inBlock, 0, bytes);
        return available == 0 ? default : _block.AsSpan((int)inBlock, available);
    }

    /// <summary>Whether a place is in the window already, so that looking there does not move it.</summary>
    public bool Holds(long offset, int bytes) => offset >= _blockOffset && offset + bytes <= _blockOffset + _blockLength;

    /// <inheritdoc/>
    public void Dispose() => _block = [];

    private void Move(long offset, int bytes)
    {
        if (_file is not null)
        {
            if (_block.Length < bytes)
            {
                _block = new byte[bytes];
            }

            _blockOffset = offset;
            _blockLength = 0;
            int wanted = (int)Math.Clamp(Length - offset, 0, _block.Length);
            while (_blockLength < wanted)
            {
                int read = RandomAccess.Read(_file, _block.AsSpan(_blockLength, wanted - _blockLength), offset + _blockLength);
                if (read == 0)
                {
                    break; // The file became shorter: what is missing counts as cut off.
                }

                _blockLength += read;
            }
        }
        else
        {
            MovePipe(offset, bytes);
        }
    }

    private void MovePipe(long offset, int bytes)
    {
        while (!_pipeEnded && offset >= _blockOffset + _blockLength)
        {
            _blockOffset += _blockLength;
            _blockLength = 0;
            Fill(_block.Length);
        }

        int passed = (int)Math.Clamp(offset - _blockOffset, 0, _blockLength);
        Buffer.BlockCopy(_block, passed, _block, 0, _blockLength - passed);
        _blockOffset += passed;
        _blockLength -= passed;
        if (_block.Length < bytes)
        {
            Array.Resize(ref _block, bytes);
        }

        Fill(bytes);
    }

    /// <summary>Reads from the pipe until so many bytes are held, or it ends; takes more where more is there.</summary>
    private void Fill(int bytes)
    {
        while (!_pipeEnded && _blockLength < bytes)
        {
            int read = _pipe!.Read(_block, _blockLength, _block.Length - _blockLength);
            _pipeEnded = read == 0;
            _blockLength += read;
        }
    }
}
