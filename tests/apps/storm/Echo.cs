namespace Storm
{
    // Methods whose first two parameters are `expected` and `value` say what they are called, and what the third
    // parameter is as JSON. The profiler holds what it finds against that.

    /// <summary>Generic methods of the program, which are called with types that go away.</summary>
    public static class Echo
    {
        public static T Of<T>(string expected, string value, T it)
        {
            return it;
        }
    }

    /// <summary>The same in a generic type.</summary>
    public sealed class Keep<T>
    {
        private T kept;

        public T Put(string expected, string value, T it)
        {
            kept = it;
            return kept;
        }
    }
}
