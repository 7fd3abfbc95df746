namespace Storm
{
    // Methods whose first two parameters are `expected` and `value` get their own name, and the third
    // parameter as JSON. The profiler compares its results with these.

    /// <summary>Generic methods of the program, which are called with collectible types.</summary>
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
