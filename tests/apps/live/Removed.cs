using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;

/// The rest of metadata from which the profiler has removed rows, as System.Reflection.Metadata reads it.
internal static class Removed
{
    public static void Run(string path)
    {
        Live.Ask("removed", path);
        ImmutableArray<byte> bytes = ImmutableArray.Create(File.ReadAllBytes(path));
        using MetadataReaderProvider provider = MetadataReaderProvider.FromMetadataImage(bytes);
        MetadataReader reader = provider.GetMetadataReader();
        TypeDefinition bare = reader.TypeDefinitions.Select(reader.GetTypeDefinition)
            .Single(type => reader.GetString(type.Name) == "Bare");
        Live.Says("removed.layout", bare.GetLayout().PackingSize + " " + bare.GetLayout().Size);
        Live.Says("removed.again", "true");
        FieldDefinition field = reader.GetFieldDefinition(bare.GetFields().Single());
        Live.Says("removed.marshal", field.GetMarshallingDescriptor().IsNil ? "none" : "some");
        MethodDefinition native = reader.GetMethodDefinition(bare.GetMethods().Single());
        Live.Says("removed.pinvoke", native.GetImport().Module.IsNil ? "none" : "some");
    }
}
