using System;
using System.Linq;
using System.Reflection;

/// Gets an attribute while the program runs.
internal sealed class Marked
{
}

/// The rows that the profiler has added to this module, as reflection resolves them.
internal static class Emitted
{
    public static void Run()
    {
        string[] answer = Live.Ask("emit");
        Module module = typeof(Emitted).Module;
        int Token(string name) => Live.Token(answer, "emit.token." + name);

        Live.Says("emit.string", module.ResolveString(Token("string")));
        Live.Says("emit.string.zero", module.ResolveString(Token("string.zero")));
        Live.Says("emit.typeref", module.ResolveType(Token("typeref")));
        Live.Says("emit.rows", module.ResolveType(Token("rows")));
        Live.Says("emit.rows.before", module.ResolveType(Token("rows.before")));
        Live.Says("emit.memberref", module.ResolveMethod(Token("memberref")));
        Live.Says("emit.typespec", module.ResolveType(Token("typespec")));
        Live.Says("emit.methodspec", module.ResolveMethod(Token("methodspec")));
        Live.Says("emit.signature", Tables.Convert(module.ResolveSignature(Token("signature"))));
        Live.Says("emit.imported.type", module.ResolveType(Token("imported.type")));
        Live.Says("emit.imported.method", module.ResolveMethod(Token("imported.method")));
        Live.Says("emit.attribute", CustomAttributeData.GetCustomAttributes(typeof(Marked)).Single());
    }
}
