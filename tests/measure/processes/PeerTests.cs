using System.CommandLine;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Tracer.CommandLine;
using Tracer.Measure.Ground;
using Tracer.Measure.Machine;
using Tracer.Measure.Processes;
using Tracer.TracerCommand.Commands.Measure;

namespace Tracer.Measure.Tests;

/// <summary>The process that answers: what it answers and what not, and that it is found where it runs by itself.</summary>
[Collection("one measurement at a time")]
public sealed class PeerTests
{
    [Fact]
    public void A_request_is_answered_and_nothing_else_is()
    {
        byte[] buffer = new byte[PeerPacket.MostBytes];
        PeerPacket.Ask(buffer, 7, wantsStamps: true);
        Assert.Equal(PeerPacket.StampedBytes, PeerPacket.Answer(buffer, PeerPacket.LeastBytes, 1_000, 2_000));
        Assert.Equal((1_000L, 2_000L), PeerPacket.Stamps(buffer));
        // An answer is no request: two that answer are silent with each other.
        Assert.Equal(0, PeerPacket.Answer(buffer, PeerPacket.StampedBytes, 1, 2));
        PeerPacket.Ask(buffer, 7, wantsStamps: false);
        Assert.Equal(500, PeerPacket.Answer(buffer, 500, 1, 2));
        PeerPacket.Ask(buffer, 7, wantsStamps: true);
        Assert.Equal(0, PeerPacket.Answer(buffer, PeerPacket.LeastBytes - 1, 1, 2));
        Assert.Equal(0, PeerPacket.Answer(buffer, 0, 1, 2));
    }

    [Fact]
    public void Answers_of_earlier_requests_are_passed_over_and_a_flood_of_others_ends()
    {
        Span<byte> buffer = stackalloc byte[PeerPacket.StampedBytes];
        Assert.Equal(PeerPacket.StampedBytes, PeerPacket.Await(new Scripted(1, 2, 3), buffer, 3));
        Assert.Equal(-1, PeerPacket.Await(new Scripted(1, 2), buffer, 3));
        Assert.Equal(-1, PeerPacket.Await(new Scripted([.. Enumerable.Repeat(5L, 2_000)]), buffer, 3));
    }

    [Fact]
    public void One_that_runs_by_itself_is_measured_and_ends_when_it_is_told_to()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux is measured here.");
        int port = FreePort();
        var start = new ProcessStartInfo(
            "dotnet",
            [
                Path.Combine(AppContext.BaseDirectory, "tracer.dll"), "measure", "peer", "--listen", $"127.0.0.1:{port}",
                "--priority", "normal",
            ])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        using Process peer = Process.Start(start)!;
        try
        {
            Assert.Equal($"listens on 127.0.0.1:{port}", peer.StandardOutput.ReadLine());
            using var output = new StringWriter { NewLine = "\n" };
            using var error = new StringWriter { NewLine = "\n" };
#pragma warning disable CA1416 // Linux, as was just seen.
            var root = new RootCommand { MeasureCommand.Create(static () => new LinuxMachine()) };
#pragma warning restore CA1416
            int status = CommandProgram.Run(
                root, "tracer",
                ["measure", "udp", "--peer", $"127.0.0.1:{port}", "--interval", "1ms", "--duration", "300ms", "--format", "json"],
                output, error);
            Assert.Equal((ExitCode.Done, ""), (status, error.ToString()));
            MeasureReport report = ReportJson.Read<MeasureReport>(Encoding.UTF8.GetBytes(output.ToString()));
            Assert.True(report.Series[0].Count > 5);
            Assert.Contains(report.Notes, static note => note.Contains("half of the way there and back", StringComparison.Ordinal));
            Assert.Contains(report.Parameters, one => one == new MeasureParameter("peer", $"127.0.0.1:{port}"));
            using var term = Process.Start("kill", peer.Id.ToString(System.Globalization.CultureInfo.InvariantCulture));
            Assert.True(peer.WaitForExit(100_000));
        }
        finally
        {
            if (!peer.HasExited)
            {
                peer.Kill();
            }
        }
    }

    private static int FreePort()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    /// <summary>Answers of these numbers, then none.</summary>
    private sealed class Scripted(params long[] numbers) : IMeasurePeer
    {
        private int _next;

        public bool SharesClock => true;

        public void Send(ReadOnlySpan<byte> datagram)
        {
        }

        public int Receive(Span<byte> buffer)
        {
            if (_next == numbers.Length)
            {
                return -1;
            }

            byte[] packet = new byte[PeerPacket.StampedBytes];
            PeerPacket.Ask(packet, numbers[_next++], wantsStamps: true);
            PeerPacket.Answer(packet, PeerPacket.LeastBytes, 1, 2);
            packet.CopyTo(buffer);
            return packet.Length;
        }
    }
}
