// What C# has since version 11: extension blocks, types of a file. `modern.dll` is this file, compiled by the compiler of .NET 11's SDK:
//     csc -target:library -optimize+ -deterministic -debug- -pathmap:.=/ -out:modern.dll modern.cs
// It is kept compiled so that the tests of the crate need neither a compiler nor a runtime.

using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Shop
{
    public struct Counter { public int Count; }

    public static class Extensions
    {
        extension(string text)
        {
            public int Vowels() { Func<char, bool> isVowel = c => "aeiou".Contains(c); int n = 0; foreach (char c in text) if (isVowel(c)) n++; return n; }
            public bool IsLong { get => text.Length > 5; }
            public static string Repeat(char c, int count = 2) => new string(c, count);
            public static int Limit { get => 5; set { } }
            public async Task<int> LaterAsync(int add) { await Task.Yield(); return text.Length + add; }
            public U Convert<U>(Func<string, U> how) => how(text);
        }

        extension(int number)
        {
            public int Vowels() => number;
            public bool IsLong => number > 5;
        }

        extension<T>(List<T> list) where T : class
        {
            public T FirstOr(T other) => list.Count > 0 ? list[0] : other;
            public U Map<U>(Func<T, U> how) => how(list[0]);
            public static List<T> operator -(List<T> left, T right) { left.Remove(right); return left; }
            public IEnumerable<T> Each() { foreach (T item in list) yield return item; }
        }

        extension(ref Counter counter) { public void Bump(int by) => counter.Count += by; }
        extension(in Counter counter) { public int Peek() => counter.Count; }
        extension((int, string Name) pair) { public string Second() => pair.Name; }
        extension(DateTime) { public static DateTime Birthday => default; }

        public static int Old(this string text) => text.Length;
        public static int Plain(string text) => text.Length;
    }

    file class Hidden { public int Run() => 1; public class Inner { public int Run() => 2; } }
    file class Hidden<T> { public T Run(T it) => it; }
    public static class Program { public static int Main() => new Hidden().Run() + new Hidden.Inner().Run() + new Hidden<int>().Run(3); }
}
