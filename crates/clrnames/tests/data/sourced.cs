// Methods whose lines, scopes and state machines `tests/pdb.rs` compares with what `sourced.pdb` says. The PDB was written by
// the C# compiler with `-debug:portable`, from this file as /shop/sourced.cs, and is kept so that the tests need neither a
// compiler nor a runtime.

using System.Threading.Tasks;

namespace Shop
{
    public static class Till
    {
        public static int Sum(int count)
        {
            int sum = 0;
            for (int i = 0; i < count; i++)
            {
                int square = i * i;
                sum += square;
            }
#line hidden
            sum++;
#line 100 "elsewhere.cs"
            return sum;
#line default
        }

        public static async Task<int> Later(int count)
        {
            const string Greeting = "hello";
            await Task.Yield();
            return Sum(count) + Greeting.Length;
        }
    }
}
