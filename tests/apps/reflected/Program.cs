// Says what reflection calls the methods whose identities are given: for each line of the file that the first
// argument names, one line of JSON.
//
//     module 00112233445566778899aabbccddeeff /path/to/lib.dll     nothing is said of it
//     00112233445566778899aabbccddeeff!06000123<int[],...>(...)    see `MethodIdentity` of the crate `clrnames`

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using Report;
using Spelling;

namespace Reflected;

internal static class Program
{
    private static int Main(string[] args)
    {
        using var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
        var modules = new Modules();
        foreach (string line in File.ReadLines(args[0]))
        {
            if (line.Split(' ', 3) is { Length: 3 } words && words[0] == "module")
                modules.Add(words[1], words[2]);
            else
                output.Write(Line(modules, line) + "\n");
        }
        return 0;
    }

    private static string Line(Modules modules, string identity)
    {
        try
        {
            MethodBase method = new Identity(modules, identity).Method();
            var facts = new Dictionary<string, string>
            {
                ["method"] = Methods.Name(method),
                ["signature"] = Methods.Signature(method),
                ["il"] = IlNames.Of(method),
                ["declaration"] = IsGenerated(method) ? null : Declarations.Of(method),
            };
            return "{" + string.Join(",", facts.Select(f => Quoted(f.Key) + ":" + (f.Value == null ? "null" : Quoted(f.Value)))) + "}";
        }
        catch (Exception e)
        {
            return "{\"error\":" + Quoted(e.ToString()) + "}";
        }
    }

    /// <summary>What the compiler has made has no declaration that reflection could tell.</summary>
    private static bool IsGenerated(MethodBase method)
    {
        for (Type type = method.DeclaringType; type != null; type = type.DeclaringType)
            if (type.Name.Contains('<'))
                return true;
        return method.Name.StartsWith('<');
    }

    private static string Quoted(string text)
    {
        var quoted = new StringBuilder("\"");
        foreach (char c in text)
            quoted.Append(c is '"' or '\\' || c < ' ' || char.IsSurrogate(c) ? $"\\u{(int)c:x4}" : c.ToString());
        return quoted.Append('"').ToString();
    }
}

/// <summary>Modules by their version ids.</summary>
internal sealed class Modules
{
    private readonly Dictionary<string, Module> byId = new();

    internal void Add(string id, string path)
    {
        Module module = Load(path).ManifestModule;
        string loaded = module.ModuleVersionId.ToString("N");
        if (loaded != id)
            throw new InvalidOperationException($"{path}: the version id is {loaded}, not {id}");
        byId.Add(id, module);
    }

    /// <summary>The framework's own assemblies are those that this program runs on, wherever the file is.</summary>
    private static Assembly Load(string path)
    {
        try
        {
            return Assembly.Load(AssemblyName.GetAssemblyName(path));
        }
        catch (FileNotFoundException)
        {
            return Assembly.LoadFrom(path);
        }
    }

    internal Module this[string id] => byId[id];
}

/// <summary>An identity's text, and where in it the reader is.</summary>
internal sealed class Identity
{
    private static readonly Dictionary<string, Type> Words = new()
    {
        ["void"] = typeof(void), ["bool"] = typeof(bool), ["char"] = typeof(char), ["sbyte"] = typeof(sbyte),
        ["byte"] = typeof(byte), ["short"] = typeof(short), ["ushort"] = typeof(ushort), ["int"] = typeof(int),
        ["uint"] = typeof(uint), ["long"] = typeof(long), ["ulong"] = typeof(ulong), ["float"] = typeof(float),
        ["double"] = typeof(double), ["nint"] = typeof(IntPtr), ["nuint"] = typeof(UIntPtr),
        ["string"] = typeof(string), ["object"] = typeof(object),
    };

    private readonly Modules modules;
    private readonly string text;
    private int at;

    internal Identity(Modules modules, string text) => (this.modules, this.text) = (modules, text);

    /// <summary>The method with its type arguments.</summary>
    internal MethodBase Method()
    {
        (Module module, int token) = Place();
        MethodBase method = module.ResolveMethod(token);
        Type[] ofClass = List('<', '>'), ofMethod = List('(', ')');
        if (ofClass.Length > 0)
            method = MethodBase.GetMethodFromHandle(method.MethodHandle, method.DeclaringType.MakeGenericType(ofClass).TypeHandle);
        return ofMethod.Length > 0 ? ((MethodInfo)method).GetGenericMethodDefinition().MakeGenericMethod(ofMethod) : method;
    }

    private (Module, int) Place()
    {
        Module module = modules[text.Substring(at, 32)];
        int token = Convert.ToInt32(text.Substring(at + 33, 8), 16);
        at += 41;
        return (module, token);
    }

    private bool Take(char c)
    {
        bool found = at < text.Length && text[at] == c;
        at += found ? 1 : 0;
        return found;
    }

    private Type[] List(char open, char close)
    {
        var types = new List<Type>();
        if (Take(open))
        {
            do
                types.Add(Next());
            while (Take(','));
            if (!Take(close))
                throw new FormatException($"{text}: no {close} at {at}");
        }
        return types.ToArray();
    }

    private Type Next()
    {
        Type type = at + 32 < text.Length && text[at + 32] == '!' ? Defined() : Word();
        for (;;)
        {
            if (Take('*'))
            {
                type = type.MakePointerType();
            }
            else if (Take('['))
            {
                int rank = 1;
                while (Take(','))
                    rank++;
                if (!Take(']'))
                    throw new FormatException($"{text}: no ] at {at}");
                type = rank == 1 ? type.MakeArrayType() : type.MakeArrayType(rank);
            }
            else
            {
                return type;
            }
        }
    }

    private Type Defined()
    {
        (Module module, int token) = Place();
        Type type = module.ResolveType(token);
        Type[] arguments = List('<', '>');
        return arguments.Length > 0 ? type.MakeGenericType(arguments) : type;
    }

    private Type Word()
    {
        int begin = at;
        while (at < text.Length && char.IsLetter(text[at]))
            at++;
        return Words[text.Substring(begin, at - begin)];
    }
}
