#!/bin/sh
# Runs a .NET program with the profiler of this package: profile.sh dotnet app.dll
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
case $(uname -s) in
    Darwin) system=osx ;;
    *) system=linux ;;
esac
# A loader of musl, and none of glibc.
if [ "$system" = linux ] && ls /lib/ld-musl-* >/dev/null 2>&1 && ! ls /lib*/ld-linux-* >/dev/null 2>&1; then
    system=linux-musl
fi
case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) machine=$(uname -m) ;;
esac
case $system-$machine in
@CASES@    *)
        echo "this package has no profiler for $system-$machine; it has: @RIDS@" >&2
        exit 1
        ;;
esac
# .NET 11 reads the second prefix.
export CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER="$clsid" CORECLR_PROFILER_PATH="$library"
export DOTNET_ENABLE_PROFILING=1 DOTNET_PROFILER="$clsid" DOTNET_PROFILER_PATH="$library"
exec "$@"
