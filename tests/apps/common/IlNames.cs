using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Spelling;

/// <summary>Methods as ILAsm writes them, without the names of assemblies, by reflection.</summary>
public static class IlNames
{
    private static readonly Dictionary<Type, string> Words = new()
    {
        [typeof(void)] = "void", [typeof(bool)] = "bool", [typeof(char)] = "char", [typeof(sbyte)] = "int8",
        [typeof(byte)] = "uint8", [typeof(short)] = "int16", [typeof(ushort)] = "uint16", [typeof(int)] = "int32",
        [typeof(uint)] = "uint32", [typeof(long)] = "int64", [typeof(ulong)] = "uint64", [typeof(float)] = "float32",
        [typeof(double)] = "float64", [typeof(IntPtr)] = "native int", [typeof(UIntPtr)] = "native uint",
        [typeof(string)] = "string", [typeof(object)] = "object", [typeof(TypedReference)] = "typedref",
    };

    /// <summary>The name of a method whose type arguments are known; null where reflection does not have its
    /// signature: function pointers on old runtimes.</summary>
    public static string Of(MethodBase method)
    {
        ParameterInfo result = (method as MethodInfo)?.ReturnParameter;
        IEnumerable<ParameterInfo> all = method.GetParameters().Append(result).Where(p => p != null);
        if (all.Any(p => HasFunctionPointer(p.ParameterType)))
            return null;
        string instance = method.IsStatic ? "" : "instance ";
        string own = method.IsGenericMethod ? Arguments(method.GetGenericArguments()) : "";
        string parameters = string.Join(", ", method.GetParameters().Select(Parameter));
        string type = result == null ? "void" : Parameter(result);
        return $"{instance}{type} {Name(method.DeclaringType)}::{method.Name}{own}({parameters})";
    }

    private static bool HasFunctionPointer(Type type)
    {
        if (type.HasElementType)
            return HasFunctionPointer(type.GetElementType());
        // Up to 7.0 reflection has IntPtr for them, and nothing else in this program is one.
#if NET8
        return type.IsFunctionPointer;
#else
        return type == typeof(IntPtr);
#endif
    }

    private static string Parameter(ParameterInfo parameter) =>
        Of(parameter.ParameterType) + string.Concat(parameter.GetRequiredCustomModifiers().Select(m => $" modreq({Name(m)})"));

    private static string Of(Type type)
    {
        if (type.IsByRef)
            return Of(type.GetElementType()) + "&";
        if (type.IsPointer)
            return Of(type.GetElementType()) + "*";
        if (type.IsArray)
        {
            int rank = type.GetArrayRank();
            return Of(type.GetElementType()) + (rank == 1 ? "[]" : "[" + string.Join(",", Enumerable.Repeat("0...", rank)) + "]");
        }
        return Words.TryGetValue(type, out string word) ? word : (type.IsValueType ? "valuetype " : "class ") + Name(type);
    }

    private static string Name(Type type)
    {
        string name = type.Name;
        for (Type outer = type.DeclaringType; outer != null; outer = outer.DeclaringType)
            name = outer.Name + "/" + name;
        return (string.IsNullOrEmpty(type.Namespace) ? "" : type.Namespace + ".") + name + Arguments(type.GetGenericArguments());
    }

    private static string Arguments(Type[] arguments) =>
        arguments.Length == 0 ? "" : "<" + string.Join(", ", arguments.Select(Of)) + ">";
}
