using System.Runtime.InteropServices;
using Tracer.Capture.Driver;

namespace Tracer.TracerCommand.Commands.Import;

/// <summary>What must be known of a recording before a trace of it can be begun.</summary>
/// <param name="FirstClock">The first moment of the run, in its clock.</param>
internal sealed record RecordingOverview(ulong ClockHz, ulong FirstClock, ProbeClock Clock, int Cpus)
{
    private const ulong SlowestHz = 1_000_000;
    private const ulong FastestHz = 100_000_000_000;

    /// <summary>Performance counters leave room for the longest run behind them.</summary>
    private const ulong LatestCounter = long.MaxValue / 2;

    /// <returns>Null where no run of the driver begins in it, or none whose clock has a rate that can be.</returns>
    public static RecordingOverview? Read(Stream stream)
    {
        var reader = new DriverRecordReader(stream);
        StartRecord? start = null;
        ulong? sync = null;
        ulong? wakeup = null;
        int cpus = 1;
        while (reader.TryRead(out ReadOnlySpan<byte> record))
        {
            DriverRecordHeader header = MemoryMarshal.Read<DriverRecordHeader>(record);
            cpus = Math.Max(cpus, header.Cpu + 1);
            switch (header.Type)
            {
                case DriverRecordType.Start:
                    StartRecord found = MemoryMarshal.Read<StartRecord>(record);
                    start ??= found.ClockHz is >= SlowestHz and <= FastestHz ? found : null;
                    break;
                case DriverRecordType.ClockSync:
                    sync ??= MemoryMarshal.Read<ClockSyncRecord>(record).Clock;
                    break;
                case DriverRecordType.Wakeup:
                    wakeup ??= DriverRecordShape.WakeupOf(record).Expected;
                    break;
                default:
                    break;
            }
        }

        ulong first = sync ?? wakeup ?? 0;
        return start is { } known && (known.Clock != ProbeClock.Qpc || first <= LatestCounter)
            ? new RecordingOverview(known.ClockHz, first, known.Clock, cpus)
            : null;
    }
}
