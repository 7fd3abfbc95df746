using System.Collections.Generic;
using Lib;

namespace Plugin;

/// <summary>Uses types of `lib`.</summary>
public static class User
{
    /// <summary>Uses them.</summary>
    public static Box<Shared.Nested> Use()
    {
        var list = new List<Shared.Nested.Deep> { new Shared.Nested.Deep() };
        return new Box<Shared.Nested> { Value = new Shared.Nested { Value = list.Count } };
    }
}
