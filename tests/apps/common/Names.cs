using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Report;

/// <summary>Types in C# format.</summary>
public static class TypeNames
{
    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(void)] = "void", [typeof(object)] = "object", [typeof(string)] = "string",
        [typeof(bool)] = "bool", [typeof(char)] = "char", [typeof(decimal)] = "decimal",
        [typeof(sbyte)] = "sbyte", [typeof(byte)] = "byte", [typeof(short)] = "short", [typeof(ushort)] = "ushort",
        [typeof(int)] = "int", [typeof(uint)] = "uint", [typeof(long)] = "long", [typeof(ulong)] = "ulong",
        [typeof(IntPtr)] = "nint", [typeof(UIntPtr)] = "nuint", [typeof(float)] = "float", [typeof(double)] = "double",
    };

    /// <summary>The C# name of <paramref name="type"/>, without <c>ref</c> for a by-reference type.</summary>
    public static string Of(Type type)
    {
        if (type.IsByRef)
            return Of(type.GetElementType());
        if (type.IsArray)
            return Array(type);
        if (type.IsPointer)
            return Of(type.GetElementType()) + "*";
#if NET8
        if (type.IsFunctionPointer)
            return FunctionPointer(type);
#endif
        if (Keywords.TryGetValue(type, out string keyword))
            return keyword;
        if (type.IsGenericParameter)
            return type.Name;
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Of(underlying) + "?";
        if (IsTuple(type))
            return "(" + string.Join(", ", TupleItems(type).Select(Of)) + ")";
        return Named(type);
    }

    /// <summary>The name of a type in front of a member: a built-in one has its own name there, not its
    /// keyword.</summary>
    public static string Container(Type type) => Keywords.ContainsKey(type) ? Named(type) : Of(type);

    /// <summary>Generic arguments in <c>&lt;&gt;</c>, or nothing when there are none.</summary>
    public static string Arguments(IEnumerable<Type> arguments)
    {
        string list = string.Join(", ", arguments.Select(Of));
        return list.Length == 0 ? "" : "<" + list + ">";
    }

    /// <summary>Outermost dimension first: <c>int[][,]</c> is an array of two-dimensional arrays.</summary>
    private static string Array(Type type)
    {
        string ranks = "";
        for (; type.IsArray; type = type.GetElementType())
            ranks += "[" + new string(',', type.GetArrayRank() - 1) + "]";
        return Of(type) + ranks;
    }

    /// <summary>Reflection gives the arguments of all nesting levels in one list: each level takes as many
    /// as its own name says.</summary>
    private static string Named(Type type)
    {
        var levels = new Stack<Type>();
        for (Type level = type; level != null; level = level.DeclaringType)
            levels.Push(level);
        string name = string.IsNullOrEmpty(type.Namespace) ? "" : type.Namespace + ".";
        Type[] arguments = type.GetGenericArguments();
        int used = 0;
        foreach (Type level in levels)
        {
            string[] parts = InSource(level.Name).Split('`');
            int count = parts.Length > 1 ? int.Parse(parts[1]) : 0;
            name += parts[0] + Arguments(arguments.Skip(used).Take(count)) + ".";
            used += count;
        }
        return name[..^1];
    }

    /// <summary>A type that only its file can name: the compiler puts the file's name and a hash of its path in front.</summary>
    public static string InSource(string name)
    {
        int file = name.StartsWith("<", StringComparison.Ordinal) ? name.IndexOf(">F", StringComparison.Ordinal) : -1;
        int type = file + ">F".Length + 64 + "__".Length;
        if (file < 0 || name.Length <= type || name.Substring(type - 2, 2) != "__" || !name.Substring(file + 2, 64).All(Uri.IsHexDigit))
            return name;
        string rest = name.Substring(type);
        int arity = rest.IndexOf('`');
        return rest.Insert(arity < 0 ? rest.Length : arity, "@" + name.Substring(1, file - 1));
    }

    private static bool IsTuple(Type type) =>
        type.IsValueType && type.IsGenericType && typeof(ITuple).IsAssignableFrom(type) && type.GetGenericArguments().Length > 1;

    private static IEnumerable<Type> TupleItems(Type type)
    {
        Type[] items = type.GetGenericArguments();
        if (items.Length < 8)
            return items;
        Type rest = items[7];
        return items.Take(7).Concat(rest.GetGenericArguments().Length == 1 ? rest.GetGenericArguments() : TupleItems(rest));
    }

#if NET8
    private static string FunctionPointer(Type type)
    {
        IEnumerable<Type> parts = type.GetFunctionPointerParameterTypes().Append(type.GetFunctionPointerReturnType());
        string list = string.Join(", ", parts.Select(part => (part.IsByRef ? "ref " : "") + Of(part)));
        return $"{(type.IsUnmanagedFunctionPointer ? "delegate* unmanaged" : "delegate*")}<{list}>";
    }
#endif
}

/// <summary>Methods in the documented format.</summary>
public static class Methods
{
    /// <summary>Namespace, type and method with their arguments; constructors are `.ctor` and `.cctor`.</summary>
    public static string Name(MethodBase method) =>
        TypeNames.Container(method.DeclaringType) + "." + method.Name
        + (method.IsGenericMethod ? TypeNames.Arguments(method.GetGenericArguments()) : "");

    /// <summary>The name with its return type in front and its parameters behind.</summary>
    public static string Signature(MethodBase method)
    {
        string result = method is MethodInfo info ? ReturnType(info) : "void";
        return $"{result} {Name(method)}({string.Join(", ", method.GetParameters().Select(Parameter))})";
    }

    /// <summary>The return type, with <c>ref</c> or <c>ref readonly</c>.</summary>
    public static string ReturnType(MethodInfo method)
    {
        if (!method.ReturnType.IsByRef)
            return TypeNames.Of(method.ReturnType);
        bool isReadOnly = method.ReturnParameter.GetRequiredCustomModifiers().Any(m => m.Name == "InAttribute");
        return (isReadOnly ? "ref readonly " : "ref ") + TypeNames.Of(method.ReturnType);
    }

    /// <summary><c>in</c>, <c>ref</c> or <c>out</c>; a parameter that is passed by value has mode <c>in</c> too.</summary>
    public static string Mode(ParameterInfo parameter)
    {
        if (!parameter.ParameterType.IsByRef)
            return "in";
        return (parameter.IsIn, parameter.IsOut) switch
        {
            (false, true) => "out",
            (true, false) when IsReadOnly(parameter) => "in",
            _ => "ref",
        };
    }

    /// <summary>A parameter with <c>[In]</c> that is not <c>in</c> is a <c>ref</c> that is marshalled one way.</summary>
    private static bool IsReadOnly(ParameterInfo parameter) =>
        parameter.GetCustomAttributesData().Any(a => a.AttributeType.Name is "IsReadOnlyAttribute" or "RequiresLocationAttribute");

    /// <summary>The type of the parameter's value: what a by-reference parameter refers to.</summary>
    public static Type ValueType(ParameterInfo parameter) =>
        parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType() : parameter.ParameterType;

    /// <summary>The method with the type arguments of this call.</summary>
    internal static MethodBase Close(MethodBase method, object self, Generic generic)
    {
        Type type = method.DeclaringType;
        if (type.IsGenericType)
        {
            Type definition = type.GetGenericTypeDefinition();
            type = generic?.OfClass != null ? definition.MakeGenericType(generic.OfClass) : Find(definition, self?.GetType());
            method = MethodBase.GetMethodFromHandle(method.MethodHandle, type.TypeHandle);
        }
        if (method.IsGenericMethod)
            method = ((MethodInfo)method).GetGenericMethodDefinition().MakeGenericMethod(generic.OfMethod);
        return method;
    }

    private static Type Find(Type definition, Type own)
    {
        for (Type type = own; type != null; type = type.BaseType)
            if (type.IsGenericType && type.GetGenericTypeDefinition() == definition)
                return type;
        Type found = own?.GetInterfaces().FirstOrDefault(i => i.IsGenericType && i.GetGenericTypeDefinition() == definition);
        return found ?? throw new InvalidOperationException($"say Generic.Class(…) in a method of {definition}");
    }

    private static string Parameter(ParameterInfo parameter)
    {
        string mode = parameter.ParameterType.IsByRef ? Mode(parameter) + " " : "";
        return (mode + TypeNames.Of(parameter.ParameterType) + " " + parameter.Name).TrimEnd();
    }
}
