using System.Buffers.Binary;
using System.Text;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Tests;

/// <summary>
/// The blocks that StartTrace and ControlTrace get, byte by byte; offsets from windows-headers.txt, values worked out by hand.
/// </summary>
public sealed class PropertiesBlockTests
{
    private const int FixedBytes = 120;
    private const int NameBytes = 2048;

    /// <summary>Four CPUs, 16 GiB; 2 s before, 0.25 s after, 1.5 s until we hear of it.</summary>
    private static readonly MachineSize Machine = new(4, 16L << 30);
    private static readonly TimeSpan Covered = TimeSpan.FromSeconds(3.75);

    [Fact]
    public void TheRecorderIsARingOfMemory()
    {
        Assert.SkipWhen(nint.Size != 8, "a 64-bit process");
        byte[] expected = Empty();
        Put(expected, 64, 0x0A00_0400); // system logger, independent, buffering
        Put(expected, 48, 64); // KiB
        Put(expected, 52, 1296); // 81 MiB: 4 CPUs x 3.75 s x 2731 KiB/s x 2, rounded up, in buffers of 64 KiB
        Put(expected, 56, 1296);
        Put(expected, 68, 0); // nothing is delivered

        // No sysconfig; profile; hard faults; dispatcher; interrupts, DPCs, switches; images, threads, processes.
        Put(expected, 72, 0x1100_2877);
        Put(expected, 112, 0); // no file
        Assert.Equal(Text(expected), Text(PropertiesBlock.ForStart(SessionPlans.Recorder(Machine, Covered)).Bytes));
    }

    [Theory]
    [InlineData(TriggerKind.Dpc, 0x1000_0020u)]
    [InlineData(TriggerKind.Isr, 0x1000_0040u)]
    public void TheTriggerIsRealTimeAndNarrow(TriggerKind kind, uint flags)
    {
        Assert.SkipWhen(nint.Size != 8, "a 64-bit process");
        byte[] expected = Empty();
        Put(expected, 64, 0x0A00_0100); // system logger, independent, real-time
        Put(expected, 48, 64);
        Put(expected, 52, 16); // four for each CPU
        Put(expected, 56, 64);
        Put(expected, 68, 1); // a second
        Put(expected, 72, flags);
        Put(expected, 112, 0);
        Assert.Equal(Text(expected), Text(PropertiesBlock.ForStart(SessionPlans.Trigger(Machine, [kind])).Bytes));
    }

    [Fact]
    public void TheSessionOfOtherProvidersIsNoSystemLogger()
    {
        Assert.SkipWhen(nint.Size != 8, "a 64-bit process");
        byte[] expected = Empty();
        Put(expected, 64, 0x0800_0100); // independent, real-time
        Put(expected, 48, 64);
        Put(expected, 52, 16);
        Put(expected, 56, 64);
        Put(expected, 68, 1);
        Put(expected, 112, 0);
        Assert.Equal(Text(expected), Text(PropertiesBlock.ForStart(SessionPlans.Events(Machine, [])).Bytes));
    }

    [Fact]
    public void TheRundownGoesToAFileAndDescribesTheMachineWhereThatIsAskedFor()
    {
        Assert.SkipWhen(nint.Size != 8, "a 64-bit process");
        string path = Path.GetFullPath("rundown.etl");
        byte[] expected = Empty();
        Put(expected, 64, 0x0A00_0001); // system logger, independent, sequential
        Put(expected, 48, 256);
        Put(expected, 52, 169); // 42 MB in buffers of 256 KiB, and two for each CPU
        Put(expected, 56, 338);
        Put(expected, 68, 0);
        Put(expected, 72, 0x0000_0007); // processes, threads, images
        Put(expected, 112, FixedBytes + NameBytes);
        Encoding.Unicode.GetBytes(path).CopyTo(expected, FixedBytes + NameBytes);
        Assert.Equal(
            Text(expected),
            Text(PropertiesBlock.ForStart(SessionPlans.Rundown(Machine, "rundown.etl", withConfiguration: true)).Bytes));
        Put(expected, 72, 0x1000_0007); // and no configuration (EVENT_TRACE_FLAG_NO_SYSCONFIG)
        Assert.Equal(Text(expected), Text(PropertiesBlock.ForStart(SessionPlans.Rundown(Machine, "rundown.etl")).Bytes));
    }

    [Fact]
    public void ASnapshotIsTheRecorderWithAFile()
    {
        SessionPlan plan = SessionPlans.Recorder(Machine, Covered);
        string path = Path.GetFullPath("snapshot.etl");
        byte[] expected = PropertiesBlock.ForStart(plan).Bytes.ToArray();
        Put(expected, 112, FixedBytes + NameBytes);
        Encoding.Unicode.GetBytes(path).CopyTo(expected, FixedBytes + NameBytes);
        Assert.Equal(Text(expected), Text(PropertiesBlock.ForSnapshot(plan, path).Bytes));
    }

    [Fact]
    public void AFileNameThatDoesNotFitIsRefused()
    {
        SessionPlan plan = SessionPlans.Rundown(Machine, new string('x', PropertiesBlock.NameChars));
        Assert.Equal(EtwError.InvalidName, Assert.Throws<EtwException>(() => PropertiesBlock.ForStart(plan)).Code);
    }

    [Fact]
    public void TheNameOfAnAnsweredSessionEndsAtItsZeroOrAtTheEnd()
    {
        PropertiesBlock block = PropertiesBlock.ForAnswer();
        Assert.Equal("", block.LoggerName);
        block.Properties.LoggerNameOffset = (uint)PropertiesBlock.Size - 4;
        Assert.Equal("", block.LoggerName);
        block.Properties.LoggerNameOffset = uint.MaxValue;
        Assert.Equal("", block.LoggerName);
    }

    [Fact]
    public void AFilterOfEventIdsHasItsHeadAndTheIds() =>
        Assert.Equal("01-00-03-00-0E-00-0F-00-41-00", BitConverter.ToString(ProviderEnabling.FilterOf([14, 15, 65])));

    /// <summary>What all blocks have: size, flags, clock, places of the names.</summary>
    private static byte[] Empty()
    {
        byte[] block = new byte[FixedBytes + (2 * NameBytes)];
        Put(block, 0, 4216); // 120 + 2 x 2048
        Put(block, 40, 1); // performance counter
        Put(block, 44, 0x0002_0000); // WNODE_FLAG_TRACED_GUID
        Put(block, 116, FixedBytes);
        return block;
    }

    private static void Put(byte[] block, int offset, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(block.AsSpan(offset), value);

    /// <summary>One line for each 16 bytes that are not all zero: a failure shows where.</summary>
    private static string Text(ReadOnlySpan<byte> block)
    {
        StringBuilder text = new();
        for (int at = 0; at < block.Length; at += 16)
        {
            ReadOnlySpan<byte> line = block[at..Math.Min(at + 16, block.Length)];
            if (line.ContainsAnyExcept((byte)0))
            {
                text.Append(at).Append(": ").AppendLine(Convert.ToHexString(line));
            }
        }

        return text.Append(block.Length).ToString();
    }
}
