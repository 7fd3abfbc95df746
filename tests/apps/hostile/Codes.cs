// Collectible code, and its names.

using System;
using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

namespace Hostile;

public sealed class Plugin
{
    public int Run(int number, string text) => number + text.Length;
}

[AttributeUsage(AttributeTargets.Parameter)]
internal sealed class SensitiveAttribute : Attribute { }

internal static class Codes
{
    private sealed class Context : AssemblyLoadContext
    {
        internal Context() : base(isCollectible: true) { }

        protected override Assembly Load(AssemblyName name) => null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int InContext(int number)
    {
        var context = new Context();
        Type plugin = context.LoadFromAssemblyPath(typeof(Program).Assembly.Location).GetType("Hostile.Plugin");
        object result = plugin.GetMethod("Run").Invoke(Activator.CreateInstance(plugin), new object[] { number, "four" });
        context.Unload();
        return (int)result;
    }

    internal static int Unload(string[] args)
    {
        int sum = 0;
        for (int i = 0; i < 10; i++)
        {
            sum += InContext(i);
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Console.WriteLine(sum);
        return 0;
    }

    private static Type Make(string name, string method)
    {
        var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Made"), AssemblyBuilderAccess.Run);
        TypeBuilder type = assembly.DefineDynamicModule("Made").DefineType(name, TypeAttributes.Public);
        MethodBuilder made = type.DefineMethod(method, MethodAttributes.Public | MethodAttributes.Static, typeof(int), new[] { typeof(int), typeof(Exception) });
        made.DefineParameter(1, ParameterAttributes.None, "number\n" + method);
        ILGenerator il = made.GetILGenerator();
        Label isNull = il.DefineLabel();
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Brfalse, isNull);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Throw);
        il.MarkLabel(isNull);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Ret);
        return type.CreateTypeInfo().AsType();
    }

    internal static int Emit(string[] args)
    {
        int sum = 0;
        for (int i = 0; i < 50; i++)
        {
            var method = new DynamicMethod("dynamic" + i, typeof(int), new[] { typeof(int) });
            ILGenerator il = method.GetILGenerator();
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ldc_I4, i);
            il.Emit(OpCodes.Mul);
            il.Emit(OpCodes.Ret);
            sum += ((Func<int, int>)method.CreateDelegate(typeof(Func<int, int>)))(i);
        }
        sum += (int)Make("Made.Type", "Add").GetMethod("Add").Invoke(null, new object[] { 1, null });
        Console.WriteLine(sum);
        return 0;
    }

    /// <summary>Types, methods and parameters whose names end lines and command terminals.</summary>
    internal static int Names(string[] args)
    {
        const string Hostile = "Evil\n[1] → Forged()\u001b[2J\u202etxt.exe\"<&>;";
        Type type = Make(Hostile, Hostile);
        int number = (int)type.GetMethod(Hostile).Invoke(null, new object[] { 1, null });
        try
        {
            type.GetMethod(Hostile).Invoke(null, new object[] { 1, new InvalidOperationException(Hostile) });
        }
        catch (TargetInvocationException)
        {
            number++;
        }
        Console.WriteLine(number);
        return 0;
    }

    private sealed class Account
    {
        internal string User = "visible-user";
        internal string Password = "hidden-field";
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string LogIn(string user, string password, int apiToken, [Sensitive] string pin, Account account) =>
        user + password.Length + apiToken % 2 + pin.Length + account.User;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string GetSecret() => "hidden-result";

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Numbers(int secretNumber, int plainNumber) => secretNumber > plainNumber ? 1 : 0;

    /// <summary>Methods with secrets, called once, or again and again for the given number of milliseconds.</summary>
    internal static int Secrets(string[] args)
    {
        var time = Stopwatch.StartNew();
        int sum;
        do
        {
            string result = LogIn("visible-user", "hidden-password", 987654321, "hidden-attribute", new Account());
            sum = result.Length + GetSecret().Length + Numbers(987654321, 123456789);
            Thread.Sleep(1);
        }
        while (args.Length > 1 && time.ElapsedMilliseconds < int.Parse(args[1]));
        Console.WriteLine(sum);
        return 0;
    }
}
