// The program's own report of its methods' names: one line of JSON for each, printed at the end.
//
// `Said.Here(type arguments)` is the first statement of a method whose name reflection has. Names that reflection
// does not have are given in the source: `Said.As("…", "…")` for compiler-generated methods, and
// `Said.Exactly("…")` where the formatting by reflection is itself to be checked.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using Report;

namespace Spelling;

/// <summary>The reported names.</summary>
public static class Said
{
    private const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly List<string> Lines = new();
    private static readonly HashSet<int> Tokens = new();

    // An argument that is passed by reference keeps a call at the end of a method from becoming a jump, which
    // would take the method off the stack.

    /// <summary>The calling method runs, with these type arguments: its type's, then its own.</summary>
    public static void Here(in Nothing nothing = default) => Add(Close(Caller()), null);

    /// <inheritdoc cref="Here(in Nothing)"/>
    public static void Here(Type a, in Nothing nothing = default) => Add(Close(Caller(), a), null);

    /// <inheritdoc cref="Here(in Nothing)"/>
    public static void Here(Type a, Type b, in Nothing nothing = default) => Add(Close(Caller(), a, b), null);

    /// <inheritdoc cref="Here(in Nothing)"/>
    public static void Here(Type a, Type b, Type c, in Nothing nothing = default) => Add(Close(Caller(), a, b, c), null);

    /// <summary>The same, for a method with this declaration.</summary>
    public static void Exactly(string expected, in Nothing nothing = default) => Add(Close(Caller()), expected);

    /// <inheritdoc cref="Exactly(string, in Nothing)"/>
    public static void Exactly(string expected, Type a, in Nothing nothing = default) => Add(Close(Caller(), a), expected);

    /// <inheritdoc cref="Exactly(string, in Nothing)"/>
    public static void Exactly(string expected, Type a, Type b, in Nothing nothing = default) => Add(Close(Caller(), a, b), expected);

    /// <summary>The calling method is compiler-generated: its declaration in the source, and its source method.
    /// A lambda has no name in the source; <c>#</c> stands for the numbers that the compiler gave it.</summary>
    public static void As(string declaration, string source, in Nothing nothing = default)
    {
        MethodBase method = Caller();
        Tokens.Add(method.MetadataToken);
        string numbers = Numbers(method.Name) ?? Numbers(method.DeclaringType.Name) ?? "";
        Write(method.MetadataToken, "", ("declaration", declaration.Replace("#", numbers)), ("source", source?.Replace("#", numbers)));
    }

    private static string Numbers(string name)
    {
        int at = name.IndexOf(">b__");
        return at < 0 ? null : name[(at + 4)..].Split('>')[0];
    }

    /// <summary>A method that was made at run time has been called.</summary>
    public static void Made(string declaration) => Write(0, "", ("declaration", declaration));

    /// <summary>Adds the methods that cannot report themselves, where there is only one of each; then prints
    /// everything.</summary>
    public static void Flush()
    {
        foreach (Type type in typeof(Said).Assembly.GetTypes().Where(type => type.Namespace == "Cases" && !type.IsGenericType))
            foreach (MethodBase method in type.GetMethods(All).Concat<MethodBase>(type.GetConstructors(All)))
                if (!method.IsGenericMethod && !method.Name.StartsWith("<") && !Made(type) && !Tokens.Contains(method.MetadataToken))
                    Add(method, null, ",\"silent\":true");
        using var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
        foreach (string line in Lines)
            output.Write(line + "\n");
    }

    private static bool Made(Type type) => type != null && (type.Name.StartsWith("<") || Made(type.DeclaringType));

    private static void Add(MethodBase method, string expected, string note = "")
    {
        string declaration = Declarations.Of(method);
        if (expected != null && declaration != expected)
            throw new InvalidOperationException($"reflection says\n  {declaration}\nand the source\n  {expected}");
        lock (Lines)
            Tokens.Add(method.MetadataToken);
        Write(method.MetadataToken, note, ("method", Methods.Name(method)), ("declaration", declaration), ("il", IlNames.Of(method)));
    }

    private static void Write(int token, string note, params (string Name, string Value)[] facts)
    {
        var line = new StringBuilder($"{{\"token\":{token}{note}");
        foreach ((string name, string value) in facts)
        {
            line.Append($",\"{name}\":");
            if (value == null)
                line.Append("null");
            else
                Json.String(line, value);
        }
        lock (Lines)
            Lines.Add(line.Append('}').ToString());
    }

    private static MethodBase Caller()
    {
        for (int skip = 2; ; skip++)
        {
            MethodBase method = new StackFrame(skip, false).GetMethod();
            if (method.DeclaringType != typeof(Said))
                return method;
        }
    }

    private static MethodBase Close(MethodBase method, params Type[] arguments)
    {
        Type type = method.DeclaringType;
        if (type.IsGenericType)
        {
            Type definition = type.GetGenericTypeDefinition();
            int count = definition.GetGenericArguments().Length;
            type = definition.MakeGenericType(arguments[..count]);
            method = MethodBase.GetMethodFromHandle(method.MethodHandle, type.TypeHandle);
            arguments = arguments[count..];
        }
        if (method.IsGenericMethod)
            method = ((MethodInfo)method).GetGenericMethodDefinition().MakeGenericMethod(arguments);
        return method;
    }
}
