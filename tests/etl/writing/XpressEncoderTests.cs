using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests.Writing;

public class XpressEncoderTests
{
    private readonly XpressEncoder _encoder = new();

    [Fact]
    public void Literals_are_stored_behind_their_flags()
    {
        Assert.Equal("FFFFFF1F616263", Convert.ToHexString(Encode("abc"u8)));
    }

    [Fact]
    public void A_match_is_a_distance_and_a_length()
    {
        // Three literals and a match 3 back of 6 bytes: 3 - 1 in the upper 13 bits, 6 - 3 in the lower 3. Flags 0001 and then ones.
        Assert.Equal("FFFFFF1F6162631300", Convert.ToHexString(Encode("abcabcabc"u8)));
    }

    [Theory]
    [InlineData(9, "0600")]
    [InlineData(10, "070000")]
    [InlineData(24, "07000E")]
    [InlineData(25, "07000F00")]
    [InlineData(25 + 254, "07000FFE")]
    [InlineData(25 + 255, "07000FFF1501")]
    [InlineData(0xFFFF + 3, "07000FFFFFFF")]
    [InlineData(0x10000 + 3, "07000FFF000000000100")]
    public void A_long_match_continues_in_half_a_byte_a_byte_and_wider_numbers(int length, string match)
    {
        byte[] zeros = new byte[length + 1];
        Assert.Equal("FFFFFF7F00" + match, Convert.ToHexString(Encode(zeros)));
    }

    [Fact]
    public void Two_long_matches_share_a_byte()
    {
        byte[] input = [.. Enumerable.Repeat((byte)1, 12), .. Enumerable.Repeat((byte)2, 13)];

        // Literal 1, match of 11, literal 2, match of 12: flags 0101 and then ones; the half bytes are 1 and 2.
        Assert.Equal("FFFFFF5F01070021020700", Convert.ToHexString(Encode(input)));
    }

    [Fact]
    public void Thirty_two_tokens_are_followed_by_an_unused_flag_word_as_in_real_files()
    {
        byte[] input = [.. Enumerable.Range(0, 32).Select(value => (byte)value)];
        Assert.Equal("00000000" + Convert.ToHexString(input) + "FFFFFFFF", Convert.ToHexString(Encode(input)));
    }

    [Fact]
    public void Output_that_does_not_fit_is_refused_at_every_length()
    {
        byte[] input = [.. Enumerable.Range(0, 300).Select(value => (byte)(value * value / 7)), .. new byte[400]];
        byte[] whole = Encode(input);
        for (int length = 0; length < whole.Length; length++)
        {
            Assert.Equal(0, _encoder.Encode(input, new byte[length]));
        }

        Assert.True(whole.Length < input.Length);
    }

    [Fact]
    public void Any_bytes_are_decoded_by_the_reference_decoder() => Check.One(
        Config.QuickThrowOnFailure.WithMaxTest(300),
        Prop.ForAll(Gen.Sized(Pieces).ToArbitrary(), input => Decodes(input) > 0));

    [Fact]
    public void Matches_reach_8192_bytes_back_and_no_further()
    {
        byte[] pattern = "0123456789abcdef"u8.ToArray();
        foreach (int distance in (int[])[8191, 8192, 8193])
        {
            byte[] filler = new byte[distance - pattern.Length];
            new Random(1).NextBytes(filler);
            byte[] input = [.. pattern, .. filler, .. pattern];
            Decodes(input);
            int literalBytes = input.Length + (input.Length / 32 * 4) + 4;
            Assert.Equal(distance <= 8192, Encode(input).Length < literalBytes - 8);
        }
    }

    [Fact]
    public void The_same_input_gives_the_same_output_whatever_was_compressed_before()
    {
        byte[] input = new byte[20_000];
        new Random(2).NextBytes(input.AsSpan(0, 5000));
        byte[] first = Encode(input);
        byte[] other = new byte[65_536];
        new Random(3).NextBytes(other);
        Encode(other);
        Assert.Equal(first, Encode(input));
        Assert.Equal(first, new XpressEncoderTests().Encode(input));
    }

    [Fact]
    public void Compressing_allocates_nothing()
    {
        byte[] input = new byte[65_536];
        byte[] output = new byte[80_000];
        new Random(4).NextBytes(input.AsSpan(0, 30_000));
        _encoder.Encode(input, output);
        long before = GC.GetAllocatedBytesForCurrentThread();
        _encoder.Encode(input, output);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    [Fact]
    public void Buffers_of_real_files_are_decoded_by_the_reference_decoder_and_get_smaller()
    {
        byte[] file = File.ReadAllBytes(Path.Combine(RepositoryFiles.Corpus(), "tx-Process.etl"));
        long stored = 0;
        long raw = 0;
        for (int at = 0; at < file.Length; at += 65_536)
        {
            byte[] input = file[at..Math.Min(file.Length, at + 65_536)];
            raw += input.Length;
            stored += Decodes(input);
        }

        Assert.InRange((double)stored / raw, 0.01, 0.4);
    }

    private static Gen<byte[]> Pieces(int size)
    {
        Gen<byte[]> noise = Gen.Choose(0, 255).Select(value => (byte)value).ArrayOf(size);
        Gen<byte[]> runs = from value in Gen.Choose(0, 255) from count in Gen.Choose(0, 40 * (size + 1)) select Run(value, count);
        Gen<byte[]> words = from count in Gen.Choose(0, size + 1)
                            from letters in Gen.Elements("abc"u8.ToArray()).ArrayOf(20 * count)
                            select letters;
        return Gen.OneOf(noise, runs, words).ListOf().Select(pieces => pieces.SelectMany(piece => piece).ToArray());
    }

    private static byte[] Run(int value, int count)
    {
        byte[] run = new byte[count];
        Array.Fill(run, (byte)value);
        return run;
    }

    private int Decodes(byte[] input)
    {
        byte[] output = Encode(input);
        Assert.Equal(input, SlowXpress.Decode(output, input.Length));
        return output.Length;
    }

    private byte[] Encode(ReadOnlySpan<byte> input)
    {
        byte[] output = new byte[input.Length + (input.Length / 8) + 64];
        int bytes = _encoder.Encode(input, output);
        Assert.True(bytes > 0);
        return output[..bytes];
    }
}
