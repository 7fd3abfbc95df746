// A C# compiler in one file: takes the command line of `csc`, and drives the two assemblies of
// Roslyn, loaded by reflection. At compile time it needs only the base class library
// and C# 7, which mono's `mcs` supports.
//
//     dotnet csc-driver.dll ROSLYN_FOLDER [csc's own arguments]
//     dotnet csc-driver.dll ROSLYN_FOLDER --serve SOCKET
//
// The second form compiles for others, since most of a compilation is the start of the compiler: each connection to
// the Unix socket sends arguments, one per line, and an empty line, and gets the diagnostics and, as its last line, the exit
// code. "ready" on standard output says that the socket is there; it serves until its standard input ends.
//
// Diagnostics go to standard output in csc's form, `file(line,col): error CSxxxx: text`.
// The exit code is 0 for success, 1 for errors in the source, 2 for a failure of the driver.

using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.Loader;
using System.Text;
using System.Threading;

static class Program
{
    static Assembly common, csharp;
    static readonly Dictionary<string, object> known = new Dictionary<string, object>();

    static int Main(string[] args)
    {
        if (args.Length < 2)
        {
            Console.Error.WriteLine("usage: csc-driver ROSLYN_FOLDER [csc arguments]");
            return 2;
        }
        try
        {
            string folder = Path.GetFullPath(args[0]);
            common = Load(folder, "Microsoft.CodeAnalysis.dll");
            csharp = Load(folder, "Microsoft.CodeAnalysis.CSharp.dll");
            if (args[1] == "--serve")
                return Serve(args[2]);
            return Compile(args.Skip(1).ToArray(), Console.Out);
        }
        catch (TargetInvocationException e)
        {
            Console.Error.WriteLine("csc-driver: " + e.InnerException);
            return 2;
        }
        catch (Exception e)
        {
            Console.Error.WriteLine("csc-driver: " + e);
            return 2;
        }
    }

    static Assembly Load(string folder, string file)
    {
        return AssemblyLoadContext.Default.LoadFromAssemblyPath(Path.Combine(folder, file));
    }

    static int Serve(string path)
    {
        var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(16);
        Background(() =>
        {
            while (true)
            {
                Socket client = listener.Accept();
                Background(() => Answer(client));
            }
        });
        Console.WriteLine("ready");
        while (Console.In.Read() >= 0) { }
        return 0;
    }

    static void Background(ThreadStart work)
    {
        new Thread(work) { IsBackground = true }.Start();
    }

    static void Answer(Socket client)
    {
        using (var stream = new NetworkStream(client, true))
        using (var reader = new StreamReader(stream))
        using (var writer = new StreamWriter(stream))
        {
            try
            {
                var arguments = new List<string>();
                for (string line = reader.ReadLine(); !string.IsNullOrEmpty(line); line = reader.ReadLine())
                    arguments.Add(line);
                writer.WriteLine(Compile(arguments.ToArray(), writer));
            }
            catch (IOException)
            {
                // Nobody waits for the answer any more.
            }
            catch (Exception e)
            {
                writer.WriteLine("csc-driver: " + e);
                writer.WriteLine(2);
            }
        }
    }

    static int Compile(string[] arguments, TextWriter output)
    {
        // Roslyn's own parser reads the command line, so that the options have the same meaning as for csc.
        object parser = CSharp("CSharpCommandLineParser").GetProperty("Default").GetValue(null);
        object options = Call(parser.GetType(), "Parse", parser, new Dictionary<string, object>
        {
            { "args", arguments },
            { "baseDirectory", Directory.GetCurrentDirectory() },
            { "sdkDirectory", null },
            { "additionalReferenceDirectories", null },
        });
        if (!Print(Get(options, "Errors"), output))
            return 1;

        object parseOptions = Get(options, "ParseOptions");
        var trees = new List<object>();
        foreach (object source in (IEnumerable)Get(options, "SourceFiles"))
            trees.Add(Parse((string)Get(source, "Path"), parseOptions));

        var references = new List<object>();
        foreach (object reference in (IEnumerable)Get(options, "MetadataReferences"))
            references.Add(Reference((string)Get(reference, "Reference"), Get(reference, "Properties")));

        string file = Path.Combine((string)Get(options, "OutputDirectory"), (string)Get(options, "OutputFileName"));
        object compilation = Call(CSharp("CSharpCompilation"), "Create", null, new Dictionary<string, object>
        {
            { "assemblyName", Path.GetFileNameWithoutExtension(file) },
            { "syntaxTrees", ArrayOf(Common("SyntaxTree"), trees) },
            { "references", ArrayOf(Common("MetadataReference"), references) },
            { "options", Get(options, "CompilationOptions") },
        });

        // In memory first: a failed compilation leaves no partial file behind.
        var program = new MemoryStream();
        var symbols = (bool)Get(options, "EmitPdb") ? new MemoryStream() : null;
        object result = Call(Common("Compilation"), "Emit", compilation, new Dictionary<string, object>
        {
            { "peStream", program },
            { "pdbStream", symbols },
            { "xmlDocumentationStream", null },
            { "win32Resources", null },
            { "manifestResources", null },
            { "options", Get(options, "EmitOptions") },
            { "debugEntryPoint", null },
            { "sourceLinkStream", null },
            { "embeddedTexts", null },
            { "metadataPEStream", null },
            { "cancellationToken", null },
        });
        Print(Get(result, "Diagnostics"), output);
        if (!(bool)Get(result, "Success"))
            return 1;
        File.WriteAllBytes(file, program.ToArray());
        if (symbols != null)
            File.WriteAllBytes((string)Get(options, "PdbPath") ?? Path.ChangeExtension(file, ".pdb"), symbols.ToArray());
        return 0;
    }

    // What was read of an assembly serves all compilations, unless the file has changed.
    static object Reference(string path, object properties)
    {
        var file = new FileInfo(path);
        string key = path + "|" + file.LastWriteTimeUtc.Ticks + "|" + (file.Exists ? file.Length : 0);
        lock (known)
        {
            object reference;
            if (!known.TryGetValue(key, out reference))
                known[key] = reference = Call(Common("MetadataReference"), "CreateFromFile", null, new Dictionary<string, object>
                {
                    { "path", path },
                    { "properties", properties },
                    { "documentation", null },
                });
            return reference;
        }
    }

    static object Parse(string path, object parseOptions)
    {
        Type text = Common("Text.SourceText");
        object source;
        using (var stream = File.OpenRead(path))
            source = Call(text, "From", null, new Dictionary<string, object>
            {
                { "stream", stream },
                { "encoding", Encoding.UTF8 },
                { "checksumAlgorithm", Enum.Parse(Common("Text.SourceHashAlgorithm"), "Sha256") },
                { "throwIfBinaryDetected", false },
                { "canBeEmbedded", false },
            });
        return Call(CSharp("CSharpSyntaxTree"), "ParseText", null, new Dictionary<string, object>
        {
            { "text", source },
            { "options", parseOptions },
            { "path", path },
            { "cancellationToken", null },
        });
    }

    // Prints warnings and errors; false when there was an error.
    static bool Print(object diagnostics, TextWriter output)
    {
        bool good = true;
        foreach (object diagnostic in (IEnumerable)diagnostics)
        {
            string severity = Get(diagnostic, "Severity").ToString();
            if (severity != "Error" && severity != "Warning")
                continue;
            if ((bool)Get(diagnostic, "IsSuppressed"))
                continue;
            output.WriteLine(diagnostic.ToString());
            good &= severity != "Error";
        }
        return good;
    }

    static Type Common(string name)
    {
        return common.GetType("Microsoft.CodeAnalysis." + name, true);
    }

    static Type CSharp(string name)
    {
        return csharp.GetType("Microsoft.CodeAnalysis.CSharp." + name, true);
    }

    static object Get(object target, string property)
    {
        for (Type type = target.GetType(); type != null; type = type.BaseType)
        {
            PropertyInfo found = type.GetProperty(property,
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly);
            if (found != null)
                return found.GetValue(target);
        }
        throw new MissingMemberException(target.GetType().FullName, property);
    }

    // Calls the public overload that has exactly these parameters, by name and by type of what is given.
    static object Call(Type type, string name, object target, Dictionary<string, object> arguments)
    {
        foreach (MethodInfo method in type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance))
        {
            ParameterInfo[] parameters = method.GetParameters();
            if (method.Name != name || method.IsStatic != (target == null) || parameters.Length != arguments.Count)
                continue;
            if (!parameters.All(p => arguments.ContainsKey(p.Name) && Fits(p.ParameterType, arguments[p.Name])))
                continue;
            return method.Invoke(target, parameters.Select(p => arguments[p.Name] ?? Default(p.ParameterType)).ToArray());
        }
        throw new MissingMethodException(type.FullName, name + "(" + string.Join(", ", arguments.Keys) + ")");
    }

    static bool Fits(Type parameter, object value)
    {
        return value == null || parameter.IsInstanceOfType(value);
    }

    static object Default(Type type)
    {
        return type.IsValueType ? Activator.CreateInstance(type) : null;
    }

    static Array ArrayOf(Type element, List<object> items)
    {
        Array array = Array.CreateInstance(element, items.Count);
        for (int i = 0; i < items.Count; i++)
            array.SetValue(items[i], i);
        return array;
    }
}
