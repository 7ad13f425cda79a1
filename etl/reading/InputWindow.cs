namespace Tracer.Etl.Reading;

/// <summary>
/// The bytes of a trace, looked at through a window that moves: at any place of a file, forward only in a pipe. One block is held and
/// recycled, so memory does not depend on the input's size.
/// </summary>
internal sealed class InputWindow
{
    /// <summary>
    /// Bytes read at once while going through the input: stays in the CPU's second-level cache. Measured best, see bench/.
    /// </summary>
    public const int BlockBytes = 256 * 1024;

    private readonly TraceInput _input;
    private byte[] _block;
    private long _blockOffset;
    private int _blockLength;

    /// <summary>Looks at the start of an input.</summary>
    /// <param name="input">The input; stays the caller's.</param>
    /// <param name="blockBytes">How much to read at once; little where only headers are wanted.</param>
    public InputWindow(TraceInput input, int blockBytes = BlockBytes)
    {
        _input = input;
        _block = new byte[blockBytes];
    }

    /// <summary>Length of the input in bytes; <see cref="long.MaxValue"/> for a pipe.</summary>
    public long Length => _input.Length;

    /// <summary>Whether any place can be looked at again.</summary>
    public bool CanGoBack => _input.CanGoBack;

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

    /// <summary>Copies the input from the window's start to its end.</summary>
    public void CopyTo(Stream destination)
    {
        do
        {
            destination.Write(_block, 0, _blockLength);
            _blockOffset += _blockLength;
            _blockLength = _input.ReadFully(_block, _blockOffset);
        }
        while (_blockLength > 0);
    }

    private void Move(long offset, int bytes)
    {
        if (_input.CanGoBack)
        {
            if (_block.Length < bytes)
            {
                _block = new byte[bytes];
            }

            int wanted = (int)Math.Clamp(_input.Length - offset, 0, _block.Length);
            _blockOffset = offset;
            _blockLength = _input.ReadFully(_block.AsSpan(0, wanted), offset);
            return;
        }

        // Forward, past what is not wanted any more.
        while (offset >= _blockOffset + _blockLength)
        {
            _blockOffset += _blockLength;
            _blockLength = _input.ReadSome(_block, _blockOffset);
            if (_blockLength == 0)
            {
                return;
            }
        }

        int passed = (int)Math.Clamp(offset - _blockOffset, 0, _blockLength);
        Buffer.BlockCopy(_block, passed, _block, 0, _blockLength - passed);
        _blockOffset += passed;
        _blockLength -= passed;
        if (_block.Length < bytes)
        {
            Array.Resize(ref _block, bytes);
        }

        while (_blockLength < bytes && _input.ReadSome(_block.AsSpan(_blockLength), _blockOffset + _blockLength) is > 0 and int read)
        {
            _blockLength += read;
        }
    }
}
