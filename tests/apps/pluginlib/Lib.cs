namespace Lib;

/// <summary>What plugins use.</summary>
public class Shared
{
    /// <summary>A nested type.</summary>
    public struct Nested
    {
        /// <summary>A value.</summary>
        public int Value;

        /// <summary>A type nested in that.</summary>
        public sealed class Deep
        {
        }
    }
}

/// <summary>A generic type.</summary>
public class Box<T>
{
    /// <summary>What is inside.</summary>
    public T Value;
}
