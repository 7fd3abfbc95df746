// Identities of methods, as the crate `clrnames` writes them:
//
//     00112233445566778899aabbccddeeff!06000123<int[],...>(...)    see its `MethodIdentity`

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Reflected;

/// <summary>The modules of this process by their version ids.</summary>
internal sealed class Modules
{
    private readonly Dictionary<string, Module> byId = new();

    internal Modules()
    {
        foreach (Module module in AppDomain.CurrentDomain.GetAssemblies().SelectMany(a => a.GetModules()))
            byId[module.ModuleVersionId.ToString("N")] = module;
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
