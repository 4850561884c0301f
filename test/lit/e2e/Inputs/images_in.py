"""Lists the images of the fat binaries in a program's section .nv_fatbin: "elf sm_80", a line each.

The layout (magic 0xBA55ED50; entries with kind, header size, payload size, and the architecture at byte 28) is
what cuobjdump -lelf -lptx shows; that program is not part of every installation.
"""
import struct
import subprocess
import sys
import tempfile

with tempfile.NamedTemporaryFile() as section:
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.nv_fatbin", "--set-section-flags",
                    ".nv_fatbin=alloc", sys.argv[1], section.name], check=True)
    data = open(section.name, "rb").read()
at = 0
while (at := data.find(struct.pack("<I", 0xBA55ED50), at)) >= 0:
    head, size = struct.unpack_from("<HQ", data, at + 6)
    entry, end = at + head, at + head + size
    while entry < end:
        kind, _, entry_head, payload = struct.unpack_from("<HHIQ", data, entry)
        architecture = struct.unpack_from("<I", data, entry + 28)[0]
        print({1: "ptx", 2: "elf"}.get(kind, kind), "sm_%d" % architecture)
        entry += entry_head + payload
    at = end
