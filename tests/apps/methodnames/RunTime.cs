using System;
using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.InteropServices;
using Spelling;

namespace Cases;

/// <summary>Methods that the program or the runtime makes at run time.</summary>
public static class RunTime
{
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int Compare(IntPtr a, IntPtr b);

    internal static void Run()
    {
        Said.Here();
        Dynamic();
        Emitted();
        Native();
    }

    private static void Dynamic()
    {
        Said.Here();
        var twice = new DynamicMethod("Twice", typeof(int), new[] { typeof(int), typeof(string).MakeByRefType() });
        ILGenerator il = twice.GetILGenerator();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Ret);
        string text = "";
        if (((Refs)twice.CreateDelegate(typeof(Refs)))(2, ref text) != 4)
            throw new InvalidOperationException();
        Said.Made("int DynamicClass.Twice(int, ref string)");
    }

    private delegate int Refs(int a, ref string b);

    /// <summary>Reflection is queried later, and finds no assembly that has been collected.</summary>
    private static Assembly emitted;

    private static void Emitted()
    {
        Said.Here();
        AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("emitted"), AssemblyBuilderAccess.RunAndCollect);
        emitted = assembly;
        TypeBuilder type = assembly.DefineDynamicModule("emitted").DefineType("Made.At.RunTime", TypeAttributes.Public);
        MethodBuilder method = type.DefineMethod("Half", MethodAttributes.Public | MethodAttributes.Static, typeof(double), new[] { typeof(double) });
        method.DefineParameter(1, ParameterAttributes.None, "of");
        ILGenerator il = method.GetILGenerator();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_R8, 2.0);
        il.Emit(OpCodes.Div);
        il.Emit(OpCodes.Ret);
        type.CreateType().GetMethod("Half").Invoke(null, new object[] { 1.0 });
        Said.Made("double Made.At.RunTime.Half(double of)");
    }

    [DllImport("libc")]
    private static extern void qsort(int[] items, IntPtr count, IntPtr size, Compare compare);

    private static void Native()
    {
        Said.Here();
        qsort(new[] { 2, 1 }, (IntPtr)2, (IntPtr)4, ByValue);
    }

    private static int ByValue(IntPtr a, IntPtr b)
    {
        Said.Exactly("int Cases.RunTime.ByValue(nint a, nint b)");
        return 0;
    }
}
