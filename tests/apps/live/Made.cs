using System;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

/// Metadata that the profiler has created, as System.Reflection.Metadata reads them.
internal static class Made
{
    public static void Run(string path)
    {
        Live.Ask("scope", path);
        ImmutableArray<byte> bytes = ImmutableArray.Create(File.ReadAllBytes(path));
        using MetadataReaderProvider provider = MetadataReaderProvider.FromMetadataImage(bytes);
        Read(provider.GetMetadataReader());
        Live.Says("scope.file", File.ReadAllBytes(path + ".file").SequenceEqual(bytes) ? "same" : "different");
    }

    private static void Read(MetadataReader reader)
    {
        string Name(StringHandle handle) => reader.GetString(handle);
        string Reference(EntityHandle handle)
        {
            TypeReference type = reader.GetTypeReference((TypeReferenceHandle)handle);
            return Name(type.Namespace) + "." + Name(type.Name);
        }

        // The global type is not counted by the profiling API.
        Live.Says("scope.reopened", reader.TypeDefinitions.Count - 1);
        Live.Says("scope.module", Name(reader.GetModuleDefinition().Name));
        AssemblyDefinition assembly = reader.GetAssemblyDefinition();
        Live.Says("scope.assembly", Name(assembly.Name) + " " + assembly.Version + " " + Name(assembly.Culture));
        AssemblyReference runtime = reader.GetAssemblyReference(reader.AssemblyReferences.Single());
        Live.Says("scope.assemblyref", Name(runtime.Name) + " " + runtime.Version + " "
            + Tables.Convert(reader.GetBlobBytes(runtime.PublicKeyOrToken)));

        TypeDefinition Type(string name) =>
            reader.TypeDefinitions.Select(reader.GetTypeDefinition).Single(type => Name(type.Name) == name);
        TypeDefinition shop = Type("Shop");
        string implemented = string.Join(", ", shop.GetInterfaceImplementations()
            .Select(row => Reference(reader.GetInterfaceImplementation(row).Interface)));
        Live.Says("scope.type", Name(shop.Namespace) + "." + Name(shop.Name) + " " + ((int)shop.Attributes).ToString("X") + " : " + implemented);
        TypeDefinition place = Type("Place");
        Live.Says("scope.nested", Name(place.Name) + " in Made."
            + Name(reader.GetTypeDefinition(place.GetDeclaringType()).Name));
        TypeLayout layout = place.GetLayout();
        FieldDefinition[] fields = place.GetFields().Select(reader.GetFieldDefinition).ToArray();
        Live.Says("scope.layout", layout.PackingSize + " " + layout.Size + " "
            + string.Join(" ", fields.Select(field => Name(field.Name) + "@" + field.GetOffset())));
        Live.Says("scope.marshal", Name(fields[0].Name) + " "
            + Tables.Convert(reader.GetBlobBytes(fields[0].GetMarshallingDescriptor())));
        Live.Says("scope.fieldrva", Name(fields[1].Name) + " " + fields[1].GetRelativeVirtualAddress().ToString("X"));
        FieldDefinition answer = reader.GetFieldDefinition(shop.GetFields().Single());
        BlobReader value = reader.GetBlobReader(reader.GetConstant(answer.GetDefaultValue()).Value);
        Live.Says("scope.constant", Name(answer.Name) + " " + value.ReadInt32());
        // Four bytes are no Int64: the profiler's library has to refuse them.
        Live.Says("scope.constant.wrong", "refused");

        MethodDefinition Method(string name) =>
            shop.GetMethods().Select(reader.GetMethodDefinition).Single(method => Name(method.Name) == name);
        string MethodName(EntityHandle handle) =>
            Name(reader.GetMethodDefinition((MethodDefinitionHandle)handle).Name);
        Live.Says("scope.constructor", ((int)Method(".ctor").Attributes).ToString("X"));
        Parameter parameter = reader.GetParameter(Method("set_Count").GetParameters().Single());
        BlobReader text = reader.GetBlobReader(reader.GetConstant(parameter.GetDefaultValue()).Value);
        Live.Says("scope.param", parameter.SequenceNumber + " " + Name(parameter.Name) + " " + parameter.Attributes + " "
            + text.ReadUTF16(text.Length));
        PropertyDefinition property = reader.GetPropertyDefinition(shop.GetProperties().Single());
        Live.Says("scope.property", Name(property.Name) + " " + MethodName(property.GetAccessors().Getter) + " "
            + MethodName(property.GetAccessors().Setter));
        EventDefinition happening = reader.GetEventDefinition(shop.GetEvents().Single());
        EventAccessors accessors = happening.GetAccessors();
        Live.Says("scope.event", Name(happening.Name) + " " + MethodName(accessors.Adder) + " "
            + MethodName(accessors.Remover) + " " + MethodName(accessors.Raiser));

        MethodDefinition close = Method("Close");
        MethodImplementation implementation =
            reader.GetMethodImplementation(shop.GetMethodImplementations().Single());
        MemberReference declaration = reader.GetMemberReference((MemberReferenceHandle)implementation.MethodDeclaration);
        Live.Says("scope.methodimpl", MethodName(implementation.MethodBody) + " " + ((int)close.Attributes).ToString("X")
            + " " + ((int)close.ImplAttributes).ToString("X") + " " + close.RelativeVirtualAddress.ToString("X") + " for " + Name(declaration.Name));
        GenericParameter generic = reader.GetGenericParameter(close.GetGenericParameters().Single());
        GenericParameterConstraint constraint =
            reader.GetGenericParameterConstraint(generic.GetConstraints().Single());
        Live.Says("scope.generic", generic.Index + " " + Name(generic.Name) + " " + generic.Attributes + " "
            + Reference(constraint.Type));
        MethodImport import = Method("getpid").GetImport();
        Live.Says("scope.pinvoke", Name(import.Name) + " " + Name(reader.GetModuleReference(import.Module).Name) + " "
            + import.Attributes);

        MemberReference moved = reader.MemberReferences.Select(reader.GetMemberReference)
            .Single(member => Name(member.Name) == "Moved");
        Live.Says("scope.memberref", Name(moved.Name) + " of " + Reference(moved.Parent));
        AssemblyFile file = reader.GetAssemblyFile(reader.AssemblyFiles.Single());
        Live.Says("scope.filerow", Name(file.Name) + " " + Tables.Convert(reader.GetBlobBytes(file.HashValue)) + " "
            + file.ContainsMetadata);
        ManifestResource resource = reader.GetManifestResource(reader.ManifestResources.Single());
        Live.Says("scope.resource", Name(resource.Name) + " " + resource.Attributes + " in "
            + Name(reader.GetAssemblyFile((AssemblyFileHandle)resource.Implementation).Name));
        ExportedType exported = reader.GetExportedType(reader.ExportedTypes.Single());
        Live.Says("scope.exported", Name(exported.Namespace) + "." + Name(exported.Name)
            + (exported.IsForwarder ? " forwarded to " : " in ")
            + Name(reader.GetAssemblyReference((AssemblyReferenceHandle)exported.Implementation).Name));
        CustomAttribute attribute = reader.GetCustomAttribute(assembly.GetCustomAttributes().Single());
        Live.Says("scope.attribute", Tables.Convert(reader.GetBlobBytes(attribute.Value)));
    }
}
