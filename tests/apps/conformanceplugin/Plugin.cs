namespace Plugin
{
    /// <summary>What the program loads, and has unloaded.</summary>
    public class TestClass
    {
        public int Number = 42;
    }
}
