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
    private readonly int _usualBytes;
    private byte[] _block;
    private byte[] _glance = [];
    private long _blockOffset;
    private int _blockLength;

    /// <summary>Looks at the start of an input.</summary>
    /// <param name="input">The input; stays the caller's.</param>
    /// <param name="blockBytes">How much to read at once; little where only headers are wanted.</param>
    public InputWindow(TraceInput input, int blockBytes = BlockBytes)
    {
        _input = input;
        _usualBytes = blockBytes;
        _block = new byte[blockBytes];
    }

    /// <summary>Length of the input in bytes; <see cref="long.MaxValue"/> for a pipe.</summary>
    public long Length => _input.Length;

    /// <summary>Whether any place can be looked at again.</summary>
    public bool CanGoBack => _input.CanGoBack;

    /// <summary>Looks at a place; valid until the next look.</summary>
    /// <param name="offset">Where; in a pipe not before the last place looked at.</param>
    /// <param name="bytes">How many bytes.</param>
    /// <returns>The bytes, fewer at the end of the input; none where a pipe has passed the place.</returns>
    public ReadOnlySpan<byte> Peek(long offset, int bytes)
    {
        long inBlock = offset - _blockOffset;
        if (inBlock < 0 || inBlock + bytes > _blockLength)
        {
            Move(offset, bytes);
            inBlock = offset - _blockOffset;
        }

        int available = (int)Math.Clamp(_blockLength - inBlock, 0, bytes);
        return available == 0 || inBlock < 0 ? default : _block.AsSpan((int)inBlock, available);
    }

    /// <summary>
    /// Looks at a few bytes of an input that can go back without moving the window; valid until the next look of any kind.
    /// </summary>
    /// <param name="offset">Where; not behind the input's end.</param>
    /// <param name="bytes">How many bytes.</param>
    /// <returns>The bytes, fewer at the end of the input.</returns>
    public ReadOnlySpan<byte> Glance(long offset, int bytes)
    {
        long inBlock = offset - _blockOffset;
        if (inBlock >= 0 && inBlock + bytes <= _blockLength)
        {
            return _block.AsSpan((int)inBlock, bytes);
        }

        _glance = _glance.Length < bytes ? new byte[bytes] : _glance;
        return _glance.AsSpan(0, _input.ReadFully(_glance.AsSpan(0, bytes), offset));
    }

    /// <summary>Copies the input from the window's start to its end; every byte keeps its offset.</summary>
    public void CopyTo(Stream destination)
    {
        destination.Position = _blockOffset;
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

            int wanted = (int)Math.Clamp(_input.Length - offset, 0, Math.Max(bytes, _usualBytes));
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
        if (passed + bytes > _block.Length)
        {
            // Twice what is wanted, so that bytes are not moved at every look.
            byte[] block = bytes > _usualBytes && _block.Length < 2 * bytes ? new byte[2 * bytes] : _block;
            Buffer.BlockCopy(_block, passed, block, 0, _blockLength - passed);
            _block = block;
            _blockOffset += passed;
            _blockLength -= passed;
            passed = 0;
        }

        while (_blockLength < passed + bytes
            && _input.ReadSome(_block.AsSpan(_blockLength), _blockOffset + _blockLength) is > 0 and int read)
        {
            _blockLength += read;
        }
    }
}
