using System;
using System.Linq;
using System.Reflection;
using System.Text;

namespace Report;

/// <summary>No value.</summary>
public readonly struct Nothing
{
}

/// <summary>One call that has been entered. Disposing it without <c>Leave</c> reports that an exception
/// left the method, so <c>using var call = Self.Enter(…)</c> suits methods that may throw.</summary>
public sealed class Call : IDisposable
{
    private readonly ThreadLog log;
    private readonly MethodBase method;
    private object[] outs = Array.Empty<object>();
    private bool closed;

    internal Call(ThreadLog log, MethodBase method)
    {
        this.log = log;
        this.method = method;
        Depth = log.Open.Count;
        log.Open.Add(this);
    }

    /// <summary>The number of reported calls that were open when this one began.</summary>
    public int Depth { get; }

    /// <summary>The values of the ref and out parameters after the call, in order.</summary>
    public Call Outs(object a) => SetOuts(a);

    /// <inheritdoc cref="Outs(object)"/>
    public Call Outs(object a, object b) => SetOuts(a, b);

    /// <inheritdoc cref="Outs(object)"/>
    public Call Outs(object a, object b, object c) => SetOuts(a, b, c);

    /// <inheritdoc cref="Outs(object)"/>
    public Call Outs(object a, object b, object c, object d) => SetOuts(a, b, c, d);

    // `Leave` is often the last call of its method. An argument that is passed by reference keeps the compiler
    // from making it a jump, which would end the method before it returns what the report says.

    /// <summary>Reports that a method without a return value ends.</summary>
    public void Leave(in Nothing nothing = default) => WriteLeave(null);

    /// <summary>Reports that the method ends with <paramref name="value"/>, and returns it.</summary>
    public T Leave<T>(in T value)
    {
        WriteLeave(value);
        return value;
    }

    /// <summary>Reports that the method ends with a value that cannot be boxed: a span, a
    /// pointer, or a value whose type alone is compared.</summary>
    public void LeaveWith(object described) => WriteLeave(described);

    /// <summary>First statement of a <c>catch</c>: the exception has left every call above this one.</summary>
    public void Caught(Exception exception)
    {
        log.InFlight = exception.GetType();
        log.UnwindAbove(this);
    }

    /// <summary>First statement of a <c>finally</c> that an exception may run.</summary>
    public void Passing() => log.UnwindAbove(this);

    /// <summary>Reports the exception in flight as leaving this method, unless it has ended already.</summary>
    public void Dispose()
    {
        if (closed)
            return;
        log.UnwindAbove(this);
        WriteUnwind();
    }

    internal void WriteEnter(object self, object[] arguments)
    {
        StringBuilder line = Begin("enter");
        line.Append(",\"signature\":");
        Json.String(line, Methods.Signature(method));
        if (!method.IsStatic)
        {
            line.Append(",\"this\":");
            ValueWriter.This(line, self ?? Described.TypeOnly(method.DeclaringType));
        }
        line.Append(",\"args\":[");
        ParameterInfo[] parameters = method.GetParameters();
        if (arguments.Length > parameters.Length)
            throw new InvalidOperationException($"{method} has {parameters.Length} parameters, {arguments.Length} reported");
        for (int i = 0; i < parameters.Length; i++)
        {
            Parameter(line, parameters[i], i > 0);
            line.Append(",\"mode\":");
            Json.String(line, Methods.Mode(parameters[i]));
            // The compiler's own last parameter, the closure of a local function, has no name.
            object value = i < arguments.Length ? arguments[i] : Described.TypeOnly(Methods.ValueType(parameters[i]));
            if (value != Self.Out)
            {
                line.Append(",\"value\":");
                ValueWriter.Write(line, Methods.ValueType(parameters[i]), value);
            }
            line.Append('}');
        }
        log.Lines.Add(line.Append("]}").ToString());
    }

    internal void WriteUnwind()
    {
        Close();
        StringBuilder line = Begin("unwind");
        line.Append(",\"exception\":");
        Json.String(line, TypeNames.Of(log.InFlight));
        log.Lines.Add(line.Append('}').ToString());
    }

    private void WriteLeave(object value)
    {
        Close();
        StringBuilder line = Begin("leave");
        Type result = method is MethodInfo info ? info.ReturnType : typeof(void);
        if (result != typeof(void))
        {
            line.Append(",\"return\":{\"type\":");
            Json.String(line, Methods.ReturnType((MethodInfo)method));
            line.Append(",\"value\":");
            ValueWriter.Write(line, result.IsByRef ? result.GetElementType() : result, value);
            line.Append('}');
        }
        WriteOuts(line);
        log.Lines.Add(line.Append('}').ToString());
    }

    private void WriteOuts(StringBuilder line)
    {
        ParameterInfo[] parameters = method.GetParameters().Where(p => Methods.Mode(p) is "ref" or "out").ToArray();
        if (outs.Length > parameters.Length)
            throw new InvalidOperationException($"{method} has {parameters.Length} ref and out parameters, {outs.Length} reported");
        for (int i = 0; i < parameters.Length; i++)
        {
            Parameter(line.Append(i == 0 ? ",\"outs\":[" : ""), parameters[i], i > 0);
            line.Append(",\"value\":");
            Type type = Methods.ValueType(parameters[i]);
            // A local function's closure again.
            ValueWriter.Write(line, type, i < outs.Length ? outs[i] : Described.TypeOnly(type));
            line.Append(i == parameters.Length - 1 ? "}]" : "}");
        }
    }

    private static void Parameter(StringBuilder line, ParameterInfo parameter, bool comma)
    {
        line.Append(comma ? ",{\"name\":" : "{\"name\":");
        Json.String(line, parameter.Name ?? "");
        line.Append(",\"type\":");
        Json.String(line, TypeNames.Of(Methods.ValueType(parameter)));
    }

    private StringBuilder Begin(string kind)
    {
        var line = new StringBuilder($"{{\"event\":\"{kind}\",\"thread\":{log.Thread},\"depth\":{Depth},\"module\":");
        // An assembly in a single file has no file name, and an emitted one has another name in its metadata.
        Module module = method.Module;
        Json.String(line, module.Name == "<Unknown>" ? module.ScopeName : module.Name);
        line.Append(",\"method\":");
        Json.String(line, Methods.Name(method));
        return line;
    }

    private void Close()
    {
        if (closed || log.Open[^1] != this)
            throw new InvalidOperationException($"{method} ends out of turn: the report itself is wrong");
        closed = true;
        log.Open.RemoveAt(log.Open.Count - 1);
    }

    private Call SetOuts(params object[] values)
    {
        outs = values;
        return this;
    }
}
