using Tracer.Etl.Stacks;

namespace Tracer.AnalyzerCommand.Commands.Export;

/// <summary>
/// Takes what a trace shows of each CPU. Times in ticks; the spans of one CPU come in order. What a format has no place for is dropped.
/// </summary>
internal interface IScheduleWriter
{
    /// <summary>A span begins, within those of its CPU that have not ended.</summary>
    void Open(CpuSpan span)
    {
    }

    /// <summary>The span ends that began last among those of its CPU that have not ended.</summary>
    void Close(CpuSpan span)
    {
    }

    void Ready(int cpu, long ticks, uint threadId, ulong flow)
    {
    }

    /// <param name="state">The state that it entered, from 0; null where it left one.</param>
    void Idle(int cpu, long ticks, uint? state)
    {
    }

    /// <param name="frequency">The new speed, in the unit of the record, which the kernel does not tell.</param>
    void Speed(int cpu, long ticks, uint frequency)
    {
    }

    /// <param name="stack">Its stack; empty where none was recorded.</param>
    void Sample(in ExportedSample sample, in EventStack stack)
    {
    }
}

/// <param name="Instruction">Address of the instruction that it hit.</param>
/// <param name="Count">How many samples it stands for, at least 1.</param>
/// <param name="IsInDpc">Whether it hit a DPC; false where the record does not tell.</param>
/// <param name="IsInIsr">Whether it hit an ISR; false where the record does not tell.</param>
internal readonly record struct ExportedSample(
    int Cpu, long Ticks, ulong Instruction, uint ThreadId, int Count, bool IsInDpc, bool IsInIsr);
