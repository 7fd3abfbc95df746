using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;

namespace Report;

/// <summary>A value that cannot be boxed, or is only partly predictable.</summary>
public sealed class Described
{
    internal readonly string Text;

    private Described(string text) => Text = text;

    /// <summary>Any value of this type: its contents change while the reporter runs.</summary>
    public static Described TypeOnly(Type type) => new($"{{\"type\":{Json.Quoted(TypeNames.Of(type))},\"any\":true}}");

    /// <summary>A pointer.</summary>
    public static unsafe Described Pointer(void* pointer) =>
        new(pointer == null ? "null" : $"{{\"pointer\":\"0x{(ulong)pointer:x}\"}}");

    /// <summary>A pointer and what it points to, declared as <paramref name="type"/>.</summary>
    public static unsafe Described Pointer(void* pointer, Type type, object target)
    {
        var text = new StringBuilder($"{{\"pointer\":\"0x{(ulong)pointer:x}\",\"target\":");
        ValueWriter.Write(text, type, target);
        return new(text.Append('}').ToString());
    }

    /// <summary>A variable in the heap, after a collection. Newer runtimes report moved objects only where
    /// collections block the program, so that the variable cannot be read there.</summary>
    public static object InHeap(object value)
    {
#if NET8
        return new Described("{\"stale\":true}");
#else
        return value;
#endif
    }

    /// <summary>A typed reference to a variable with this value.</summary>
    public static Described Typed(object value)
    {
        var text = new StringBuilder("{\"type\":\"System.TypedReference\",\"value\":");
        ValueWriter.Write(text, typeof(object), value);
        return new(text.Append('}').ToString());
    }

    /// <summary>A ref struct with these fields.</summary>
    public static Described Fields(Type type, params (string Name, object Value)[] fields)
    {
        var text = new StringBuilder($"{{\"type\":{Json.Quoted(TypeNames.Of(type))},\"fields\":{{");
        foreach ((string name, object value) in fields)
        {
            text.Append($"{(name == fields[0].Name ? "" : ",")}{Json.Quoted(name)}:");
            ValueWriter.Write(text, value?.GetType() ?? typeof(object), value);
        }
        return new(text.Append("}}").ToString());
    }

    /// <summary>A span, which cannot be boxed.</summary>
    public static Described Span<T>(ReadOnlySpan<T> span, Type type)
    {
        var text = new StringBuilder($"{{\"type\":{Json.Quoted(TypeNames.Of(type))},\"length\":{span.Length},\"items\":[");
        for (int i = 0; i < span.Length; i++)
        {
            text.Append(i > 0 ? "," : "");
            ValueWriter.Write(text, typeof(T), span[i]);
        }
        return new(text.Append("]}").ToString());
    }
}

/// <summary>Values in the documented format, except for three kinds that the test compares by more than
/// their text: floating-point numbers as their bits (<c>{"bits32":…}</c>), boxed primitives as
/// <c>{"boxed":"int","value":5}</c>, and <c>"any":true</c> where only the type is known.</summary>
public static partial class ValueWriter
{
    private const int DeepestObject = 3;

    /// <summary>Whether objects are written as their fields, and not as values.</summary>
    public static bool Raw;

    /// <summary>Appends <paramref name="value"/>, held by a variable of type <paramref name="declared"/>.</summary>
    public static void Write(StringBuilder text, Type declared, object value) => Write(text, declared, value, new());

    /// <summary>Appends `this`, which is never treated as a boxed value.</summary>
    public static void This(StringBuilder text, object value) => Write(text, value.GetType(), value, new());

    private static void Write(StringBuilder text, Type declared, object value, List<object> ancestors)
    {
        switch (value)
        {
            case null: text.Append("null"); return;
            case Described described: text.Append(described.Text); return;
            case string s: Json.String(text, s); return;
            case Enum e: WriteEnum(text, e); return;
            case Pointer p: WritePointer(text, p); return;
            case var nothing when !Raw && IsNothing(nothing): text.Append("null"); return;
        }
#if NET11
        if (!Raw && value is System.Runtime.CompilerServices.IUnion union && IsPlain(union))
            Write(text, typeof(object), union.Value, ancestors);
        else
#endif
        if (Primitive(value) is { } primitive)
            text.Append(declared.IsValueType ? primitive : $"{{\"boxed\":{Json.Quoted(TypeNames.Of(value.GetType()))},\"value\":{primitive}}}");
        else if (!Raw && Named(value) is { } name)
            text.Append($"{{\"type\":{Json.Quoted(TypeNames.Of(value.GetType()))},\"value\":{Json.Quoted(name)}}}");
        else if (!Raw && LongText(value) is { } longText)
        {
            text.Append($"{{\"type\":{Json.Quoted(value.GetType().FullName)},\"value\":");
            Json.String(text, longText);
            text.Append('}');
        }
        else if (Formatted(value) is { } formatted)
            text.Append($"{{\"type\":{Json.Quoted(value is ValueType ? value.GetType().FullName : TypeNames.Of(value.GetType()))},\"value\":{Json.Quoted(formatted)}}}");
        else if (!value.GetType().IsValueType && ancestors.Any(a => ReferenceEquals(a, value)))
            text.Append($"{{\"type\":{Json.Quoted(TypeNames.Of(value.GetType()))},\"cycle\":\"any\"}}");
        else
            WriteObject(text, value, ancestors);
    }

    private static string Primitive(object value) => value switch
    {
        bool b => b ? "true" : "false",
        char c => Json.Quoted(c.ToString()),
        float f => $"{{\"bits32\":{BitConverter.SingleToInt32Bits(f)}}}",
        double d => $"{{\"bits64\":{BitConverter.DoubleToInt64Bits(d)}}}",
#if NET8
        Half h => $"{{\"bits16\":{BitConverter.HalfToInt16Bits(h)}}}",
#endif
        sbyte or byte or short or ushort or int or uint or long or ulong => ((IFormattable)value).ToString("D", CultureInfo.InvariantCulture),
        IntPtr p => ((long)p).ToString(CultureInfo.InvariantCulture),
        UIntPtr p => ((ulong)p).ToString(CultureInfo.InvariantCulture),
        _ => null,
    };

    // Longer ones are written as their fields.
    private static readonly BigInteger LongestShown = BigInteger.Pow(2, 2048) - 1;

    // Texts that may be cut.
    private static string LongText(object value) => value switch
    {
        StringBuilder builder => builder.ToString(),
        JsonElement { ValueKind: not JsonValueKind.Undefined } element => element.GetRawText(),
        _ => null,
    };

#if NET11
    // One whose property is written by hand returns what its code makes of the fields: it is written as those.
    private static bool IsPlain(System.Runtime.CompilerServices.IUnion union) =>
        AllFields(union.GetType()).Select(field => field.Name).SequenceEqual(new[] { "<Value>k__BackingField" });
#endif

    private static string Formatted(object value) => Formatted(value, !HasMore(value));

    private static string Formatted(object value, bool isWhole) => value switch
    {
        decimal d => d.ToString(CultureInfo.InvariantCulture),
        DateTime d => d.ToString("o", CultureInfo.InvariantCulture),
        DateTimeOffset d => d.ToString("o", CultureInfo.InvariantCulture),
        TimeSpan t => t.ToString("c", CultureInfo.InvariantCulture),
        Guid g => g.ToString("D"),
        Index i => i.ToString(),
        Range r => r.ToString(),
        BigInteger i when BigInteger.Abs(i) <= LongestShown => i.ToString(CultureInfo.InvariantCulture),
        Uri u when !Raw && isWhole => u.OriginalString,
        HttpMethod m when !Raw && isWhole => m.Method,
#if NET8
        Int128 i => i.ToString(CultureInfo.InvariantCulture),
        UInt128 i => i.ToString(CultureInfo.InvariantCulture),
        DateOnly d => d.ToString("o", CultureInfo.InvariantCulture),
        TimeOnly t => t.ToString("o", CultureInfo.InvariantCulture),
#endif
        _ => null,
    };

    private static void WriteEnum(StringBuilder text, Enum value)
    {
        string type = TypeNames.Of(value.GetType());
        string number = value.ToString("D");
        string all = value.ToString("G");
        bool named = all != number;
        string[] names = all.Split(", ");
        // .NET Core 3.1 names a member that is zero beside others, if the type has two of them: MethodAttributes.
        if (names.Length > 1)
            names = names.Where(name => ((Enum)Enum.Parse(value.GetType(), name)).ToString("D") != "0").ToArray();
        string spelled = named ? string.Join(", ", names.Select(name => type + "." + name)) : type;
        text.Append($"{{\"enum\":{Json.Quoted(spelled)},\"value\":{number}}}");
    }

    private static unsafe void WritePointer(StringBuilder text, Pointer pointer) =>
        text.Append(Described.Pointer(Pointer.Unbox(pointer)).Text);

    private static void WriteObject(StringBuilder text, object value, List<object> ancestors)
    {
        text.Append("{\"type\":");
        Json.String(text, TypeNames.Of(value.GetType()));
        if (ancestors.Count == DeepestObject)
        {
            text.Append(",\"any\":true}");
            return;
        }
        ancestors.Add(value);
        switch (value)
        {
            case Array array: WriteArray(text, array, ancestors); break;
            case Delegate handler: WriteDelegate(text, handler, ancestors); break;
            case var row when Row(row) is { } items: WriteItems(text, items, ancestors); break;
            case var known when !Raw && WriteKnown(text, known, ancestors): break;
            default: WriteFields(text, value, AllFields(value.GetType()), ancestors); break;
        }
        ancestors.RemoveAt(ancestors.Count - 1);
        text.Append('}');
    }

    private static void WriteArray(StringBuilder text, Array array, List<object> ancestors)
    {
        if (array.Rank > 1)
        {
            IEnumerable<int> ranks = Enumerable.Range(0, array.Rank);
            text.Append($",\"dims\":[{string.Join(",", ranks.Select(array.GetLength))}]");
            text.Append($",\"lower\":[{string.Join(",", ranks.Select(array.GetLowerBound))}]");
        }
        text.Append($",\"length\":{array.Length},\"items\":[");
        Type element = array.GetType().GetElementType();
        bool first = true;
        foreach (object item in array)
        {
            text.Append(first ? "" : ",");
            first = false;
            Write(text, element, item, ancestors);
        }
        text.Append(']');
    }

    // A multicast delegate is written as an array of delegates.
    private static void WriteDelegate(StringBuilder text, Delegate handler, List<object> ancestors)
    {
        Delegate[] all = handler.GetInvocationList();
        if (all.Length > 1)
        {
            WriteItems(text, (typeof(object), all), ancestors);
            return;
        }
        text.Append(",\"target\":");
        Write(text, typeof(object), handler.Target, ancestors);
        text.Append(",\"method\":");
        Json.String(text, Methods.Name(handler.Method));
    }

    private static void WriteFields(StringBuilder text, object value, IEnumerable<FieldInfo> fields, List<object> ancestors)
    {
        text.Append(",\"fields\":{");
        bool first = true;
        foreach (FieldInfo field in fields)
        {
            WriteField(text, Displayed(field), field.FieldType, field.GetValue(value), first, ancestors);
            first = false;
        }
        text.Append('}');
    }

    private static void WriteField(StringBuilder text, string name, Type type, object value, bool first, List<object> ancestors)
    {
        text.Append(first ? "" : ",");
        Json.String(text, name);
        text.Append(':');
        Write(text, type, value, ancestors);
    }

    private static void WriteItems(StringBuilder text, (Type Type, IEnumerable Items) row, List<object> ancestors)
    {
        object[] items = row.Items.Cast<object>().ToArray();
        text.Append($",\"length\":{items.Length},\"items\":[");
        for (int i = 0; i < items.Length; i++)
        {
            text.Append(i > 0 ? "," : "");
            Write(text, row.Type, items[i], ancestors);
        }
        text.Append(']');
    }

    /// <summary>The fields of a type and of its base classes up to <paramref name="above"/>, the base class's first.</summary>
    private static IEnumerable<FieldInfo> AllFields(Type type, Type above = null)
    {
        const BindingFlags own = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        var levels = new Stack<Type>();
        for (; type != null && type != above; type = type.BaseType)
            levels.Push(type);
        return levels.SelectMany(level => level.GetFields(own));
    }

    /// <summary>`&lt;Name&gt;k__BackingField` is the field of the property `Name`.</summary>
    private static string Displayed(FieldInfo field)
    {
        bool backs = field.Name.EndsWith(">k__BackingField") && field.IsDefined(typeof(CompilerGeneratedAttribute));
        return backs ? field.Name[1..field.Name.IndexOf('>')] : field.Name;
    }
}

/// <summary>JSON text.</summary>
public static class Json
{
    /// <summary>Appends <paramref name="value"/> as a JSON string in ASCII: every other UTF-16 unit, lone
    /// surrogates among them, is escaped.</summary>
    public static void String(StringBuilder text, string value)
    {
        text.Append('"');
        foreach (char unit in value)
        {
            if (unit is '"' or '\\')
                text.Append('\\').Append(unit);
            else if (unit is >= ' ' and <= '~')
                text.Append(unit);
            else
                text.Append($"\\u{(int)unit:x4}");
        }
        text.Append('"');
    }

    /// <summary>The value as a JSON string.</summary>
    public static string Quoted(string value)
    {
        var text = new StringBuilder();
        String(text, value);
        return text.ToString();
    }
}
