using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Runtime.CompilerServices;

/// Static fields in the image: constant data of the compiler.
internal static class Images
{
    private static readonly int[] Primes = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29 };
    private static readonly double[] Roots = { 1.0, 1.4142135623730951, 1.7320508075688772, 2.0 };

    public static void Run()
    {
        // Copying the data has loaded their class. It has no constructor, but must be initialised.
        if (Primes.Length + Roots.Length != 14)
        {
            throw new InvalidOperationException("the data are not there");
        }
        Type made = typeof(Images).Assembly.GetType("<PrivateImplementationDetails>");
        RuntimeHelpers.RunClassConstructor(made.TypeHandle);
        List<string> question = new List<string> { "image" };
        using PEReader image = new PEReader(File.OpenRead(typeof(Images).Assembly.Location));
        MetadataReader reader = image.GetMetadataReader();
        TypeDefinition details = reader.TypeDefinitions.Select(reader.GetTypeDefinition)
            .Single(type => reader.GetString(type.Name) == "<PrivateImplementationDetails>");
        foreach (FieldDefinition field in details.GetFields().Select(reader.GetFieldDefinition))
        {
            int size = Size(reader, field);
            if (!field.Attributes.HasFlag(FieldAttributes.HasFieldRVA) || size == 0)
            {
                continue;
            }
            byte[] bytes = image.GetSectionData(field.GetRelativeVirtualAddress()).GetContent(0, size).ToArray();
            string name = reader.GetString(field.Name);
            Live.Says("image." + name, "true " + Tables.Convert(bytes));
            question.Add(name + " " + size);
        }
        Live.Ask(question.ToArray());
    }

    /// The size of a structure for constant data; 0 for other types.
    private static int Size(MetadataReader reader, FieldDefinition field)
    {
        BlobReader signature = reader.GetBlobReader(field.Signature);
        signature.ReadSignatureHeader();
        if (signature.ReadByte() != (byte)SignatureTypeKind.ValueType)
        {
            return 0;
        }
        EntityHandle type = signature.ReadTypeHandle();
        return type.Kind == HandleKind.TypeDefinition
            ? reader.GetTypeDefinition((TypeDefinitionHandle)type).GetLayout().Size
            : 0;
    }
}
