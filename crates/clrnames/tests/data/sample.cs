// A little of everything that names are made of. `sample.dll` is this file, compiled by
//     cargo xtask compile --library --runtime 3.1 -o crates/clrnames/tests/data/sample.dll crates/clrnames/tests/data/sample.cs
// It is kept compiled so that the tests of the crate need neither a compiler nor a runtime.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Shop
{
    [Flags]
    public enum Opt { None = 0, A = 1, B = 2, C = 4 }

    public interface IHolds<T> { bool Take(T item); }

    public struct Money
    {
        public decimal Amount;
        public static Money operator +(Money a, Money b) => new Money { Amount = a.Amount + b.Amount };
        public static implicit operator decimal(Money money) => money.Amount;
    }

    public class Cart<T> : IHolds<T>, IEnumerable<T>
    {
        private readonly List<T> items = new List<T>();

        static Cart() { }

        public Cart(int size) { Size = size; }

        ~Cart() { }

        public int Size { get; private set; }

        public T this[int index] { get => items[index]; set => items[index] = value; }

        public event Action<(T Item, int Count)> Changed;

        public bool Add<U>(string name, ref int count, in U unit, out T[][,] all, int limit = 5, Opt opt = Opt.A | Opt.C, params object[] rest)
        {
            bool Check(int value) => value > limit + rest.Length;
            all = null;
            Func<int, bool> later = value => Check(value);
            Changed?.Invoke(default);
            return later(count++);
        }

        bool IHolds<T>.Take(T item) => true;

        public IEnumerator<T> GetEnumerator()
        {
            foreach (T item in items)
                yield return item;
        }

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        public async Task<dynamic> Load(int? count, double price = 1e17, string text = "a\"b")
        {
            await Task.Yield();
            return count;
        }

        public unsafe void* Raw(int* place) => place;

        public struct Line<V>
        {
            public (T First, V Second, (int a, int b) Both) Of(V value) => default;
        }
    }
}
