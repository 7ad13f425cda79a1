namespace Tracer.Symbols.Pdb;

/// <summary>Kinds of symbol records that are looked at (microsoft-pdb, cvinfo.h: SYM_ENUM_e).</summary>
internal static class SymbolKinds
{
    public const ushort End = 0x0006;
    public const ushort Thunk = 0x1102;
    public const ushort Block = 0x1103;
    public const ushort With = 0x1104;
    public const ushort LocalData = 0x110C;
    public const ushort GlobalData = 0x110D;
    public const ushort Public = 0x110E;
    public const ushort LocalProcedure = 0x110F;
    public const ushort GlobalProcedure = 0x1110;
    public const ushort GlobalManagedProcedure = 0x112A;
    public const ushort LocalManagedProcedure = 0x112B;
    public const ushort SeparatedCode = 0x1132;
    public const ushort LocalProcedureId = 0x1146;
    public const ushort GlobalProcedureId = 0x1147;
    public const ushort InlineSite = 0x114D;
    public const ushort InlineSiteEnd = 0x114E;
    public const ushort ProcedureIdEnd = 0x114F;
    public const ushort LocalDpcProcedure = 0x1155;
    public const ushort LocalDpcProcedureId = 0x1156;
    public const ushort InlineSite2 = 0x115D;

    /// <summary>Whether records behind it, up to an end of its own, are inside it.</summary>
    public static bool OpensScope(ushort kind) =>
        IsProcedure(kind) || kind is Thunk or Block or With or SeparatedCode or InlineSite or InlineSite2 or GlobalManagedProcedure
            or LocalManagedProcedure;

    public static bool ClosesScope(ushort kind) => kind is End or ProcedureIdEnd or InlineSiteEnd;

    public static bool IsProcedure(ushort kind) =>
        kind is GlobalProcedure or LocalProcedure or GlobalProcedureId or LocalProcedureId or LocalDpcProcedure or LocalDpcProcedureId;

    public static bool IsInlineSite(ushort kind) => kind is InlineSite or InlineSite2;
}
