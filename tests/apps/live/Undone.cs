/// The results of the methods that `corprof` does not wrap.
internal static class Undone
{
    public static void Run()
    {
        Live.Ask("undone");
        Live.Says("undone.DefineSecurityAttributeSet", "E_NOTIMPL (0x80004001)");
        Live.Says("undone.ApplyEditAndContinue", "E_INVALIDARG (0x80070057)");
        string[] deltas = { "GetDeltaSaveSize", "SaveDelta", "SaveDeltaToStream", "SaveDeltaToMemory", "ResetENCLog" };
        foreach (string name in deltas)
        {
            // META_E_NOT_IN_ENC_MODE.
            Live.Says("undone." + name, "0x801311D4");
        }
    }
}
