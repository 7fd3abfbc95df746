using System;
using System.Collections.Generic;
using System.Reflection;
using Report;

namespace Cases;

/// <summary>Types, members and handles.</summary>
public static class Reflected
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

    /// <summary>Runs the group.</summary>
    public static void Run()
    {
        Call call = Self.Enter(null);
        Through.All(typeof(int), typeof(string));
        Through.All(typeof(Mixed), typeof(Things));
        Through.All(typeof(Dictionary<string, List<OfInt>>), typeof(int[,]));
        Through.All(typeof(GenericClass<int>.Nested<string>), typeof((int, string)));
        Through.All(typeof(List<>), typeof(Dictionary<,>));
        Through.All(typeof(int*), typeof(Small**));
        Through.All(typeof(IShape), typeof(OfInt?));
        Through.All<object>(typeof(object), typeof(void));
        Through.All<MethodBase>(typeof(Things).GetMethod("Method"), typeof(Things).GetConstructors()[0]);
        Through.All<MethodInfo>(typeof(List<string>).GetMethod("AddRange"), typeof(Things).GetMethod("Generic").MakeGenericMethod(typeof(int)));
        Through.All(typeof(Things).GetField("Number"), typeof(Base).GetField("hidden", Any));
        Through.All(typeof(Things).GetProperty("Text"), typeof(GenericClass<int>).GetProperty("Item"));
        Through.All(typeof(Things).GetEvent("Happened"));
        Through.All(typeof(Things).Module);
        Through.All(typeof(Wide).TypeHandle, typeof(List<int>).TypeHandle);
        Through.All(typeof(Things).GetMethod("Method").MethodHandle);
        Through.All(typeof(Things).GetField("Number").FieldHandle);
        Through.All(typeof(Things).Module.ModuleHandle);
        Through.All(new[] { typeof(int), null, typeof(Base) });
        Through.All(new Dictionary<Type, string> { [typeof(int)] = "int" });
        call.Leave();
    }
}
