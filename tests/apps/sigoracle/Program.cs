// Signatures as System.Reflection.Metadata decodes them: the independent decoder that sigparse is compared with.
//
//   sigoracle extract LIST OUT   every signature, attribute and marshalling descriptor of the assemblies that LIST names,
//                                one a line
//   sigoracle decode BLOBS OUT   the blobs of a file: a letter for the kind, a space, hexadecimal bytes
//   sigoracle encode ANY OUT     custom attributes, by the encoder (see Encoded.cs)
//   sigoracle methods DLL OUT    every method signature of an assembly, for benchmarks: its length in two bytes, then
//                                its bytes
//
// For the first two, OUT has a line for each distinct blob, `KIND<tab>BYTES<tab>UNREAD<tab>TEXT`; UNREAD counts the bytes that the decoder
// left, TEXT is the structure, or `!` and the exception. Attributes.cs and Marshalling.cs describe their lines. Lines that
// begin with `#` count what was read.

using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

internal static class Program
{
    private static int Main(string[] args)
    {
        if (args.Length != 3 || args[0] is not ("extract" or "decode" or "encode" or "methods"))
        {
            Console.Error.WriteLine("usage: sigoracle extract LIST OUT | decode BLOBS OUT | encode ANY OUT | methods DLL OUT");
            return 2;
        }
        if (args[0] == "methods")
        {
            Methods(args[1], args[2]);
            return 0;
        }
        using var output = new StreamWriter(args[2], false, new UTF8Encoding(false), 1 << 16);
        if (args[0] == "encode")
        {
            Encoded.Write(output);
            return 0;
        }
        if (args[0] == "decode")
        {
            foreach (string line in File.ReadLines(args[1]))
            {
                byte[] blob = Convert.FromHexString(line.AsSpan(2));
                output.Write(line[0] == 'D' ? Marshalling.Line(blob) : Signatures.Line(line[0], blob));
            }
            return 0;
        }
        Extract(File.ReadAllLines(args[1]), output);
        return 0;
    }

    /// <summary>Reads each assembly once, whatever its name and however many copies there are.</summary>
    private static void Extract(string[] files, TextWriter output)
    {
        var seen = new HashSet<string>();
        var readers = new List<PEReader>();
        foreach (string file in files)
        {
            byte[] image = File.ReadAllBytes(file);
            if (!seen.Add(Convert.ToHexString(SHA256.HashData(image))))
                continue;
            var pe = new PEReader(new MemoryStream(image));
            if (IsManaged(pe))
                readers.Add(pe);
        }
        output.WriteLine($"#\tassemblies\t{readers.Count}");

        var signatures = new Signatures(output);
        var enums = new Enums();
        foreach (PEReader pe in readers)
            enums.Add(pe.GetMetadataReader(MetadataReaderOptions.None));
        var attributes = new Attributes(enums, output);
        var marshalling = new Marshalling(output);
        foreach (PEReader pe in readers)
        {
            MetadataReader metadata = pe.GetMetadataReader(MetadataReaderOptions.None);
            signatures.Read(metadata);
            attributes.Read(metadata);
            marshalling.Collect(metadata);
        }
        signatures.WriteCounts();
        attributes.WriteCounts();
        marshalling.WriteCounts();
    }

    private static void Methods(string file, string to)
    {
        using var pe = new PEReader(File.OpenRead(file));
        using var output = new BinaryWriter(File.Create(to));
        MetadataReader metadata = pe.GetMetadataReader(MetadataReaderOptions.None);
        foreach (byte[] blob in Signatures.OfMethods(metadata))
        {
            output.Write(checked((ushort)blob.Length));
            output.Write(blob);
        }
    }

    private static bool IsManaged(PEReader pe)
    {
        try
        {
            return pe.HasMetadata && pe.GetMetadataReader(MetadataReaderOptions.None).IsAssembly;
        }
        catch (BadImageFormatException)
        {
            return false; // no image at all
        }
    }
}
