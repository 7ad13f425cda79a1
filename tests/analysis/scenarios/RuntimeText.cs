using Tracer.Etl.Decoding;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Reads an event of a .NET runtime that stops the threads of its process, or has let them go on.</summary>
internal static class RuntimeText
{
    private const ushort RestartEnd = 3;
    private const ushort RestartBegin = 7;
    private const ushort SuspendBegin = 9;
    private const byte ForCollection = 1;

    /// <summary>Reads what follows <c>suspend</c>, <c>PID [reason N]</c>, <c>restart</c> or <c>restarted</c>, <c>PID</c>.</summary>
    public static ScenarioRecord Read(ScenarioWords words, string kind, long at, int cpu)
    {
        ushort id = kind switch
        {
            "suspend" => SuspendBegin,
            "restart" => RestartBegin,
            _ => RestartEnd,
        };
        uint process = words.Number();
        byte reason = words.Takes("reason") ? (byte)words.Number() : ForCollection;
        byte[] payload = id == SuspendBegin ? [reason, 0, 0, 0, 7, 0, 0, 0, 6, 0] : [6, 0];
        return new ScenarioRecord(at, cpu, (writer, shape) => writer.Write(
            cpu,
            EtlEventHeader.Event(ClrEvents.ProviderId, id, 1, shape.Ticks(at), process, 1, shape.PointerBytes),
            payload));
    }
}
