using System.Collections.Immutable;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Tracer.Repository.Tests.Arrows;

/// <summary>A type of an assembly that stands in no other.</summary>
/// <param name="Name">Its name, without the count of its parameters.</param>
/// <param name="Files">The sources that declare it, as the compiler was given them; none for what it made itself.</param>
/// <param name="Uses">The types of the assembly that its code and its declarations name, those inside of it included.</param>
/// <param name="Constants">Names of its constants and, of an enumeration, its values: code holds their numbers and not whose they are.
/// </param>
internal sealed record CompiledType(
    string Namespace, string Name, IReadOnlySet<string> Files, IReadOnlySet<string> Uses, IReadOnlySet<string> Constants)
{
    public string FullName => Namespace + "." + Name;
}

/// <summary>Reads what the types of an assembly use of each other, and from which files they come.</summary>
internal sealed class CompiledTypes : ISignatureTypeProvider<bool, object?>
{
    private static readonly Guid TypeDocuments = new("932E74BC-DBA9-4478-8D46-0F32A7BAB3D3");
    private static readonly OperandType[] Operands = OperandsOf(size: 1);
    private static readonly OperandType[] LongOperands = OperandsOf(size: 2);

    private readonly MetadataReader _code;
    private readonly Dictionary<TypeDefinitionHandle, Place> _places = [];

    private Place _place = new("");

    private CompiledTypes(MetadataReader code) => _code = code;

    public static string[] AssembliesOf(Stream assembly)
    {
        using var file = new PEReader(assembly);
        MetadataReader code = file.GetMetadataReader();
        return [.. code.AssemblyReferences.Select(one => code.GetString(code.GetAssemblyReference(one).Name))];
    }

    /// <summary>Reads an assembly whose symbols are inside of it.</summary>
    public static CompiledType[] Read(Stream assembly)
    {
        using var file = new PEReader(assembly);
        DebugDirectoryEntry symbols = file.ReadDebugDirectory().Single(one => one.Type == DebugDirectoryEntryType.EmbeddedPortablePdb);
        using MetadataReaderProvider pdb = file.ReadEmbeddedPortablePdbDebugDirectoryData(symbols);
        return new CompiledTypes(file.GetMetadataReader()).Read(file, pdb.GetMetadataReader());
    }

    private CompiledType[] Read(PEReader file, MetadataReader pdb)
    {
        foreach (TypeDefinitionHandle handle in _code.TypeDefinitions)
        {
            // Enclosing types come before those inside of them.
            TypeDefinition type = _code.GetTypeDefinition(handle);
            _places[handle] = type.GetDeclaringType() is { IsNil: false } outer ? _places[outer] : new Place(FullName(type));
        }

        foreach (TypeDefinitionHandle handle in _code.TypeDefinitions)
        {
            ReadType(handle, file, pdb);
        }

        return
        [
            .. _places.Where(one => _code.GetTypeDefinition(one.Key).GetDeclaringType().IsNil).Select(one =>
            {
                TypeDefinition type = _code.GetTypeDefinition(one.Key);
                return new CompiledType(
                    _code.GetString(type.Namespace), NameOf(type), one.Value.Files, one.Value.Uses, one.Value.Constants);
            }),
        ];
    }

    private void ReadType(TypeDefinitionHandle handle, PEReader file, MetadataReader pdb)
    {
        TypeDefinition type = _code.GetTypeDefinition(handle);
        _place = _places[handle];
        Add(type.BaseType);
        foreach (InterfaceImplementationHandle implemented in type.GetInterfaceImplementations())
        {
            Add(_code.GetInterfaceImplementation(implemented).Interface);
        }

        AddConstraints(type.GetGenericParameters());
        foreach (FieldDefinitionHandle field in type.GetFields())
        {
            FieldDefinition one = _code.GetFieldDefinition(field);
            one.DecodeSignature(this, null);
            if (one.Attributes.HasFlag(FieldAttributes.Literal))
            {
                _place.Constants.Add(_code.GetString(one.Name));
            }
        }

        foreach (MethodDefinitionHandle method in type.GetMethods())
        {
            MethodDefinition one = _code.GetMethodDefinition(method);
            one.DecodeSignature(this, null);
            AddConstraints(one.GetGenericParameters());
            if (one.RelativeVirtualAddress != 0)
            {
                AddBody(file.GetMethodBody(one.RelativeVirtualAddress));
            }

            MethodDebugInformation source = pdb.GetMethodDebugInformation(method);
            foreach (SequencePoint point in source.GetSequencePoints())
            {
                _place.Files.Add(pdb.GetString(pdb.GetDocument(point.Document).Name));
            }
        }

        foreach (CustomDebugInformationHandle more in pdb.GetCustomDebugInformation(handle))
        {
            CustomDebugInformation one = pdb.GetCustomDebugInformation(more);
            if (pdb.GetGuid(one.Kind) == TypeDocuments)
            {
                BlobReader documents = pdb.GetBlobReader(one.Value);
                while (documents.RemainingBytes > 0)
                {
                    DocumentHandle document = MetadataTokens.DocumentHandle(documents.ReadCompressedInteger());
                    _place.Files.Add(pdb.GetString(pdb.GetDocument(document).Name));
                }
            }
        }
    }

    private void AddConstraints(GenericParameterHandleCollection parameters)
    {
        foreach (GenericParameterHandle parameter in parameters)
        {
            foreach (GenericParameterConstraintHandle constraint in _code.GetGenericParameter(parameter).GetConstraints())
            {
                Add(_code.GetGenericParameterConstraint(constraint).Type);
            }
        }
    }

    private void AddBody(MethodBodyBlock body)
    {
        if (!body.LocalSignature.IsNil)
        {
            _code.GetStandaloneSignature(body.LocalSignature).DecodeLocalSignature(this, null);
        }

        foreach (ExceptionRegion region in body.ExceptionRegions)
        {
            Add(region.CatchType);
        }

        BlobReader instructions = body.GetILReader();
        while (instructions.RemainingBytes > 0)
        {
            byte first = instructions.ReadByte();
            switch (first == 0xFE ? LongOperands[instructions.ReadByte()] : Operands[first])
            {
                case OperandType.InlineNone:
                    break;
                case OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar:
                    instructions.Offset++;
                    break;
                case OperandType.InlineVar:
                    instructions.Offset += 2;
                    break;
                case OperandType.InlineI8 or OperandType.InlineR:
                    instructions.Offset += 8;
                    break;
                case OperandType.InlineSwitch:
                    int targets = instructions.ReadInt32();
                    instructions.Offset += 4 * targets;
                    break;
                case OperandType.InlineTok or OperandType.InlineType or OperandType.InlineMethod or OperandType.InlineField:
                    Add(MetadataTokens.EntityHandle(instructions.ReadInt32()));
                    break;
                default:
                    instructions.Offset += 4;
                    break;
            }
        }
    }

    private void Add(EntityHandle used)
    {
        if (used.IsNil)
        {
            return;
        }

        switch (used.Kind)
        {
            case HandleKind.TypeDefinition:
                _place.Uses.Add(_places[(TypeDefinitionHandle)used].Name);
                break;
            case HandleKind.MethodDefinition:
                Add(_code.GetMethodDefinition((MethodDefinitionHandle)used).GetDeclaringType());
                break;
            case HandleKind.FieldDefinition:
                Add(_code.GetFieldDefinition((FieldDefinitionHandle)used).GetDeclaringType());
                break;
            case HandleKind.MemberReference:
                Add(_code.GetMemberReference((MemberReferenceHandle)used).Parent);
                break;
            case HandleKind.TypeSpecification:
                _code.GetTypeSpecification((TypeSpecificationHandle)used).DecodeSignature(this, null);
                break;
            case HandleKind.MethodSpecification:
                MethodSpecification method = _code.GetMethodSpecification((MethodSpecificationHandle)used);
                method.DecodeSignature(this, null);
                Add(method.Method);
                break;
            default:
                // Of another assembly.
                break;
        }
    }

    private string FullName(TypeDefinition type) => _code.GetString(type.Namespace) + "." + NameOf(type);

    private string NameOf(TypeDefinition type) => _code.GetString(type.Name).Split('`')[0];

    private static OperandType[] OperandsOf(int size)
    {
        var operands = new OperandType[256];
        foreach (OpCode code in typeof(OpCodes).GetFields().Select(field => (OpCode)field.GetValue(null)!).Where(code => code.Size == size))
        {
            operands[(byte)code.Value] = code.OperandType;
        }

        return operands;
    }

    // Signatures: their types are added to the place that is read; what is returned means nothing.
    public bool GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) =>
        _place.Uses.Add(_places[handle].Name);

    public bool GetTypeFromSpecification(MetadataReader reader, object? context, TypeSpecificationHandle handle, byte rawTypeKind) =>
        reader.GetTypeSpecification(handle).DecodeSignature(this, null);

    public bool GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => false;

    public bool GetPrimitiveType(PrimitiveTypeCode typeCode) => false;

    public bool GetArrayType(bool elementType, ArrayShape shape) => false;

    public bool GetSZArrayType(bool elementType) => false;

    public bool GetByReferenceType(bool elementType) => false;

    public bool GetPointerType(bool elementType) => false;

    public bool GetPinnedType(bool elementType) => false;

    public bool GetModifiedType(bool modifier, bool unmodifiedType, bool isRequired) => false;

    public bool GetFunctionPointerType(MethodSignature<bool> signature) => false;

    public bool GetGenericInstantiation(bool genericType, ImmutableArray<bool> typeArguments) => false;

    public bool GetGenericTypeParameter(object? context, int index) => false;

    public bool GetGenericMethodParameter(object? context, int index) => false;

    /// <summary>A type, with those inside of it, while it is read.</summary>
    private sealed class Place(string name)
    {
        public string Name { get; } = name;

        public HashSet<string> Files { get; } = [];

        public HashSet<string> Uses { get; } = [];

        public HashSet<string> Constants { get; } = [];
    }
}
