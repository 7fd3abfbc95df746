// Signature blobs as text, by the decoder of System.Reflection.Metadata.

using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

/// <summary>Collects the signatures of assemblies, each distinct blob once.</summary>
internal sealed class Signatures
{
    private readonly TextWriter output;
    private readonly HashSet<string> written = new();
    private readonly SortedDictionary<string, int> counts = new(StringComparer.Ordinal);

    public Signatures(TextWriter output) => this.output = output;

    public void Read(MetadataReader metadata)
    {
        foreach (MethodDefinitionHandle handle in metadata.MethodDefinitions)
            Blob(metadata, "MethodDef", 'M', metadata.GetMethodDefinition(handle).Signature);
        foreach (FieldDefinitionHandle handle in metadata.FieldDefinitions)
            Blob(metadata, "Field", 'F', metadata.GetFieldDefinition(handle).Signature);
        foreach (PropertyDefinitionHandle handle in metadata.PropertyDefinitions)
            Blob(metadata, "Property", 'P', metadata.GetPropertyDefinition(handle).Signature);
        foreach (MemberReferenceHandle handle in metadata.MemberReferences)
        {
            MemberReference member = metadata.GetMemberReference(handle);
            bool field = member.GetKind() == MemberReferenceKind.Field;
            Blob(metadata, field ? "MemberRef of a field" : "MemberRef of a method", field ? 'F' : 'M', member.Signature);
        }
        for (int row = 1; row <= metadata.GetTableRowCount(TableIndex.StandAloneSig); row++)
        {
            StandaloneSignature signature = metadata.GetStandaloneSignature(MetadataTokens.StandaloneSignatureHandle(row));
            switch (metadata.GetBlobReader(signature.Signature).ReadSignatureHeader().Kind)
            {
                case SignatureKind.LocalVariables:
                    Blob(metadata, "StandAloneSig of variables", 'L', signature.Signature);
                    break;
                case SignatureKind.Field:
                    Blob(metadata, "StandAloneSig of a field", 'F', signature.Signature);
                    break;
                default:
                    Blob(metadata, "StandAloneSig of a method", 'M', signature.Signature);
                    break;
            }
        }
        for (int row = 1; row <= metadata.GetTableRowCount(TableIndex.TypeSpec); row++)
            Blob(metadata, "TypeSpec", 'T', metadata.GetTypeSpecification(MetadataTokens.TypeSpecificationHandle(row)).Signature);
        for (int row = 1; row <= metadata.GetTableRowCount(TableIndex.MethodSpec); row++)
            Blob(metadata, "MethodSpec", 'S', metadata.GetMethodSpecification(MetadataTokens.MethodSpecificationHandle(row)).Signature);
    }

    /// <summary>The signatures of an assembly's methods, and of the methods that it calls.</summary>
    public static IEnumerable<byte[]> OfMethods(MetadataReader metadata)
    {
        foreach (MethodDefinitionHandle handle in metadata.MethodDefinitions)
            yield return metadata.GetBlobBytes(metadata.GetMethodDefinition(handle).Signature);
        foreach (MemberReferenceHandle handle in metadata.MemberReferences)
        {
            MemberReference member = metadata.GetMemberReference(handle);
            if (member.GetKind() == MemberReferenceKind.Method)
                yield return metadata.GetBlobBytes(member.Signature);
        }
    }

    public void WriteCounts()
    {
        foreach ((string table, int count) in counts)
            output.WriteLine($"#\t{table}\t{count}");
    }

    private void Blob(MetadataReader metadata, string table, char kind, BlobHandle handle)
    {
        counts[table] = counts.GetValueOrDefault(table) + 1;
        byte[] blob = metadata.GetBlobBytes(handle);
        if (written.Add(kind + Convert.ToHexString(blob)))
            output.Write(Line(kind, blob));
    }

    /// <summary>The line of one blob.</summary>
    public static unsafe string Line(char kind, byte[] blob)
    {
        string text;
        int unread = 0;
        fixed (byte* bytes = blob)
        {
            var reader = blob.Length == 0 ? default : new BlobReader(bytes, blob.Length);
            try
            {
                text = Decode(kind, ref reader);
                unread = reader.RemainingBytes;
            }
            catch (BadImageFormatException e)
            {
                text = "!" + e.Message;
            }
        }
        return $"{kind}\t{Convert.ToHexString(blob)}\t{unread}\t{text}\n";
    }

    private static string Decode(char kind, ref BlobReader reader)
    {
        // Only the provider would read the metadata, and ours does not.
        var decoder = new SignatureDecoder<string, object?>(new SignatureText(), null!, null);
        switch (kind)
        {
            case 'M':
                return SignatureText.Method(decoder.DecodeMethodSignature(ref reader));
            case 'F':
                return decoder.DecodeFieldSignature(ref reader);
            case 'P':
                MethodSignature<string> property = decoder.DecodeMethodSignature(ref reader);
                return SignatureText.Method(property);
            case 'L':
                return "(" + string.Join(", ", decoder.DecodeLocalSignature(ref reader)) + ")";
            case 'T':
                return decoder.DecodeType(ref reader);
            case 'S':
                return "<" + string.Join(", ", decoder.DecodeMethodSpecificationSignature(ref reader)) + ">";
            default:
                throw new ArgumentException($"there is no kind {kind}");
        }
    }
}

/// <summary>Types as text: the element type, its data after a colon, nested types in parentheses.</summary>
internal sealed class SignatureText : ISignatureTypeProvider<string, object?>
{
    private static readonly string[] Conventions =
    {
        "DEFAULT", "C", "STDCALL", "THISCALL", "FASTCALL", "VARARG", "FIELD", "LOCAL_SIG", "PROPERTY", "UNMANAGED",
        "GENERICINST", "NATIVEVARARG",
    };

    /// <summary>A method or property: head, return type, parameters.</summary>
    public static string Method(MethodSignature<string> signature)
    {
        byte raw = signature.Header.RawValue;
        int convention = raw & 0x0F;
        string text = convention < Conventions.Length ? Conventions[convention] : $"0x{convention:X2}";
        if (signature.Header.IsGeneric)
            text += "|GENERIC";
        if (signature.Header.IsInstance)
            text += "|HASTHIS";
        if (signature.Header.HasExplicitThis)
            text += "|EXPLICITTHIS";
        if ((raw & 0x80) != 0)
            text += "|0x80";
        if (signature.GenericParameterCount > 0)
            text += $" <{signature.GenericParameterCount}>";
        IEnumerable<string> parameters = signature.ParameterTypes.Select(
            (type, index) => index == signature.RequiredParameterCount ? "... " + type : type);
        return $"{text} {signature.ReturnType} ({string.Join(", ", parameters)})";
    }

    public string GetPrimitiveType(PrimitiveTypeCode code) => code switch
    {
        PrimitiveTypeCode.Void => "VOID",
        PrimitiveTypeCode.Boolean => "BOOLEAN",
        PrimitiveTypeCode.Char => "CHAR",
        PrimitiveTypeCode.SByte => "I1",
        PrimitiveTypeCode.Byte => "U1",
        PrimitiveTypeCode.Int16 => "I2",
        PrimitiveTypeCode.UInt16 => "U2",
        PrimitiveTypeCode.Int32 => "I4",
        PrimitiveTypeCode.UInt32 => "U4",
        PrimitiveTypeCode.Int64 => "I8",
        PrimitiveTypeCode.UInt64 => "U8",
        PrimitiveTypeCode.Single => "R4",
        PrimitiveTypeCode.Double => "R8",
        PrimitiveTypeCode.String => "STRING",
        PrimitiveTypeCode.Object => "OBJECT",
        PrimitiveTypeCode.TypedReference => "TYPEDBYREF",
        PrimitiveTypeCode.IntPtr => "I",
        PrimitiveTypeCode.UIntPtr => "U",
        _ => throw new ArgumentException($"no primitive: {code}"),
    };

    public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) =>
        Token(handle, rawTypeKind);

    public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) =>
        Token(handle, rawTypeKind);

    public string GetTypeFromSpecification(
        MetadataReader reader, object? context, TypeSpecificationHandle handle, byte rawTypeKind) =>
        Token(handle, rawTypeKind);

    private static string Token(EntityHandle handle, byte rawTypeKind)
    {
        string token = $"0x{MetadataTokens.GetToken(handle):X8}";
        return rawTypeKind switch
        {
            0 => token, // of a modifier
            0x11 => "VALUETYPE:" + token,
            0x12 => "CLASS:" + token,
            _ => throw new ArgumentException($"a type kind of 0x{rawTypeKind:X2}"),
        };
    }

    public string GetArrayType(string element, ArrayShape shape)
    {
        string text = $"ARRAY({element} rank={shape.Rank}";
        if (shape.Sizes.Length > 0)
            text += $" sizes=[{string.Join(", ", shape.Sizes)}]";
        if (shape.LowerBounds.Length > 0)
            text += $" lower=[{string.Join(", ", shape.LowerBounds)}]";
        return text + ")";
    }

    public string GetModifiedType(string modifier, string unmodified, bool isRequired) =>
        (isRequired ? "reqd:" : "opt:") + modifier + " " + unmodified;

    public string GetGenericInstantiation(string type, ImmutableArray<string> arguments) =>
        $"GENERICINST({type} | {string.Join(", ", arguments)})";

    public string GetFunctionPointerType(MethodSignature<string> signature) => $"FNPTR({Method(signature)})";

    public string GetGenericMethodParameter(object? context, int index) => $"MVAR:{index}";

    public string GetGenericTypeParameter(object? context, int index) => $"VAR:{index}";

    public string GetByReferenceType(string element) => $"BYREF({element})";

    public string GetPinnedType(string element) => $"PINNED({element})";

    public string GetPointerType(string element) => $"PTR({element})";

    public string GetSZArrayType(string element) => $"SZARRAY({element})";
}
