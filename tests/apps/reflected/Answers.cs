using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using Report;
using Spelling;

namespace Reflected;

/// <summary>The names from reflection.</summary>
internal static class Answers
{
    /// <summary>The key before an identity in the log.</summary>
    private const string Key = "\"id\":\"";

    internal static void Write()
    {
        List<string> all = Logged(Environment.GetEnvironmentVariable("REFLECTED_LOG"));
        // Reflection has no method with unknown type arguments.
        List<string> exact = all.Where(id => !id.Contains('?')).ToList();
        int count = Math.Min(exact.Count, int.Parse(Environment.GetEnvironmentVariable("REFLECTED_COUNT")));
        using var output = new StreamWriter(Environment.GetEnvironmentVariable("REFLECTED_OUT"), false, new UTF8Encoding(false));
        output.Write($"{{\"logged\":{all.Count},\"exact\":{exact.Count}}}\n");
        var modules = new Modules();
        for (int i = 0; i < count; i++)
            output.Write(Line(modules, exact[(int)((long)i * exact.Count / count)]) + "\n");
    }

    /// <summary>The different identities in the log, in the order of the first mention.</summary>
    private static List<string> Logged(string path)
    {
        using var file = new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
        string text = file.ReadToEnd();
        var ids = new List<string>();
        var seen = new HashSet<string>();
        // Only whole lines: other threads may still be running.
        foreach (string line in text.Substring(0, text.LastIndexOf('\n') + 1).Split('\n'))
        {
            int begin = line.IndexOf(Key);
            if (begin < 0)
                continue;
            begin += Key.Length;
            string id = line.Substring(begin, line.IndexOf('"', begin) - begin);
            if (seen.Add(id))
                ids.Add(id);
        }
        return ids;
    }

    private static string Line(Modules modules, string identity)
    {
        var facts = new Dictionary<string, string> { ["id"] = identity };
        try
        {
            MethodBase method = new Identity(modules, identity).Method();
            facts["method"] = Methods.Name(method);
            facts["il"] = IlNames.Of(method);
            bool isKnown = !ParameterTypes(method).Any(HidesSomething);
            facts["signature"] = isKnown ? Methods.Signature(method) : null;
            facts["declaration"] = isKnown && !IsGenerated(method) ? Declarations.Of(method) : null;
        }
        catch (Exception e)
        {
            facts["error"] = e.ToString();
        }
        return "{" + string.Join(",", facts.Select(f => Quoted(f.Key) + ":" + (f.Value == null ? "null" : Quoted(f.Value)))) + "}";
    }

    /// <summary>A compiler-generated method has no declaration in reflection.</summary>
    private static bool IsGenerated(MethodBase method)
    {
        for (Type type = method.DeclaringType; type != null; type = type.DeclaringType)
            if (type.Name.Contains('<'))
                return true;
        return method.Name.StartsWith('<');
    }

    private static IEnumerable<Type> ParameterTypes(MethodBase method)
    {
        IEnumerable<Type> types = method.GetParameters().Select(p => p.ParameterType);
        return method is MethodInfo info ? types.Append(info.ReturnType) : types;
    }

    /// <summary>Whether reflection omits a part of the signature: of function pointers it has neither
    /// calling conventions nor the kinds of by-reference parts, and up to 7.0 it represents them as IntPtr.</summary>
    private static bool HidesSomething(Type type)
    {
        if (type.HasElementType)
            return HidesSomething(type.GetElementType());
#if NET8
        if (!type.IsFunctionPointer)
            return type.GetGenericArguments().Any(HidesSomething);
        IEnumerable<Type> parts = type.GetFunctionPointerParameterTypes().Append(type.GetFunctionPointerReturnType());
        return type.IsUnmanagedFunctionPointer || parts.Any(part => part.IsByRef || HidesSomething(part));
#else
        return type == typeof(IntPtr) || type.GetGenericArguments().Any(HidesSomething);
#endif
    }

    private static string Quoted(string text)
    {
        var quoted = new StringBuilder("\"");
        foreach (char c in text)
            quoted.Append(c is '"' or '\\' || c < ' ' || char.IsSurrogate(c) ? $"\\u{(int)c:x4}" : c.ToString());
        return quoted.Append('"').ToString();
    }
}
