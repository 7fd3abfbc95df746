using System;
using System.Collections.Generic;
using Storm;

// The eight zeros are replaced by the number of the generation before the assembly is loaded, wherever they occur in
// names: each generation has names of its own. Strings are not replaced: the expected name is built with a number.
namespace Plugin00000000
{
    public struct Part00000000
    {
        public int Number;
        public string Text;
    }

    public sealed class Gen00000000
    {
        public int Number;

        public static int Static(string expected, string value, Part00000000 it)
        {
            return it.Number + expected.Length - expected.Length;
        }

        public int Instance(string expected, string value, Gen00000000 it)
        {
            return it.Number == Number ? Number : -1;
        }

        public static class Inner<T>
        {
            public static int Go<U>(string expected, string value, U it)
            {
                return it is Part00000000 part ? part.Number : ((Gen00000000)(object)it).Number;
            }
        }

        /// <summary>Calls all methods, in different orders, and counts the described calls.</summary>
        public static int Run(int number)
        {
            string n = number.ToString("D8");
            string part = $"Plugin{n}.Part{n}", gen = $"Plugin{n}.Gen{n}";
            if (typeof(Gen00000000).FullName != gen)
                throw new InvalidOperationException($"{typeof(Gen00000000)} is not {gen}");
            var struct1 = new Part00000000 { Number = number, Text = "t" + n };
            var object1 = new Gen00000000 { Number = number };
            string structText = $"{{\"type\":\"{part}\",\"fields\":{{\"Number\":{number},\"Text\":\"t{n}\"}}}}";
            string objectText = $"{{\"type\":\"{gen}\",\"fields\":{{\"Number\":{number}}}}}";
            int sum = 0, calls = 0;
            for (int turn = 0; turn < 3; turn++)
            {
                sum += Static($"{gen}.Static", structText, struct1);
                sum += object1.Instance($"{gen}.Instance", objectText, object1);
                sum += Inner<string>.Go($"{gen}.Inner<string>.Go<{part}>", structText, struct1);
                sum += Inner<Gen00000000>.Go($"{gen}.Inner<{gen}>.Go<{gen}>", objectText, object1);
                // Of the program, which is not unloaded: own code for a struct, shared code for a class.
                Part00000000 part2 = Echo.Of($"Storm.Echo.Of<{part}>", structText, struct1);
                sum += part2.Number;
                sum += Echo.Of($"Storm.Echo.Of<{gen}>", objectText, object1).Number;
                sum += new Keep<Part00000000>().Put($"Storm.Keep<{part}>.Put", structText, struct1).Number;
                sum += new Keep<Gen00000000>().Put($"Storm.Keep<{gen}>.Put", objectText, object1).Number;
                calls += 8;
                // Of the framework: instantiations that are unloaded with the plugin.
                var parts = new List<Part00000000> { struct1, struct1 };
                var named = new Dictionary<string, Part00000000> { [n] = struct1 };
                sum += parts[1].Number + named[n].Number - 2 * number;
            }
            if (sum != calls * number)
                throw new InvalidOperationException($"{sum} instead of {calls} times {number}");
            return calls;
        }
    }
}
