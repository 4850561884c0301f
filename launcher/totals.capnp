# The line of JSON that a process appends to the file which CUPR_SUMMARY names (hostlib/trace/summary.h), as
# far as it is read here.
@0xd0b7a3f45f1c92e6;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cupr::launcher::schema");

struct Totals {
  format @0 :Text;
  version @1 :UInt32;
  program @2 :Text;
  pid @3 :UInt64;
  launches @4 :UInt64;
  traced @5 :UInt64;
  records @6 :UInt64;
  accesses @7 :UInt64;
  accessBytes @8 :UInt64;
  forms @9 :Forms;
}

# A field for each abi::RecordForm.
struct Forms {
  affine @0 :Form;
  rows @1 :Form;
  offset32 @2 :Form;
  raw @3 :Form;
  range @4 :Form;
}

struct Form {
  records @0 :UInt64;
  accesses @1 :UInt64;
}
