using System;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Text;

namespace Storm
{
    /// <summary>Contexts that are created, used and unloaded.</summary>
    internal sealed class Generations
    {
        private static readonly byte[] Zeros = Encoding.ASCII.GetBytes("00000000");

        private readonly byte[] plugin;

        internal Generations(string pluginPath)
        {
            plugin = File.ReadAllBytes(pluginPath);
        }

        private sealed class Context : AssemblyLoadContext
        {
            internal Context(int number)
                : base("generation " + number, isCollectible: true)
            {
            }

            protected override Assembly Load(AssemblyName name)
            {
                return null;
            }
        }

        /// <summary>Uses a generation to its end: the number of described calls, and the objects to be collected now.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal (int Calls, WeakReference Life) Use(int number)
        {
            int calls = Begin("Storm.Generations.Begin", number.ToString(), number);
            var context = new Context(number);
            string n = number.ToString("D8");
            Assembly assembly = context.LoadFromStream(new MemoryStream(Renamed(n)));
            Type type = assembly.GetType($"Plugin{n}.Gen{n}", throwOnError: true);
            var run = (Func<int, int>)type.GetMethod("Run").CreateDelegate(typeof(Func<int, int>));
            calls += run(number);
            calls += (int)type.GetMethod("Static").Invoke(null, Arguments(assembly, n, number)) == number ? 1 : 0;
            calls += Dynamic(n, number);
            if (number % 4 == 0)
                calls += Emitted(n, number);
            var life = new WeakReference(context, trackResurrection: true);
            context.Unload();
            return (calls, life);
        }

        /// <summary>From here on this thread is in this generation.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Begin(string expected, string value, int it)
        {
            return 1;
        }

        private static object[] Arguments(Assembly assembly, string n, int number)
        {
            Type type = assembly.GetType($"Plugin{n}.Part{n}", throwOnError: true);
            object part = Activator.CreateInstance(type);
            type.GetField("Number").SetValue(part, number);
            string value = $"{{\"type\":\"Plugin{n}.Part{n}\",\"fields\":{{\"Number\":{number},\"Text\":null}}}}";
            return new[] { $"Plugin{n}.Gen{n}.Static", value, part };
        }

        /// <summary>A method without a module. The profiler reports its name when it is compiled.</summary>
        private static int Dynamic(string n, int number)
        {
            var made = new DynamicMethod("Dyn" + n, typeof(int), new[] { typeof(int) });
            ILGenerator il = made.GetILGenerator();
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ret);
            if (((Func<int, int>)made.CreateDelegate(typeof(Func<int, int>)))(number) != number)
                throw new InvalidOperationException();
            return 0;
        }

        /// <summary>An assembly that is made at run time, and is collected when there is no reference to it.</summary>
        private static int Emitted(string n, int number)
        {
            AssemblyBuilder assembly =
                AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("emitted" + n), AssemblyBuilderAccess.RunAndCollect);
            TypeBuilder type = assembly.DefineDynamicModule("emitted").DefineType($"Plugin{n}.Emitted", TypeAttributes.Public);
            MethodBuilder method = type.DefineMethod("Run", MethodAttributes.Public | MethodAttributes.Static,
                typeof(int), new[] { typeof(string), typeof(string), typeof(int) });
            method.DefineParameter(1, ParameterAttributes.None, "expected");
            method.DefineParameter(2, ParameterAttributes.None, "value");
            method.DefineParameter(3, ParameterAttributes.None, "it");
            ILGenerator il = method.GetILGenerator();
            il.Emit(OpCodes.Ldarg_2);
            il.Emit(OpCodes.Ret);
            var run = (Func<string, string, int, int>)type.CreateType().GetMethod("Run")
                .CreateDelegate(typeof(Func<string, string, int, int>));
            return run($"Plugin{n}.Emitted.Run", number.ToString(), number) == number ? 1 : 0;
        }

        private byte[] Renamed(string n)
        {
            byte[] image = (byte[])plugin.Clone();
            byte[] digits = Encoding.ASCII.GetBytes(n);
            for (int at = 0; (at = Find(image, at)) >= 0; at += digits.Length)
                digits.CopyTo(image, at);
            return image;
        }

        private static int Find(byte[] image, int from)
        {
            int found = image.AsSpan(from).IndexOf(Zeros);
            return found < 0 ? -1 : from + found;
        }
    }
}
