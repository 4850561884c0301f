# Tests in LLVM's IR (.ll) hold words for what devicelib/abi defines, so that none has a copy of it:
#
#     %{trace_type}      the definition of the trace argument's type (trace_argument.h), as clang writes it
#     __cupr_..._vN      a versioned name: N is CUPR_ABI_VERSION (version.h)
#
# Such a test runs as a copy with these filled in, line by line the same; `%s` and the lines of FileCheck are the
# copy's.
import os
import re
import subprocess

import lit.formats

CONTRACT = """
#include "devicelib/abi/trace_argument.h"
#include "devicelib/abi/version.h"
extern "C" int version = CUPR_ABI_VERSION;
extern "C" unsigned long long launchOf(cupr::Trace *trace) { return trace[1].launch; }
"""


def contract(source_root):
    """The type's definition and the version, by the compiler."""
    ir = subprocess.run(
        ["clang++-22", "-x", "c++", "-std=c++20", "-I" + source_root, "-S", "-emit-llvm", "-o", "-", "-"],
        input=CONTRACT, capture_output=True, text=True, check=True).stdout
    trace = re.search(r'^%"struct\.cupr::argument::Trace" = type .*$', ir, re.MULTILINE).group()
    version = re.search(r"^@version = .*global i32 (\d+)", ir, re.MULTILINE).group(1)
    return trace, version


class ContractTest(lit.formats.ShTest):
    def __init__(self, config):
        super().__init__(execute_external=True)
        self.trace, self.version = contract(config.source_root)

    def execute(self, test, lit_config):
        source = test.getSourcePath()
        if not source.endswith(".ll"):
            return super().execute(test, lit_config)
        with open(source) as file:
            text = file.read()
        text = text.replace("%{trace_type}", self.trace)
        text = re.sub(r"\b(__cupr_\w+_v)N\b", r"\g<1>" + self.version, text)
        copy = test.getExecPath()
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(copy, "w") as file:
            file.write(text)
        test.getSourcePath = lambda: copy
        try:
            return super().execute(test, lit_config)
        finally:
            del test.getSourcePath  # the test goes back to another process
