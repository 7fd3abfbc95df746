// Marshalling descriptors as text, by the runtime itself.
//
// A line is `D<tab>BYTES<tab>TEXT`. The runtime reads a descriptor when reflection requests a MarshalAsAttribute; the method
// that does it is called here with bytes of our own. A runtime without COM reads only the first byte of COM-only
// descriptors.

using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Reflection.Metadata;
using System.Runtime.InteropServices;

/// <summary>Collects the marshalling descriptors of assemblies, each distinct one once.</summary>
internal sealed class Marshalling
{
    private static readonly Type Bytes = CoreLib("System.Reflection.ConstArray");

    private static readonly MethodInfo Read = CoreLib("System.Reflection.MetadataImport").GetMethod(
        "GetMarshalAs",
        BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public,
        new[] { Bytes, CoreLib("System.Reflection.RuntimeModule") })!;

    private readonly TextWriter output;
    private readonly HashSet<string> written = new();
    private int count;

    public Marshalling(TextWriter output) => this.output = output;

    public void WriteCounts() => output.WriteLine($"#\tFieldMarshal\t{count}");

    public void Collect(MetadataReader metadata)
    {
        foreach (FieldDefinitionHandle handle in metadata.FieldDefinitions)
            Blob(metadata, metadata.GetFieldDefinition(handle).GetMarshallingDescriptor());
        foreach (MethodDefinitionHandle method in metadata.MethodDefinitions)
        {
            foreach (ParameterHandle handle in metadata.GetMethodDefinition(method).GetParameters())
                Blob(metadata, metadata.GetParameter(handle).GetMarshallingDescriptor());
        }
    }

    private void Blob(MetadataReader metadata, BlobHandle handle)
    {
        if (handle.IsNil)
            return;
        count++;
        byte[] blob = metadata.GetBlobBytes(handle);
        if (written.Add(Convert.ToHexString(blob)))
            output.Write(Line(blob));
    }

    /// <summary>The line of one descriptor.</summary>
    public static string Line(byte[] blob) => $"D\t{Convert.ToHexString(blob)}\t{Text(blob)}\n";

    private static unsafe string Text(byte[] blob)
    {
        // The marshallers are looked up, and need not be found: only their names are needed.
        AppDomain.CurrentDomain.AssemblyResolve -= InCoreLib;
        AppDomain.CurrentDomain.AssemblyResolve += InCoreLib;
        // The runtime reads names up to a zero, wherever that is.
        fixed (byte* bytes = new byte[blob.Length + 1])
        {
            blob.CopyTo(new Span<byte>(bytes, blob.Length));
            object array = Activator.CreateInstance(Bytes)!;
            Set(array, "m_length", blob.Length);
            Set(array, "m_constArray", (IntPtr)bytes);
            try
            {
                var found = (MarshalAsAttribute)Read.Invoke(null, new[] { array, typeof(object).Module })!;
                return $"{(int)found.Value:X2} element={(int)found.ArraySubType:X2} param={found.SizeParamIndex} "
                    + $"const={found.SizeConst} type={Hex(found.MarshalType)} cookie={Hex(found.MarshalCookie)}";
            }
            catch (TargetInvocationException e) when (e.InnerException is BadImageFormatException)
            {
                return "!malformed";
            }
            catch (TargetInvocationException) when (blob[0] == 0x2C)
            {
                return "?"; // what is no name at all is not even looked for
            }
        }
    }

    private static Assembly InCoreLib(object? sender, ResolveEventArgs args) => typeof(object).Assembly;

    private static string Hex(string? text) => text is null ? "null" : Attributes.Hex(text);

    private static void Set(object array, string field, object value) =>
        Bytes.GetField(field, BindingFlags.Instance | BindingFlags.NonPublic)!.SetValue(array, value);

    private static Type CoreLib(string name) => typeof(object).Assembly.GetType(name, true)!;
}
