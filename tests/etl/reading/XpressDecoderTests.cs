using FsCheck;
using FsCheck.Fluent;
using Tracer.Etl.Reading;
using Tracer.Etl.Tests.Writing;

namespace Tracer.Etl.Tests.Reading;

/// <summary>Streams typed by hand, and the same answer as the slow decoder on everything else.</summary>
public class XpressDecoderTests
{
    private const byte Untouched = 0xA5;

    public static TheoryData<string> Files() => [.. RepositoryFiles.InCorpus("*.etl")];

    [Fact]
    public void Nothing_is_made_of_nothing()
    {
        AssertDecodes("", "");
    }

    [Fact]
    public void Literals_follow_their_flags()
    {
        AssertDecodes("FFFFFF1F 616263", "616263");
    }

    [Fact]
    public void Runs_of_32_literals_are_followed_by_the_next_flags()
    {
        string run = Convert.ToHexString([.. Enumerable.Range(1, 32).Select(value => (byte)value)]);
        AssertDecodes($"00000000 {run}", run);
        AssertDecodes($"00000000 {run} FFFFFFFF", run); // As real files end, with flags of no token.
        AssertDecodes($"00000000 {run} 00000000 {run} FFFFFF7F 63", $"{run}{run}63");
    }

    [Theory]
    [InlineData(3, "0000")]
    [InlineData(9, "0600")]
    [InlineData(10, "070000")]
    [InlineData(24, "07000E")]
    [InlineData(25, "07000F00")]
    [InlineData(25 + 254, "07000FFE")]
    [InlineData(25, "07000FFF1600")]
    [InlineData(25 + 255, "07000FFF1501")]
    [InlineData(0xFFFF + 3, "07000FFFFFFF")]
    [InlineData(25, "07000FFF000016000000")]
    [InlineData(0x10000 + 3, "07000FFF000000000100")]
    public void A_length_stands_in_the_match_a_nibble_a_byte_or_wider(int length, string match) =>
        AssertDecodes($"FFFFFF7F 61 {match}", string.Concat(Enumerable.Repeat("61", length + 1)));

    [Fact]
    public void Two_lengths_share_a_byte_of_nibbles()
    {
        // Literal 1, match of 11 (nibble 1), literal 2, match of 12 (nibble 2, the upper half of the byte that holds the first).
        AssertDecodes("FFFFFF5F 01 070021 02 0700", new string('x', 12).Replace("x", "01") + new string('x', 13).Replace("x", "02"));
    }

    [Fact]
    public void A_wide_length_may_follow_the_second_nibble_too()
    {
        AssertDecodes("FFFFFF7F 61 0700F0 0700 FF3000", string.Concat(Enumerable.Repeat("61", 1 + 10 + 0x33)));
    }

    [Fact]
    public void Matches_overlap_themselves_at_every_distance_and_length()
    {
        for (int distance = 1; distance <= 40; distance++)
        {
            for (int length = 3; length <= 80; length++)
            {
                byte[] start = [.. Enumerable.Range(0, distance).Select(value => (byte)((value * 7) + 1))];
                byte[] expected = [.. Enumerable.Range(0, distance + length).Select(at => start[at % distance])];
                var writer = new TokenWriter();
                Array.ForEach(start, writer.Literal);
                writer.Match(distance, length);
                byte[] made = Decode(writer.ToArray(), expected.Length, out XpressEnd end, out int consumed);
                Assert.Equal((XpressEnd.Complete, writer.ToArray().Length), (end, consumed));
                Assert.Equal(expected, made);
            }
        }
    }

    [Theory]
    [InlineData("FFFFFF7F 61 07000FFF1500")] // 21 in two bytes: a byte would have done.
    [InlineData("FFFFFF7F 61 07000FFF000015000000")]
    [InlineData("FFFFFF7F 61 07000FFF000000000000")]
    [InlineData("FFFFFFFF 0000")] // A match before the first byte.
    [InlineData("FFFFFF7F 61 0800")] // 2 back, where there is 1.
    public void A_match_that_cannot_be_is_damage(string stream)
    {
        Decode(Bytes(stream), 100, out XpressEnd end, out _);
        Assert.Equal(XpressEnd.Damaged, end);
    }

    [Theory]
    [InlineData("FFFFFF7F 61 0600", 9)]
    [InlineData("FFFFFF7F 61 07000FFF0000FFFFFFFF", 1000)]
    public void A_match_beyond_the_wanted_length_is_made_up_to_it_and_is_damage(string stream, int wanted)
    {
        byte[] made = Decode(Bytes(stream), wanted, out XpressEnd end, out _);
        Assert.Equal(XpressEnd.Damaged, end);
        Assert.Equal(Enumerable.Repeat((byte)0x61, wanted), made);
    }

    [Fact]
    public void A_stream_that_ends_early_says_so_at_every_byte()
    {
        byte[] stream = Bytes("FFFFFF57 61 0700F1 62 0700 FF 0000 00000100 63");
        byte[] whole = Decode(stream, 0x10000 + 3 + 20, out XpressEnd complete, out _);
        Assert.Equal(XpressEnd.InputEnded, complete);
        for (int length = 0; length < stream.Length; length++)
        {
            byte[] made = Decode(stream[..length], whole.Length, out XpressEnd end, out int consumed);
            Assert.Equal(XpressEnd.InputEnded, end);
            Assert.InRange(consumed, 0, length);
            Assert.Equal(whole[..made.Length], made);
        }
    }

    [Fact]
    public void A_destination_without_slack_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => XpressDecoder.Decode([1, 2, 3], new byte[XpressDecoder.Slack], 1, out _, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => XpressDecoder.Decode([1], new byte[100], int.MaxValue, out _, out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => XpressDecoder.Decode([1], new byte[100], -1, out _, out _));
    }

    [Fact]
    public void Random_bytes_are_decoded_as_the_slow_decoder_does_or_are_no_stream()
    {
        var random = new Random(11);
        int complete = 0;
        for (int i = 0; i < 20_000; i++)
        {
            byte[] stream = new byte[random.Next(80)];
            random.NextBytes(stream);
            if (stream.Length > 4)
            {
                stream.AsSpan(3, 1).Fill((byte)(random.Next(4) << 4)); // Few matches at first, so that some bytes are made.
            }

            int wanted = random.Next(200);
            byte[] made = Decode(stream, wanted, out XpressEnd end, out int consumed);
            if (end == XpressEnd.Complete)
            {
                complete++;
                Assert.Equal(SlowXpress.Start(stream.AsSpan(0, consumed), wanted), made);
            }
        }

        Assert.InRange(complete, 200, 20_000);
    }

    [Fact]
    public void What_the_encoder_makes_is_decoded() => Check.One(
        Config.QuickThrowOnFailure.WithMaxTest(300),
        Prop.ForAll(
            (from parts in (from value in Gen.Choose(0, 255)
                            from count in Gen.Choose(1, 300)
                            from period in Gen.Choose(1, 20)
                            select Enumerable.Range(0, count).Select(at => (byte)(value + (at % period * period)))).ListOf()
             select parts.SelectMany(part => part).ToArray()).ToArbitrary(),
            EncodesAndDecodes));

    [Theory]
    [MemberData(nameof(Files))]
    public void Compressed_buffers_of_real_files_are_decoded_as_by_the_slow_decoder(string file)
    {
        foreach (StoredBuffer buffer in StoredFile.Buffers(File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), file))))
        {
            if (buffer.IsCompressed)
            {
                byte[] made = Decode(buffer.Bytes[72..], buffer.Filled - 72, out XpressEnd end, out int consumed);
                Assert.Equal(XpressEnd.Complete, end);
                Assert.True(buffer.Bytes.Length - 72 - consumed is 0 or 4, $"{file}: 0x{buffer.At:x}");
                Assert.True(buffer.Contents.AsSpan().SequenceEqual(made), $"{file}: 0x{buffer.At:x}");
            }
        }
    }

    private static bool EncodesAndDecodes(byte[] input)
    {
        byte[] stream = new byte[(2 * input.Length) + 100];
        int length = new XpressEncoder().Encode(input, stream);
        byte[] made = Decode(stream[..length], input.Length, out XpressEnd end, out int consumed);
        Assert.Equal(XpressEnd.Complete, end);
        Assert.InRange(length - consumed, 0, 4);
        Assert.Equal(input, made);

        // Whoever wants less gets the start of it.
        int less = input.Length * 2 / 3;
        Assert.Equal(input[..less], Decode(stream[..length], less, out _, out _));
        return true;
    }

    private static void AssertDecodes(string stream, string expected)
    {
        byte[] bytes = Bytes(stream);
        byte[] output = Bytes(expected);
        byte[] made = Decode(bytes, output.Length, out XpressEnd end, out int consumed);
        Assert.Equal(XpressEnd.Complete, end);
        Assert.Equal(Convert.ToHexString(output), Convert.ToHexString(made));
        Assert.True(bytes.Length - consumed is 0 or 4);
        if (output.Length > 0)
        {
            Assert.Equal(output, SlowXpress.Start(bytes, output.Length));
        }
    }

    private static byte[] Bytes(string hex) => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));

    /// <summary>Decodes into a block of just the size asked for, between guards.</summary>
    private static byte[] Decode(byte[] stream, int wanted, out XpressEnd end, out int consumed)
    {
        byte[] block = new byte[32 + wanted + XpressDecoder.Slack + 32];
        Array.Fill(block, Untouched);
        end = XpressDecoder.Decode(stream, block.AsSpan(32, wanted + XpressDecoder.Slack), wanted, out consumed, out int made);
        Assert.Equal(-1, block.AsSpan(0, 32).IndexOfAnyExcept(Untouched));
        Assert.Equal(-1, block.AsSpan(32 + wanted + XpressDecoder.Slack).IndexOfAnyExcept(Untouched));
        Assert.InRange(made, 0, wanted);
        Assert.InRange(consumed, 0, stream.Length);
        Assert.True(end != XpressEnd.Complete || made == wanted);
        return block[32..(32 + made)];
    }

    /// <summary>Writes tokens one by one, without looking for any itself.</summary>
    private sealed class TokenWriter
    {
        private readonly List<byte> _bytes = [];
        private int _flagsAt;
        private int _tokens;

        public void Literal(byte value)
        {
            Flag(false);
            _bytes.Add(value);
        }

        public void Match(int distance, int length)
        {
            Flag(true);
            int rest = length - 3;
            int word = ((distance - 1) << 3) | Math.Min(rest, 7);
            _bytes.AddRange([(byte)word, (byte)(word >> 8)]);
            if (rest >= 7)
            {
                _bytes.Add((byte)Math.Min(rest - 7, 15));
            }

            if (rest >= 22)
            {
                _bytes.Add((byte)(rest - 22));
            }
        }

        public byte[] ToArray() => [.. _bytes];

        private void Flag(bool isMatch)
        {
            if (_tokens % 32 == 0)
            {
                _flagsAt = _bytes.Count;
                _bytes.AddRange(new byte[4]);
            }

            if (isMatch)
            {
                int bit = 31 - (_tokens % 32);
                _bytes[_flagsAt + (bit / 8)] |= (byte)(1 << (bit % 8));
            }

            _tokens++;
        }
    }
}
