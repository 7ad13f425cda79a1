namespace Tracer.Analysis.Machine;

/// <summary>
/// The interrupt that queued a DPC: an entry of one CPU's interrupt table, and the ISR that it called. Two devices whose ISRs and DPCs are
/// the same routines of a framework differ in it.
/// </summary>
/// <param name="Cpu">The CPU that was interrupted.</param>
/// <param name="Vector">Its vector; 0 where the records have none.</param>
/// <param name="Isr">Address of the ISR; 0 where it is not known what queued the DPC.</param>
/// <param name="Dpc">Address of the DPC object that was queued; 0 where its enqueue was not recorded.</param>
internal readonly record struct QueueLine(int Cpu, ushort Vector, ulong Isr, ulong Dpc = 0)
{
    public bool IsKnown => Isr != 0 || Dpc != 0;
}
