using System.Buffers.Binary;
using System.Text;
using Tracer.Capture.Driver.Verifier;

namespace Tracer.Capture.Tests;

/// <summary>The kernel's list of verified drivers is read in both of its layouts, and what is neither is nothing.</summary>
public sealed class VerifierInformationTests
{
    private const ulong Address = 0x1_2345_6000;
    private const int OlderName = 8;
    private const int NewerName = 24;

    [Theory]
    [InlineData(OlderName, 0x80)]
    [InlineData(NewerName, 0x90)]
    public void EachRowHasItsNameLevelAndCounts(int name, int rowBytes)
    {
        byte[] answer = Answer(name, rowBytes, "TracerLatency.sys", @"\SystemRoot\drivers\nic.sys");
        Assert.Equal(
            [new VerifiedDriver("TracerLatency.sys", 0x9BB, 100, 200), new VerifiedDriver("nic.sys", 0x9BB, 101, 201)],
            VerifierInformation.Read(answer, Address));
    }

    /// <summary>Rows that lead out of the answer, or back, and names that lie elsewhere.</summary>
    [Theory]
    [InlineData(0, 0x7FFF_FFFFu)]
    [InlineData(0, 0xFFFF_FFFFu)]
    [InlineData(0, 4u)]
    [InlineData(NewerName + 8, 0u)]
    [InlineData(NewerName + 12, 0x7FFFu)]
    [InlineData(NewerName, 0x0010_0003u)]
    [InlineData(NewerName, 0x0002_0010u)]
    [InlineData(NewerName, 0xFFFE_FFFEu)]
    public void WhatIsNoListIsNothing(int offset, uint value)
    {
        byte[] answer = Answer(NewerName, 0x90, "a.sys", "b.sys");
        BinaryPrimitives.WriteUInt32LittleEndian(answer.AsSpan(offset), value);
        Assert.Null(VerifierInformation.Read(answer, Address));
        Assert.Null(VerifierInformation.Read(answer.AsSpan(0, 60), Address));
        Assert.Null(VerifierInformation.Read([], Address));
    }

    /// <summary>A row in which both places look like a name tells neither.</summary>
    [Fact]
    public void TwoNamesAreNone()
    {
        byte[] answer = Answer(NewerName, 0x90, "a.sys");
        answer.AsSpan(NewerName, 16).CopyTo(answer.AsSpan(OlderName));
        Assert.Null(VerifierInformation.Read(answer, Address));
    }

    private static byte[] Answer(int name, int rowBytes, params string[] names)
    {
        byte[] answer = new byte[(names.Length * rowBytes) + names.Sum(one => 2 * one.Length) + 40];
        int letters = names.Length * rowBytes;
        for (int i = 0; i < names.Length; i++)
        {
            Span<byte> row = answer.AsSpan(i * rowBytes);
            BinaryPrimitives.WriteUInt32LittleEndian(row, i + 1 < names.Length ? (uint)rowBytes : 0);
            BinaryPrimitives.WriteUInt32LittleEndian(row[4..], 0x9BB);
            BinaryPrimitives.WriteUInt16LittleEndian(row[name..], (ushort)(2 * names[i].Length));
            BinaryPrimitives.WriteUInt16LittleEndian(row[(name + 2)..], (ushort)((2 * names[i].Length) + 2));
            BinaryPrimitives.WriteUInt64LittleEndian(row[(name + 8)..], Address + (ulong)letters);
            BinaryPrimitives.WriteUInt32LittleEndian(row[(name + 60)..], (uint)(100 + i));
            BinaryPrimitives.WriteUInt32LittleEndian(row[(name + 64)..], (uint)(200 + i));
            letters += Encoding.Unicode.GetBytes(names[i], answer.AsSpan(letters));
        }

        return answer;
    }
}
