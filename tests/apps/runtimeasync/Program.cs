// Methods that the runtime itself suspends and resumes ("runtime async", a preview of .NET 10: DOTNET_RuntimeAsync=1).
// The compiler does not emit them for .NET 10, so that they are emitted here: the IL of an `async Task<int>` with the flag
// `Async` returns an `int`.

using System;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace RuntimeAsync;

/// <summary>Calls suspended methods a few times, and prints what they returned and how often they were resumed.</summary>
public static class Program
{
    /// <summary>MethodImplAttributes.Async.</summary>
    private const MethodImplAttributes Async = (MethodImplAttributes)0x2000;

    private static int pauses;

    /// <summary>The argument is the number of rounds.</summary>
    public static int Main(string[] args)
    {
        int rounds = int.Parse(args[0]);
        Type emitted = Emit();
        var outer = emitted.GetMethod("Outer").CreateDelegate<Func<int, string, Task<int>>>();
        int sum = 0;
        for (int round = 0; round < rounds; round++)
            sum += outer(3, "round").GetAwaiter().GetResult();
        int failed = 0;
        var throws = emitted.GetMethod("Throws").CreateDelegate<Func<int, Task<int>>>();
        for (int round = 0; round < rounds; round++)
        {
            try
            {
                throws(round).GetAwaiter().GetResult();
            }
            catch (InvalidOperationException)
            {
                failed++;
            }
        }
        int after = After(rounds);
        Console.WriteLine($"sum {sum}, {pauses} pauses, {failed} failed, {after} after");
        return 0;
    }

    /// <summary>Returns a task that another thread completes, later than its caller awaits it.</summary>
    public static Task Pause(int number)
    {
        Interlocked.Increment(ref pauses);
        return Task.Delay(2);
    }

    /// <summary>Throws, after a suspension, in a method that awaits.</summary>
    public static int Fail(int number) => throw new InvalidOperationException("number " + number);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int After(int number) => number + 1;

    /// <summary>
    /// static async Task&lt;int&gt; Inner(int count) { int sum = 0; for (int i = 0; i &lt; count; i++) { await Pause(i); sum += i; } return sum; }
    /// static async Task&lt;int&gt; Outer(int count, string text) { return await Inner(count) + await Inner(count); }
    /// static async Task&lt;int&gt; Throws(int number) { await Pause(number); return Fail(number); }
    /// </summary>
    private static Type Emit()
    {
        AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("emitted"), AssemblyBuilderAccess.Run);
        TypeBuilder type = assembly.DefineDynamicModule("emitted").DefineType("Emitted.Machine", TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed);
        MethodInfo pause = typeof(Program).GetMethod(nameof(Pause));
        MethodInfo awaits = Await(typeof(Task));
        MethodInfo awaitsInt = Await(typeof(Task<int>));

        MethodBuilder inner = Define(type, "Inner", typeof(int));
        inner.DefineParameter(1, ParameterAttributes.None, "count");
        ILGenerator il = inner.GetILGenerator();
        LocalBuilder sum = il.DeclareLocal(typeof(int)), i = il.DeclareLocal(typeof(int));
        Label test = il.DefineLabel(), body = il.DefineLabel();
        il.Emit(OpCodes.Br, test);
        il.MarkLabel(body);
        il.Emit(OpCodes.Ldloc, i);
        il.Emit(OpCodes.Call, pause);
        il.Emit(OpCodes.Call, awaits);
        il.Emit(OpCodes.Ldloc, sum);
        il.Emit(OpCodes.Ldloc, i);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Stloc, sum);
        il.Emit(OpCodes.Ldloc, i);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Stloc, i);
        il.MarkLabel(test);
        il.Emit(OpCodes.Ldloc, i);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Blt, body);
        il.Emit(OpCodes.Ldloc, sum);
        il.Emit(OpCodes.Ret);

        MethodBuilder outer = Define(type, "Outer", typeof(int), typeof(string));
        outer.DefineParameter(1, ParameterAttributes.None, "count");
        outer.DefineParameter(2, ParameterAttributes.None, "text");
        il = outer.GetILGenerator();
        LocalBuilder first = il.DeclareLocal(typeof(int));
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, inner);
        il.Emit(OpCodes.Call, awaitsInt);
        il.Emit(OpCodes.Stloc, first);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, inner);
        il.Emit(OpCodes.Call, awaitsInt);
        il.Emit(OpCodes.Ldloc, first);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Ret);

        MethodBuilder throws = Define(type, "Throws", typeof(int));
        throws.DefineParameter(1, ParameterAttributes.None, "number");
        il = throws.GetILGenerator();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, pause);
        il.Emit(OpCodes.Call, awaits);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, typeof(Program).GetMethod(nameof(Fail)));
        il.Emit(OpCodes.Ret);
        return type.CreateType();
    }

    private static MethodBuilder Define(TypeBuilder type, string name, params Type[] parameters)
    {
        MethodBuilder method = type.DefineMethod(name, MethodAttributes.Public | MethodAttributes.Static, typeof(Task<int>), parameters);
        method.SetImplementationFlags(Async);
        return method;
    }

    /// <summary>AsyncHelpers.Await for a task: a call that the runtime compiles as a suspension.</summary>
    private static MethodInfo Await(Type task)
    {
        Type helpers = typeof(object).Assembly.GetType("System.Runtime.CompilerServices.AsyncHelpers");
        foreach (MethodInfo method in helpers.GetMethods(BindingFlags.Public | BindingFlags.Static))
        {
            if (method.Name != "Await")
                continue;
            MethodInfo instance = method.IsGenericMethodDefinition
                ? task.IsGenericType ? method.MakeGenericMethod(task.GetGenericArguments()) : null
                : method;
            if (instance != null && instance.GetParameters()[0].ParameterType == task)
                return instance;
        }
        throw new MissingMethodException("AsyncHelpers.Await");
    }
}
