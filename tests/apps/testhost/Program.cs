// Runs an assembly as a test host does: loaded into a context of its own, and started by reflection.
//
//   testhost ASSEMBLY context|collectible

using System;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace TestHost
{
    public static class Program
    {
        public static int Main(string[] args)
        {
            int result = Run(args[0], args[1] == "collectible", out WeakReference context);
            for (int i = 0; i < 20 && context.IsAlive && args[1] == "collectible"; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            return result;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static int Run(string path, bool isCollectible, out WeakReference reference)
        {
            var context = new Context(path, isCollectible);
            reference = new WeakReference(context);
            Assembly assembly = context.LoadFromAssemblyPath(path);
            MethodInfo main = assembly.EntryPoint;
            object[] arguments = main.GetParameters().Length == 0 ? null : new object[] { Array.Empty<string>() };
            object result = main.Invoke(null, arguments);
            if (isCollectible)
                context.Unload();
            return (int)result;
        }
    }

    internal sealed class Context : AssemblyLoadContext
    {
        private readonly string folder;

        public Context(string path, bool isCollectible)
            : base("tests", isCollectible)
        {
            folder = Path.GetDirectoryName(path);
        }

        protected override Assembly Load(AssemblyName name)
        {
            string path = Path.Combine(folder, name.Name + ".dll");
            return File.Exists(path) ? LoadFromAssemblyPath(path) : null;
        }
    }
}
