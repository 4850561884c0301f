# The trace file of one process. (Long: it is all of the format.)
#
# The file is a run of frames, nothing else, only ever appended to. A frame is 24 bytes,
# little endian, and then its payload, one Message in Cap'n Proto's stream framing:
#
#     u32 magic "CUPR" | u32 payload length in 8-byte words | u64 message number, from 0 | u64 check
#
#     check = XXH3-64 of the first 16 bytes of the frame, seeded with the XXH3-64 of the payload
#
# What "must" says is checked by Reader (what concerns one message) and by Verifier (what
# concerns several); a file that breaks it is damaged. A file that ends in the middle of a frame,
# or without an `end`, is truncated: all its whole messages are good.
#
# Order: `header` must be first and `end` last. A module must come before the launches that name
# it, a launch before its chunks, its chunks before its launchEnd. A traced launch must have a
# launchEnd; one that is not traced may, unless it is of an ActBatch. Apart from that, messages stand
# in the order in which the process delivered them; `order` tells the order of the host's calls.
# Numbers of launches must be those from 1 on, without gaps, unless the header says that launches are left out.
#
# Compatibility: fields are only added, at the end, and readers give defaults for what an older
# file has not got. kFormatVersion (message.h) grows when an old reader would misunderstand a
# new file.
@0xab07d8a9e63969c0;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cupr::trace::schema");

struct Message {
  union {
    header @0 :Header;  # first
    module @1 :Module;  # before its first launch
    launch @2 :Launch;  # at the launch call
    chunk @3 :Chunk;  # records of one launch, while it runs
    launchEnd @4 :LaunchEnd;  # when all records of a launch have arrived
    allocation @5 :Allocation;  # at the call, as the next four
    free @6 :Free;
    copy @7 :Copy;
    set @8 :Set;
    synchronisation @9 :Synchronisation;
    end @10 :End;  # last
    acts @11 :ActBatch;  # when there are many, or the process ends
    contents @12 :Contents;  # before the first snapshot that names it
    snapshot @13 :Snapshot;  # before the end of the first launch that names it
    imageObject @14 :ImageObject;  # at the call
    host @15 :HostBatch;  # when there is much, and when the process ends
  }
}

struct Header {
  formatVersion @0 :UInt32;
  # Must not be 0, nor greater than what the reader knows.
  abiVersion @1 :UInt32;
  # CUPR_ABI_VERSION of the writer: the version of the records.
  process @2 :Process;
  leavesOut @3 :Bool;
  # Launches that are not traced are not in the file (CUPR_UNTRACED). Their numbers, and those of their `order`, are
  # what is missing in it.
  hostAccesses @4 :Bool;
  # Host code tells of its accesses: HostBatch.accesses has those that were made while there was work that the host had not waited for.
}

struct Process {
  program @0 :Text;  # path of the executable
  arguments @1 :List(Text);  # argv
  pid @2 :UInt64;
  deviceKind @3 :Text;
  # Must be "gpu" or "cpu".
  deviceName @4 :Text;  # as the CUDA runtime calls it
  startTime @5 :UInt64;
  # Nanoseconds since the epoch. Every other time in the file counts from here.
}

# What the pass knew of one device module (devicelib/abi/site_table.h, taken apart).
struct Module {
  id @0 :UInt32;
  # Must count up from 0 in the file.
  sites @1 :List(Site);
  # A record's site number is an index in this list.
  frames @2 :List(Frame);
  sources @3 :List(Source);
  strings @4 :List(Text);
  # Must hold the empty string at index 0. Fields marked "string" are indices in it and must be
  # in range.
  slices @5 :List(Slice);
  # Of kernels whose accesses launches determine.
  recorded @6 :UInt16;
  # What it was built to record, where it has any: bit 0 synchronisation, from bit 1 on kinds of memory (devicelib/abi/site_table.h,
  # kRecords...); 0: not known.
}

# What of a kernel decides which accesses its threads make (devicelib/abi/slice.h, whose rules it must keep).
struct Slice {
  kernel @0 :UInt32;  # string: mangled name
  blockSite @1 :UInt32;
  # Index in Module.sites, which must be in range: a record of that site says that a block has begun, and is no access.
  registers @2 :UInt32;
  inputs @3 :Data;  # 12 bytes each
  constants @4 :List(UInt64);
  code @5 :Data;  # instructions of 12 bytes each
}

struct Site {
  file @0 :UInt32;      # string
  line @1 :UInt32;      # from 1; 0: unknown
  column @2 :UInt32;    # from 1; 0: unknown
  function @3 :UInt32;  # string
  type @4 :UInt32;      # string
  bytes @5 :UInt32;     # per thread; 0 where the records say it (form Range)
  frame @6 :UInt32 = 0xffffffff;
  # The call of `function`: index in Module.frames, which must be in range, or 0xffffffff: it is a kernel, or in traces from before
  # calls were noted, not inlined.
  operation @7 :UInt8;
  # abi::Operation; must be one of its values. Records of synchronisation and of instructions are no accesses: they are in no counts, and
  # what stands for the address is said in devicelib/abi/operation.def. Of instructions `name` says how many there are of which class:
  # `class=count`, with blanks between.
  space @8 :UInt8;
  # abi::SpaceVerdict; must be one of its values. What the addresses mean depends on it
  # (devicelib/abi/memory_space.h).
  flags @9 :UInt16;
  # Of devicelib/abi/site_table.h.
  order @10 :UInt8;
  # abi::MemoryOrder; must be one of its values.
  scope @11 :UInt8;
  # abi::MemoryScope; must be one of its values.
  sourceType @12 :UInt32;
  # string: the C++ type of the object that is accessed, as `type` is LLVM's; of a variable that of its (innermost arrays') elements;
  # empty: unknown.
  layout @13 :UInt32;
  # string: what the bytes of sourceType mean, as devicelib/abi/access_types.h has it; empty: its name says it, or it is unknown.
  name @14 :UInt32;     # string: of a variable; of textures and surfaces the instruction
  elementBytes @15 :UInt16;
  # Of a variable: of the elements of an array, of the innermost arrays where it is one of arrays.
}

struct Frame {
  file @0 :UInt32;      # string
  line @1 :UInt32;
  column @2 :UInt32;
  function @3 :UInt32;  # string
  parent @4 :UInt32 = 0xffffffff;
  # Index in Module.frames, or 0xffffffff. Must not lead back to this frame.
  kind @5 :UInt8;
  # abi::FrameKind; must be one of its values.
}

struct Source {
  path @0 :UInt32;      # string
  textBytes @1 :UInt32;
  packed @2 :Data;
  # zstd; must unpack to textBytes bytes. Empty: the text could not be read.
}

struct Dim3 {
  x @0 :UInt32;
  y @1 :UInt32;
  z @2 :UInt32;
}

# Whether a stream waits for the legacy default stream, and it for that one.
enum StreamKind {
  unknown @0;  # the trace is from before kinds were recorded
  legacy @1;  # the legacy default stream itself
  blocking @2;
  nonBlocking @3;
}

# Where in a launch of a CUDA graph a launch, copy or set stands. Acts of one graph's launch run one after the other only
# where `after` says so; that launch begins when its stream gets there, and the stream goes on when all its acts are done.
struct GraphPlace {
  graph @0 :UInt64;  # number of the graph's launch, from 1; 0: not of a graph
  node @1 :UInt32;  # number of the node, in an order in which the nodes may run
  after @2 :List(UInt32);
  # Nodes that it waits for; must ascend and be below its own.
}

struct Launch {
  id @0 :UInt64;
  # From 1; must not occur twice.
  order @1 :UInt64;  # among launches, copies, sets and synchronisations of the host
  kernel @2 :Text;  # demangled, with parameters
  mangled @3 :Text;
  grid @4 :Dim3;
  # The numbers of grid and block must not be 0.
  block @5 :Dim3;
  dynamicShared @6 :UInt32;  # bytes
  stream @7 :UInt64;  # never reused: cudaStreamGetId
  device @8 :UInt32;  # index
  module @9 :UInt32 = 0xffffffff;
  # Module.id of an earlier message, or 0xffffffff. A traced launch must have one.
  traced @10 :Bool;  # its accesses are recorded
  reason @11 :Text;  # why not; empty if traced
  file @12 :Text;  # of the launch in the source; empty: unknown
  line @13 :UInt32;
  time @14 :UInt64;  # of the call
  ctaFirst @15 :UInt64;
  # Recorded are the blocks whose linear number n has ctaFirst <= n < ctaEnd and is divisible by ctaPeriod.
  ctaEnd @16 :UInt64 = 0xffffffffffffffff;
  ctaPeriod @17 :UInt64 = 1;
  streamKind @18 :StreamKind;
  place @19 :GraphPlace;
  slice @20 :UInt32 = 0xffffffff;
  # Index in the module's slices, which must be in range: the launch's accesses are not in its records, but what this slice gives for
  # each block of which there is a record at its blockSite. Those must be all that are recorded if the launch is complete; if
  # it is not, nothing is known of its accesses. 0xffffffff: accesses are in the records.
  sliceValues @21 :List(UInt64);
  # Of those inputs of the slice that are parameters or addresses of variables, in their order; must be as many. Where a shared
  # variable lies is in a record at its site, among those of the blocks.
  values @22 :Bool;
  # Records at sites with the flags kSiteValues, kSiteClock and kSiteDuration have values, clocks and durations, in the chunks' `values`.
  staticShared @23 :UInt32;  # bytes of a block, of the plain kernel, whatever the traced variant takes
  registers @24 :UInt32;  # of a thread, likewise; 0: not known
  timed @25 :UInt8;
  # abi::LatencyScheme; must be one of its values. Not None: the kernel's timed variant ran, and its records are at sites with kSiteDuration;
  # it must be traced, and must not have a slice.
  stageBytes @26 :UInt32;
  # In which each warp of a timed launch gathered its records (devicelib/abi/stage.h); 0: they went to the queue one by one.
  clusterX @27 :UInt32;
  # Blocks of a cluster; 1 in all three: there are no clusters. 0 in all three: it is not known, as of launches that are not traced, and of
  # traces from before: then addresses in shared memory don't say of which block's it is. Else one of another block's has 1 and
  # that block's rank above its lowest 24 bits, which are the offset there (devicelib/abi/cluster_address.h). Not 0: each must
  # divide the number of the grid, and all three must be at most 16 blocks together.
  clusterY @28 :UInt32;
  clusterZ @29 :UInt32;
}

# How the words of a chunk are laid out before zstd packs them.
enum Encoding {
  words @0;
  # The 16-byte words of devicelib/abi/record_head.h as they are.
  columns @1;
  # One column per field, each predicted from the site's earlier records (columns.h). Written by format 2 and before.
  warps @2;
  # One column per field, each predicted from the warp's earlier records (warp_columns.h).
  blocks @3;
  # Which blocks of a launch began, on which multiprocessors (block_columns.h).
}

struct ChannelShare {
  channel @0 :UInt32;
  records @1 :UInt32;
}

# Records of one launch, in their order by channel (a bin of the queue, a worker thread). A chunk holds one
# channel's records, or, at the end of a launch, what is left of several, one behind the other.
struct Chunk {
  launch @0 :UInt64;
  channel @1 :UInt32;
  # Of the first record.
  sequence @2 :UInt64;
  # Must count up from 0 within a launch, in the order of the file.
  records @3 :UInt32;
  # Must be the number of records in it, and not 0.
  words @4 :UInt32;
  # 16-byte words after unpacking; must not exceed 65536. Whole records, no pads, generation 0.
  encoding @5 :Encoding;
  encodedBytes @6 :UInt32;
  # What zstd unpacks to; with `encoding` words it must be 16 * words.
  packed @7 :Data;
  # One zstd frame; with `encoding` warps the dense addresses follow it.
  hash @8 :UInt64;
  # XXH3-64 of the decoded words.
  shares @9 :List(ChannelShare);
  # Empty: all records are of `channel`. Else which channels the records are of, in their order; the
  # numbers of records must add up to `records`.
  values @10 :ChunkValues;
  # What the accesses read and wrote; null: they are of no launch with values, or all at sites without.
}

# The value records (devicelib/abi/value_record.h) of a chunk, in the order of its records: for each record at a site with the flag
# kSiteValues so many as its operation and its size ask for, one more with kSiteClock, one more with kSiteDuration, for others none.
struct ChunkValues {
  words @0 :UInt32;
  # 16-byte words after unpacking; must be neither 0 nor more than 131072.
  encodedBytes @1 :UInt32;
  # What zstd unpacks to: columns, as hostlib/trace/value_columns.h lays them out.
  packed @2 :Data;  # one zstd frame
  hash @3 :UInt64;
  # XXH3-64 of the words.
}

# Counts are per thread, not per warp.
struct Counts {
  loads @0 :UInt64;
  stores @1 :UInt64;
  atomics @2 :UInt64;
  loadBytes @3 :UInt64;
  storeBytes @4 :UInt64;
  atomicBytes @5 :UInt64;
}

# How often threads made the access of a site.
struct SiteCount {
  site @0 :UInt32;
  # Index in Module.sites of the launch's module.
  accesses @1 :UInt64;
  # Must not be 0.
}

struct LaunchEnd {
  id @0 :UInt64;
  complete @1 :Bool;
  # All records that the device made are in the file.
  reason @2 :Text;  # why not, or that the launch failed
  waits @3 :UInt64;  # times that a warp waited for space
  time @4 :UInt64;  # when all records had arrived
  deliveredWords @5 :UInt64;
  # What the runtime says it handed over.
  records @6 :UInt64;
  # These four must equal what the launch's chunks hold.
  words @7 :UInt64;
  chunks @8 :UInt64;
  counts @9 :Counts;
  # Of accesses to global memory.
  shared @10 :Counts;
  constant @11 :Counts;
  local @12 :Counts;
  dropped @13 :UInt64;  # accesses of threads that are not recorded, since the record buffer was full (CUPR_FULL=drop)
  counted @14 :Bool;  # the device has counted the accesses beside recording them (CUPR_COUNT)
  siteCounts @15 :List(SiteCount);
  # Accesses of threads by site, as counted; sites must ascend. What is recorded and `dropped` add up to it.
  began @16 :UInt64;  # on the device: when its first block began; 0: not known
  ended @17 :UInt64;  # on the device: not before its last block had ended; 0: not known
  snapshots @18 :List(UInt32);
  # Snapshot.id of earlier messages: what the launch's slice may look up. It was there from the launch's beginning to its end.
  texture @19 :Counts;  # of textures and surfaces
  evictedPages @20 :UInt64;
  # Pages with records of the launch that warps had to copy to the host, since the driver was held and could not.
}

# What a piece of memory held.
struct Contents {
  id @0 :UInt32;
  # Must count up from 0 in the file.
  bytes @1 :UInt32;
  # Must not be 0 nor exceed 65536.
  packed @2 :Data;
  # One zstd frame; must unpack to `bytes` bytes.
  hash @3 :UInt64;
  # XXH3-64 of the bytes.
  differences @4 :Bool;
  # What is packed are not the bytes, but, with the bytes taken as little-endian numbers of 4, the difference of each from the one
  # before it (the first from 0), modulo 2^32: the lowest byte of each, then the next, and so on. What does not fill a number follows.
}

# What a range of memory held when launches began that name it.
struct Snapshot {
  id @0 :UInt32;
  # Must count up from 0 in the file.
  address @1 :UInt64;
  bytes @2 :UInt64;
  # Must not be 0 nor exceed 2^32.
  pieces @3 :List(UInt32);
  # Contents.id of earlier messages, one for each 65536 bytes from the address on; theirs must be as many bytes, but for the last
  # piece, which must end with the range.
}

enum MemoryKind {
  device @0;
  managed @1;
  host @2;
  pitched @3;
  array @4;
  pool @5;
  symbol @6;
}

struct Allocation {
  address @0 :UInt64;  # of an array: its handle, which no access has
  bytes @1 :UInt64;
  kind @2 :MemoryKind;
  call @3 :Text;
  # That made it: "cudaMalloc"; "__device__" for a symbol; "found": a kernel got it, and no call told of it.
  name @4 :Text;  # of the variable, as in the source, where known
  order @5 :UInt64;
  time @6 :UInt64;
  type @7 :Text;  # of the elements, as in the source, where known
  file @8 :Text;  # of the call, or of the declaration of a variable, in the source; empty: unknown
  line @9 :UInt32;
  column @10 :UInt32;
}

# Of an address where nothing is allocated: the call has failed.
struct Free {
  address @0 :UInt64;  # as in the allocation
  call @1 :Text;  # that freed it
  order @2 :UInt64;
  time @3 :UInt64;
}

enum ImageKind {
  texture @0;
  surface @1;
}

enum ImageResource {
  array @0;
  mipmappedArray @1;
  linear @2;
  pitched @3;
}

# A texture object or a surface object, which accesses of the space texture have for an address: what it reads. It lives until its
# handle, of the same kind, is destroyed or made again.
struct ImageObject {
  kind @0 :ImageKind;
  object @1 :UInt64;  # handle
  call @2 :Text;  # "cudaCreateTextureObject"
  resource @3 :ImageResource;
  memory @4 :UInt64;
  # Of an array: its handle, as in its allocation. Else the first byte, which may lie inside an allocation.
  bytes @5 :UInt64;  # of linear and pitched memory; of arrays 0
  rowBytes @6 :UInt64;  # of pitched memory
  format @7 :Text;
  # Of a texel, as memory holds it: a letter as of PTX's types, bits of a channel, and, of several channels, how many: f32, u8x4.
  # "other": compressed, planar or normalised ones. Empty: not known.
  width @8 :UInt64;  # in texels, of the first level; 0: not known
  height @9 :UInt64;  # 0: one row
  depth @10 :UInt64;  # slices, layers, faces; 0: one
  order @11 :UInt64;
  time @12 :UInt64;
  destroyed @13 :Bool;
  # The call destroyed it. What stands between call and order, then says nothing.
}

enum CopyKind {
  hostToHost @0;
  hostToDevice @1;
  deviceToHost @2;
  deviceToDevice @3;
}

struct Copy {
  destination @0 :UInt64;
  source @1 :UInt64;
  rowBytes @2 :UInt64;
  rows @3 :UInt64;  # 1 for a plain copy
  destinationPitch @4 :UInt64;
  sourcePitch @5 :UInt64;
  kind @6 :CopyKind;
  asynchronous @7 :Bool;  # the call may return before the copy is done
  stream @8 :UInt64;
  order @9 :UInt64;
  time @10 :UInt64;
  streamKind @11 :StreamKind;
  place @12 :GraphPlace;
  sameAs @13 :UInt64;  # order of an earlier copy from the host that brought the same bytes to the same place; 0: none is known
}

struct Set {
  destination @0 :UInt64;
  rowBytes @1 :UInt64;
  rows @2 :UInt64;  # 1 for a plain set
  pitch @3 :UInt64;
  asynchronous @4 :Bool;  # the call may return before it is done
  stream @5 :UInt64;
  order @6 :UInt64;
  time @7 :UInt64;
  streamKind @8 :StreamKind;
  place @9 :GraphPlace;
}

struct Synchronisation {
  enum Kind {
    device @0;
    stream @1;
    event @2;
    eventRecord @3;
    streamWaitEvent @4;
  }
  kind @0 :Kind;
  stream @1 :UInt64;
  event @2 :UInt64;
  order @3 :UInt64;
  time @4 :UInt64;
  streamKind @5 :StreamKind;
}

# Acts of the host that no record depends on, many in one message: launches that are not traced, allocations and frees.
# What is the same of many stands once. There must be an act, and not more than 1024; texts, where each act is written
# out with its own, must not be longer than 262144 bytes together.
struct ActBatch {
  firstLaunch @0 :UInt64;
  # From 1. Numbers of launches count from here.
  firstOrder @1 :UInt64;  # orders count from here
  kernels @2 :List(BatchKernel);
  streams @3 :List(BatchStream);
  calls @4 :List(Text);  # that allocated or freed
  launches @5 :List(BatchLaunch);
  # Their numbers must ascend.
  allocations @6 :List(BatchAllocation);
  frees @7 :List(BatchFree);
  firstGraph @8 :UInt64;  # numbers of graphs' launches count from here
  nodes @9 :List(BatchNode);  # of graphs
  graphs @10 :List(UInt32);
  # Empty, or for each of `launches`, in their order: 0, or 1 and the number of its graph's launch, less firstGraph.
  places @11 :List(UInt16);
  # As long as `graphs`. Index in nodes, which must be in range where the launch is of a graph.
  allocationPlaces @12 :List(BatchPlace);
  # Of allocations.
  placesOfAllocations @13 :List(UInt16);
  # Empty, or for each of `allocations`, in their order: 0: its place is not known, or 1 and its index in allocationPlaces, which
  # must be in range.
}

# As the fields of GraphPlace.
struct BatchNode {
  node @0 :UInt32;
  after @1 :List(UInt32);
  # Must ascend and be below `node`.
}

# As the fields of Launch.
struct BatchKernel {
  kernel @0 :Text;
  mangled @1 :Text;
  reason @2 :Text;
  file @3 :Text;
  line @4 :UInt32;
  module @5 :UInt32 = 0xffffffff;
}

# As the fields of Launch.
struct BatchStream {
  stream @0 :UInt64;
  streamKind @1 :StreamKind;
  device @2 :UInt32;
}

# A launch that is not traced, and has no end. What is not said here is as Launch's default.
struct BatchLaunch {
  number @0 :UInt32;  # id, less firstLaunch
  order @1 :UInt32;  # less firstOrder
  time @2 :UInt64;
  kernel @3 :UInt16;
  # Index in ActBatch.kernels, which must be in range.
  stream @4 :UInt16;
  # Index in ActBatch.streams, which must be in range.
  dynamicShared @5 :UInt32;
  gridX @6 :UInt32;
  # The numbers of grid and block must not be 0.
  gridY @7 :UInt32;
  gridZ @8 :UInt32;
  blockX @9 :UInt32;
  blockY @10 :UInt32;
  blockZ @11 :UInt32;
}

# As the fields of Allocation.
struct BatchPlace {
  name @0 :Text;
  type @1 :Text;
  file @2 :Text;
  line @3 :UInt32;
  column @4 :UInt32;
}

# As Allocation.
struct BatchAllocation {
  address @0 :UInt64;
  bytes @1 :UInt64;
  order @2 :UInt32;  # less firstOrder
  kind @3 :MemoryKind;
  call @4 :UInt16;
  # Index in ActBatch.calls, which must be in range.
  time @5 :UInt64;
}

# As Free.
struct BatchFree {
  address @0 :UInt64;
  time @1 :UInt64;
  order @2 :UInt32;  # less firstOrder
  call @3 :UInt16;
  # Index in ActBatch.calls, which must be in range.
}

# What the program's threads did: calls of the CUDA API, where they came from and how long they took, and samples of where the
# threads spent processor time. Rows are those of hostlib/trace/host_batch.h, which says what they mean, and name each other by index.
# Indices count over all of these messages, from 0. What is named must be in this message or in an earlier one; the parent of a node must be
# an earlier node. Rows and names of a kind must not be more than 65536.
struct HostBatch {
  firstName @0 :UInt64;
  # These five must be as many as there are of the kind in the messages before.
  firstObject @1 :UInt64;
  firstThread @2 :UInt64;
  firstNode @3 :UInt64;
  firstCall @4 :UInt64;
  names @5 :List(Text);  # of functions of the CUDA API
  objects @6 :List(HostObject);
  threads @7 :List(HostThread);
  samplings @8 :List(HostSampling);
  nodes @9 :UInt32;  # rows, as the next five
  calls @10 :UInt32;
  acts @11 :UInt32;
  samples @12 :UInt32;
  places @13 :UInt32;
  frames @14 :UInt32;
  # Of the places; must be as many as these say that they have.
  texts @15 :UInt32;
  # Of frames; must not be more than two for each of these.
  textBytes @16 :UInt32;
  # Must not exceed 1048576; nor must texts be longer together when each frame is written out with its own.
  encodedBytes @17 :UInt32;
  # What zstd unpacks to: columns, as hostlib/trace/packed_host.h lays them out, which must be as long as the rows need.
  packed @18 :Data;  # one zstd frame
  hash @19 :UInt64;
  # XXH3-64 of what it unpacks to.
  loopFiles @20 :List(Text);
  # Must not be more than 65536.
  loops @21 :List(SourceLoop);
  # Likewise. The names of their files must not be longer than 1048576 bytes together when each is written out with its own.
  failures @22 :List(HostFailure);
  # When the process ends. Must not be more than 65536.
  accesses @23 :List(HostAccess);
  # Must not be more than 65536.
}

enum LoopKind {
  function @0;
  for @1;
  while @2;
  do @3;
  rangeFor @4;
  entry @5;
}

# A loop of the source of host or device, or what bounds one, that holds places of frames (devicelib/abi/source_loops.h). A loop may stand
# there several times; files of one name may differ from unit to unit, and so loops need not lie within each other.
struct SourceLoop {
  kind @0 :LoopKind;
  # function: no loop, but a function within others: what it holds lies in none of the loops around it. entry: no loop, but what
  # is done once, before the innermost loop around it.
  ofDevice @1 :Bool;
  # The frames of sites lie in it, by the user's columns. Else those of the host's places, by columns of debug information.
  file @2 :UInt32;
  # Index in loopFiles, which must be in range. As frames of that side name it.
  beginLine @3 :UInt32;
  # Of the first token; must not be 0.
  beginColumn @4 :UInt32;
  endLine @5 :UInt32;
  # Of the last token; must not be before the first.
  endColumn @6 :UInt32;
}

# Calls of CUDA's runtime that have failed, where the program has neither used what they returned nor asked for errors behind them in
# the same thread. Of calls of code that cupr++ has compiled alone. An error that stays, as calls behind the one that met it return it,
# too, is in the first of them alone that neither launches nor lets go of something.
struct HostFailure {
  call @0 :Text;  # "cudaMemcpy"
  error @1 :Text;  # "cudaErrorInvalidValue"
  text @2 :Text;  # what CUDA says of it
  node @3 :UInt32 = 0xffffffff;
  # Of the caller, as nodes are counted; must be one of this message or an earlier one, or 0xffffffff: not known.
  count @4 :UInt64;  # how often there
  # Must not be 0.
}

# What code of the host accessed at one place, between two of the host's calls, of memory that the device reaches, too (managed, pinned,
# registered), while there was work that the host had not waited for. Of code that cupr++ --host-accesses has compiled alone.
struct HostAccess {
  address @0 :UInt64;  # the lowest
  bytes @1 :UInt64;
  # From each address on; must not be 0.
  stride @2 :UInt64;
  # From one address to the next. Must be 0 if there is one, and else not.
  elements @3 :UInt64;
  # Addresses; must not be 0. The last byte's address must not exceed 64 bits.
  times @4 :UInt64;
  # Accesses; must not be fewer than the addresses.
  after @5 :UInt64;
  # `order` of the host's latest act before it.
  since @6 :UInt64;
  # Of acts up to this `order` the host may have learned in ways that the trace does not hold that they are over. Must not exceed `after`.
  thread @7 :UInt32;
  # Must be one of this message or an earlier one.
  node @8 :UInt32 = 0xffffffff;
  # Of the first access; as in HostFailure.
  writes @9 :Bool;
  # Else it only reads.
  strong @10 :Bool;
  # It is atomic or volatile.
  place @11 :UInt64;
  # Those of one place of the source have the same number; 0: it is not known.
}

# An ELF file that the program consists of.
struct HostObject {
  path @0 :Text;
  buildId @1 :Text;  # in hexadecimal digits; empty: unknown
}

struct HostThread {
  id @0 :UInt64;  # the kernel's
  name @1 :Text;
}

# How samples were taken.
struct HostSampling {
  source @0 :Text;  # "perf_event_open" or "timer"
  period @1 :UInt64;  # nanoseconds of processor time between samples, as asked for
  delivered @2 :UInt64;  # samples
  lost @3 :UInt64;  # samples
}

# Where a launch's messages lie: offsets of frames from the start of the file.
struct LaunchIndex {
  id @0 :UInt64;
  launch @1 :UInt64;
  launchEnd @2 :UInt64;
  # 0: the launch has no end.
  chunks @3 :List(UInt64);
  # In the order of their sequence numbers.
}

struct End {
  counts @0 :List(UInt64);
  # Messages of each kind, in the order of Message's union, `end` included; must equal what the
  # file holds.
  launches @1 :List(LaunchIndex);
  # By ascending id. Must name every launch that is traced or has an end, may name others that have a message of their own, and
  # must not name those of an ActBatch.
  lost @2 :Bool;
  # The writer could not write something, or `missing` is not empty: the file is incomplete.
  missing @3 :List(Text);
  # Of a repaired trace: what was missing or damaged in the original, one line each. Launches whose
  # records are concerned are incomplete as well, and say why.
  leftOut @4 :UInt64;  # launches that are not in the file, if the header says that they are left out
}
