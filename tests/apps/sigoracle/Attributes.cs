// Custom attribute values as text, by the decoder of System.Reflection.Metadata.
//
// A line is `A<tab>CONSTRUCTOR<tab>VALUE<tab>KNOWN<tab>TEXT`: the constructor's signature, the blob, the types that the
// decoder needs besides them, and the decoded structure. KNOWN is a list of `TOKEN=CODE` for the types in the signature and of
// `'NAME=CODE` for enumerations that the blob names (in hexadecimal UTF-8); CODE is the element type under an
// enumeration, 0x50 for System.Type.

using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Text;

/// <summary>The enumerations of all assemblies, by name.</summary>
internal sealed class Enums
{
    private readonly Dictionary<string, PrimitiveTypeCode> underlying = new(StringComparer.Ordinal);

    public void Add(MetadataReader metadata)
    {
        foreach (TypeDefinitionHandle handle in metadata.TypeDefinitions)
        {
            TypeDefinition type = metadata.GetTypeDefinition(handle);
            if (type.BaseType.IsNil || Names.Of(metadata, type.BaseType) != "System.Enum")
                continue;
            foreach (FieldDefinitionHandle field in type.GetFields())
            {
                FieldDefinition definition = metadata.GetFieldDefinition(field);
                if ((definition.Attributes & System.Reflection.FieldAttributes.Static) != 0)
                    continue;
                BlobReader signature = metadata.GetBlobReader(definition.Signature);
                signature.ReadSignatureHeader();
                underlying.TryAdd(Names.Of(metadata, handle), (PrimitiveTypeCode)signature.ReadByte());
            }
        }
    }

    public PrimitiveTypeCode? Underlying(string name) =>
        underlying.TryGetValue(name, out PrimitiveTypeCode code) ? code : null;
}

/// <summary>Full names of types, nested ones after a plus sign.</summary>
internal static class Names
{
    public static string Of(MetadataReader metadata, EntityHandle handle)
    {
        if (handle.Kind == HandleKind.TypeDefinition)
        {
            TypeDefinition type = metadata.GetTypeDefinition((TypeDefinitionHandle)handle);
            return type.GetDeclaringType().IsNil
                ? Join(metadata, type.Namespace, type.Name)
                : Of(metadata, type.GetDeclaringType()) + "+" + metadata.GetString(type.Name);
        }
        if (handle.Kind == HandleKind.TypeReference)
        {
            TypeReference type = metadata.GetTypeReference((TypeReferenceHandle)handle);
            return type.ResolutionScope.Kind == HandleKind.TypeReference
                ? Of(metadata, type.ResolutionScope) + "+" + metadata.GetString(type.Name)
                : Join(metadata, type.Namespace, type.Name);
        }
        return "";
    }

    private static string Join(MetadataReader metadata, StringHandle space, StringHandle name) =>
        space.IsNil ? metadata.GetString(name) : metadata.GetString(space) + "." + metadata.GetString(name);
}

/// <summary>Collects the custom attributes of assemblies, each distinct one once.</summary>
internal sealed class Attributes
{
    private readonly Enums enums;
    private readonly TextWriter output;
    private readonly HashSet<string> written = new();
    private int count;
    private int undecided;

    public Attributes(Enums enums, TextWriter output) => (this.enums, this.output) = (enums, output);

    public void WriteCounts()
    {
        output.WriteLine($"#\tCustomAttribute\t{count}");
        output.WriteLine($"#\tCustomAttribute, left out\t{undecided}");
    }

    public void Read(MetadataReader metadata)
    {
        foreach (CustomAttributeHandle handle in metadata.CustomAttributes)
        {
            CustomAttribute attribute = metadata.GetCustomAttribute(handle);
            byte[] constructor = metadata.GetBlobBytes(Constructor(metadata, attribute.Constructor));
            byte[] blob = metadata.GetBlobBytes(attribute.Value);
            var types = new AttributeTypes(enums);
            string text;
            try
            {
                text = Text(attribute.DecodeValue(types));
            }
            catch (Exception e) when (e is BadImageFormatException or UnknownTypeException)
            {
                undecided++; // an enumeration that no assembly of the corpus defines
                continue;
            }
            count++;
            string known = string.Join(",", types.Known.Select(pair => pair.Key + "=" + pair.Value));
            string line = $"A\t{Convert.ToHexString(constructor)}\t{Convert.ToHexString(blob)}\t{known}\t{text}\n";
            if (written.Add(line))
                output.Write(line);
        }
    }

    private static BlobHandle Constructor(MetadataReader metadata, EntityHandle handle) =>
        handle.Kind == HandleKind.MethodDefinition
            ? metadata.GetMethodDefinition((MethodDefinitionHandle)handle).Signature
            : metadata.GetMemberReference((MemberReferenceHandle)handle).Signature;

    private static string Text(CustomAttributeValue<AttributeType> value)
    {
        IEnumerable<string> named = value.NamedArguments.Select(
            arg => $"{(arg.Kind == CustomAttributeNamedArgumentKind.Field ? 'f' : 'p')}:{Hex(arg.Name!)}={Text(arg.Type, arg.Value)}");
        return string.Join(",", value.FixedArguments.Select(arg => Text(arg.Type, arg.Value))) + ";" + string.Join(",", named);
    }

    private static string Text(AttributeType type, object? value)
    {
        if (value is ImmutableArray<CustomAttributeTypedArgument<AttributeType>> array)
            return "[" + string.Join(",", array.Select(item => Text(item.Type, item.Value))) + "]";
        if (type.Name.EndsWith("[]", StringComparison.Ordinal))
            return "null[]";
        if (type.Name == "System.Type")
            return "type:" + (value is AttributeType named ? Hex(named.Name) : "null");
        if (value is null or string)
            return "string:" + (value is string text ? Hex(text) : "null");
        return type.IsPrimitive ? Primitive(value) : $"enum({Primitive(value)})";
    }

    private static string Primitive(object value) => value switch
    {
        bool v => v ? "BOOLEAN:1" : "BOOLEAN:0",
        char v => $"CHAR:{(int)v}",
        sbyte v => $"I1:{v}",
        byte v => $"U1:{v}",
        short v => $"I2:{v}",
        ushort v => $"U2:{v}",
        int v => $"I4:{v}",
        uint v => $"U4:{v}",
        long v => $"I8:{v}",
        ulong v => $"U8:{v}",
        float v => $"R4:{BitConverter.SingleToUInt32Bits(v)}",
        double v => $"R8:{BitConverter.DoubleToUInt64Bits(v)}",
        _ => throw new ArgumentException($"no primitive: {value}"),
    };

    internal static string Hex(string text) => "x" + Convert.ToHexString(Encoding.UTF8.GetBytes(text));
}

internal sealed class UnknownTypeException : Exception
{
}

internal readonly record struct AttributeType(string Name, string Key, bool IsPrimitive);

/// <summary>Resolves the types that a blob leaves open, and keeps the results.</summary>
internal sealed class AttributeTypes : ICustomAttributeTypeProvider<AttributeType>
{
    private readonly Enums enums;

    public AttributeTypes(Enums enums) => this.enums = enums;

    public SortedDictionary<string, string> Known { get; } = new(StringComparer.Ordinal);

    public AttributeType GetPrimitiveType(PrimitiveTypeCode code) =>
        new(code == PrimitiveTypeCode.String ? "System.String" : code.ToString(), "", true);

    public AttributeType GetSystemType() => new("System.Type", "", false);

    public bool IsSystemType(AttributeType type)
    {
        bool result = type.Name == "System.Type";
        if (result && type.Key != "")
            Known[type.Key] = "50";
        return result;
    }

    public AttributeType GetSZArrayType(AttributeType element) => new(element.Name + "[]", "", false);

    public AttributeType GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) =>
        Named(reader, handle);

    public AttributeType GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) =>
        Named(reader, handle);

    private static AttributeType Named(MetadataReader reader, EntityHandle handle) =>
        new(Names.Of(reader, handle), $"{MetadataTokens.GetToken(handle):X8}", false);

    public AttributeType GetTypeFromSerializedName(string name) => new(name, "'" + Attributes.Hex(name), false);

    public PrimitiveTypeCode GetUnderlyingEnumType(AttributeType type)
    {
        string name = type.Name.Split(',')[0].Replace("\\+", "+").Trim();
        PrimitiveTypeCode code = enums.Underlying(name) ?? throw new UnknownTypeException();
        Known[type.Key] = $"{(int)code:X2}";
        return code;
    }
}
