#pragma warning disable
namespace Tracer.Analysis;
public sealed record MeasuredWakeup { public int Cpu; public long ExpectedTicks; public long? IsrTicks; public long DpcTicks; public long? ThreadTicks; public byte Priority; public uint? ThreadId; }
public sealed class TracerEventsTmp { public List<MeasuredWakeup> Wakeups = []; }
public sealed class DriverDevices { public string? DeviceOf(string s)=>null; public IReadOnlyList<string> ServicesOfClass(Guid g)=>[]; }
public static class Tmp {
  extension(TraceFacts f) { public TracerEventsTmp Tracer => new(); public DriverDevices Devices => new(); }
}
