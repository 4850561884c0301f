-- What `cupranalyze export --format=sqlite` writes. Made by `cupranalyze export --schema=sqlite`: don't edit.
-- Numbers beyond 2^63 stand there as negative ones, less 2^64.

-- What was traced; the first row.
CREATE TABLE headers (
  "format" TEXT NOT NULL, -- "cuprewrite export"
  "version" INTEGER NOT NULL, -- of the export's format
  "program" TEXT NOT NULL, -- path of the executable
  "arguments" TEXT NOT NULL, -- of the program, its name first
  "pid" INTEGER NOT NULL, -- of the process
  "device_kind" TEXT NOT NULL, -- "gpu" or "cpu"
  "device_name" TEXT NOT NULL, -- as the CUDA runtime calls it
  "start_time" INTEGER NOT NULL, -- nanoseconds since the epoch; every other time counts from here
  "trace_format" INTEGER NOT NULL, -- version of the trace file
  "not_whole" TEXT -- where and why the trace file stops early, or what a repair found missing
);

-- A call that led to sites, inlined or not. Parents come first or later.
CREATE TABLE frames (
  "id" INTEGER PRIMARY KEY, -- unique in the export
  "file" TEXT NOT NULL, -- of the call
  "line" INTEGER NOT NULL, -- of the call
  "column" INTEGER NOT NULL, -- of the call
  "function" TEXT NOT NULL, -- that the call stands in
  "parent" INTEGER, -- the call of that function in turn
  "kind" TEXT NOT NULL -- "inlined", "called", "recursive" (functions that call each other in a cycle were entered at this one, which stands at this line), "indirect" (through a pointer) or "merged" (callers not told apart)
);

-- A place in the source that accesses memory.
CREATE TABLE sites (
  "id" INTEGER PRIMARY KEY, -- unique in the export
  "module" INTEGER NOT NULL, -- device module in the trace
  "file" TEXT NOT NULL, -- empty: unknown
  "line" INTEGER NOT NULL, -- from 1; 0: unknown
  "column" INTEGER NOT NULL, -- from 1; 0: unknown
  "function" TEXT NOT NULL, -- that holds the access in the source
  "operation" TEXT NOT NULL, -- "load", "store", "atomic add" ...; "barrier", "fence" ... are synchronisation, "variable" a shared variable, and no accesses
  "space" TEXT NOT NULL, -- "global", "shared", "constant", "local" or "texture"; says what addresses mean
  "decided" INTEGER NOT NULL, -- the space was decided at run time
  "value_type" TEXT NOT NULL, -- LLVM type of the value
  "bytes" INTEGER, -- per thread; of a variable its size, 0: the launch's dynamic shared memory; null where each access has its own
  "frame" INTEGER, -- the call of the function
  "part" INTEGER, -- bytes of the largest instruction that the access is made of; 0: it is one; null: unknown
  "grid_barrier" INTEGER NOT NULL, -- the access is of a barrier of the grid: synchronisation, not data
  "is_volatile" INTEGER NOT NULL, -- volatile, or a load or store that is atomic: other threads may wait for it
  "order" TEXT NOT NULL, -- "relaxed", "acquire", "release", "acq_rel", "sc" or "volatile", as in PTX; empty: none
  "scope" TEXT NOT NULL, -- "cta", "cluster", "gpu" or "sys": whose threads the order is for; empty: none
  "has_values" INTEGER NOT NULL, -- its records have what was read and written, in launches with values
  "source_type" TEXT NOT NULL, -- C++ type of the object that is accessed, without qualifiers; of a variable of its elements; empty: unknown
  "layout" TEXT NOT NULL, -- what the bytes of source_type mean: the type of its numbers, or {offset type name;...}; empty: its name says it
  "name" TEXT NOT NULL, -- of a shared variable, whose record says where it lies; of an array in local memory, and of accesses of one; of textures and surfaces the instruction; of instructions how many there are of which class; else empty
  "element_bytes" INTEGER NOT NULL, -- of a variable: of the elements of an array; else 0
  "has_clock" INTEGER NOT NULL, -- its records have the clock, in launches with values
  "has_duration" INTEGER NOT NULL, -- of a timed kernel: its records have how long they took, in launches with values
  "follows" INTEGER NOT NULL -- of instructions: no records are of it, it happens whenever the site before it does
);

-- A kernel launch. Its records follow it, and then its end.
CREATE TABLE launches (
  "id" INTEGER PRIMARY KEY, -- from 1, in the order of the calls
  "order" INTEGER NOT NULL, -- place among the host's calls
  "kernel" TEXT NOT NULL, -- as in the source, with parameters
  "mangled" TEXT NOT NULL, -- name of the kernel in the device code
  "grid_x" INTEGER NOT NULL, -- blocks
  "grid_y" INTEGER NOT NULL, -- blocks
  "grid_z" INTEGER NOT NULL, -- blocks
  "block_x" INTEGER NOT NULL, -- threads
  "block_y" INTEGER NOT NULL, -- threads
  "block_z" INTEGER NOT NULL, -- threads
  "dynamic_shared" INTEGER NOT NULL, -- bytes
  "stream" INTEGER NOT NULL, -- never reused
  "device" INTEGER NOT NULL, -- index
  "traced" INTEGER NOT NULL, -- its accesses were recorded
  "reason" TEXT NOT NULL, -- why it was not traced; empty if it was
  "file" TEXT NOT NULL, -- of the launch in the source; empty: unknown
  "line" INTEGER NOT NULL, -- of the launch in the source; 0: unknown
  "time" INTEGER NOT NULL, -- of the call, in nanoseconds
  "cta_first" INTEGER NOT NULL, -- recorded are blocks whose linear number is from this one on,
  "cta_end" INTEGER NOT NULL, -- less than this one,
  "cta_period" INTEGER NOT NULL, -- and a multiple of this
  "stream_kind" TEXT NOT NULL, -- "legacy", "blocking", "non-blocking" or, in old traces, "unknown"
  "graph" INTEGER NOT NULL, -- number of the launch of a CUDA graph that it belongs to; 0: none
  "node" INTEGER NOT NULL, -- of the graph
  "after" TEXT NOT NULL, -- nodes that it waits for, with spaces between
  "values" INTEGER NOT NULL, -- what its accesses read and wrote was recorded, at sites that have values
  "static_shared" INTEGER NOT NULL, -- bytes that a block of the plain kernel has; 0 also where the launch is not traced
  "registers" INTEGER NOT NULL, -- of a thread of the plain kernel; 0: not known, as on the CPU device and where the launch is not traced
  "timed" TEXT NOT NULL, -- how it was measured how long accesses take: "naive", "fence", "dependency" or "use"; empty: it was not
  "stage_bytes" INTEGER NOT NULL, -- in which each warp of a timed launch gathered its records; 0: they left one by one
  "cluster_x" INTEGER NOT NULL, -- blocks of a cluster, which see each other's shared memory; 1: there are no clusters; 0: not known
  "cluster_y" INTEGER NOT NULL, -- likewise
  "cluster_z" INTEGER NOT NULL, -- likewise
  "host_call" INTEGER -- host_call.id of the call that made it; null: none is known
);

-- What is known when a launch's records have all arrived.
CREATE TABLE launch_ends (
  "launch" INTEGER NOT NULL, -- launch.id
  "complete" INTEGER NOT NULL, -- all records that the device made are in the trace
  "reason" TEXT NOT NULL, -- why they are not, or that the launch failed
  "time" INTEGER NOT NULL, -- when all had arrived, in nanoseconds
  "waits" INTEGER NOT NULL, -- times that a warp waited for space
  "records" INTEGER NOT NULL, -- in the trace, whatever was selected
  "device_time" INTEGER, -- nanoseconds from the first block's beginning to the last one's end; null: unknown
  "began" INTEGER, -- on the device: when its first block began, in nanoseconds; null: unknown
  "ended" INTEGER, -- on the device: when its last block had ended, in nanoseconds; null: unknown
  "evicted_pages" INTEGER NOT NULL -- of records, that warps copied to the host, since the program held the driver
);

-- Totals of a launch for one kind of memory.
CREATE TABLE counts (
  "launch" INTEGER NOT NULL, -- launch.id
  "space" TEXT NOT NULL, -- as in site
  "loads" INTEGER NOT NULL, -- by threads, in the trace, whatever was selected
  "stores" INTEGER NOT NULL, -- by threads
  "atomics" INTEGER NOT NULL, -- by threads
  "load_bytes" INTEGER NOT NULL, -- of all threads
  "store_bytes" INTEGER NOT NULL, -- of all threads
  "atomic_bytes" INTEGER NOT NULL -- of all threads
);

-- Memory that the program allocated.
CREATE TABLE allocations (
  "id" INTEGER PRIMARY KEY, -- from 0, in the order of the calls
  "address" INTEGER NOT NULL, -- first byte; of an array, its handle
  "bytes" INTEGER NOT NULL, -- size
  "kind" TEXT NOT NULL, -- "device", "managed", "host", "pitched", "array", "pool" or "symbol"
  "call" TEXT NOT NULL, -- that made it
  "name" TEXT NOT NULL, -- of the variable, as in the source; empty: unknown
  "order" INTEGER NOT NULL, -- place among the host's calls
  "time" INTEGER NOT NULL, -- nanoseconds
  "element_type" TEXT NOT NULL, -- as in the source; empty: unknown
  "file" TEXT NOT NULL, -- in the source, of the call, or of the declaration of a variable; empty: unknown
  "line" INTEGER NOT NULL, -- in the source, of the call, or of the declaration of a variable; 0: unknown
  "column" INTEGER NOT NULL, -- in the source, of the call, or of the declaration of a variable; 0: unknown
  "freed_order" INTEGER, -- of the call that freed it
  "host_call" INTEGER -- host_call.id of the call that made it; null: none is known
);

-- A copy by the host.
CREATE TABLE copies (
  "destination" INTEGER NOT NULL, -- address
  "source" INTEGER NOT NULL, -- address
  "row_bytes" INTEGER NOT NULL, -- of each row
  "rows" INTEGER NOT NULL, -- 1 for a plain copy
  "destination_pitch" INTEGER NOT NULL, -- bytes from row to row
  "source_pitch" INTEGER NOT NULL, -- bytes from row to row
  "kind" TEXT NOT NULL, -- "host to device" and so on
  "asynchronous" INTEGER NOT NULL, -- the call may return before the copy is done
  "stream" INTEGER NOT NULL, -- as in launch
  "order" INTEGER NOT NULL, -- place among the host's calls
  "time" INTEGER NOT NULL, -- nanoseconds
  "stream_kind" TEXT NOT NULL, -- "legacy", "blocking", "non-blocking" or, in old traces, "unknown"
  "graph" INTEGER NOT NULL, -- number of the launch of a CUDA graph that it belongs to; 0: none
  "node" INTEGER NOT NULL, -- of the graph
  "after" TEXT NOT NULL, -- nodes that it waits for, with spaces between
  "same_as" INTEGER NOT NULL, -- order of an earlier copy from the host that brought the same bytes to the same place; 0: none is known
  "host_call" INTEGER -- host_call.id of the call that made it; null: none is known
);

-- A memset by the host.
CREATE TABLE sets (
  "destination" INTEGER NOT NULL, -- address
  "row_bytes" INTEGER NOT NULL, -- of each row
  "rows" INTEGER NOT NULL, -- 1 for a plain set
  "pitch" INTEGER NOT NULL, -- bytes from row to row
  "asynchronous" INTEGER NOT NULL, -- the call may return before it is done
  "stream" INTEGER NOT NULL, -- as in launch
  "order" INTEGER NOT NULL, -- place among the host's calls
  "time" INTEGER NOT NULL, -- nanoseconds
  "stream_kind" TEXT NOT NULL, -- "legacy", "blocking", "non-blocking" or, in old traces, "unknown"
  "graph" INTEGER NOT NULL, -- number of the launch of a CUDA graph that it belongs to; 0: none
  "node" INTEGER NOT NULL, -- of the graph
  "after" TEXT NOT NULL, -- nodes that it waits for, with spaces between
  "host_call" INTEGER -- host_call.id of the call that made it; null: none is known
);

-- A call that orders work.
CREATE TABLE synchronisations (
  "kind" TEXT NOT NULL, -- "device", "stream", "event", "event record" or "stream wait event"
  "stream" INTEGER NOT NULL, -- as in launch
  "event" INTEGER NOT NULL, -- handle
  "order" INTEGER NOT NULL, -- place among the host's calls
  "time" INTEGER NOT NULL, -- nanoseconds
  "stream_kind" TEXT NOT NULL, -- "legacy", "blocking", "non-blocking" or, in old traces, "unknown"
  "host_call" INTEGER -- host_call.id of the call that made it; null: none is known
);

-- The last row: an export without it is cut off.
CREATE TABLE ends (
  "launches" INTEGER NOT NULL, -- in the export
  "records" INTEGER NOT NULL, -- of warps, in the export
  "accesses" INTEGER NOT NULL, -- of threads, in the export
  "selection" TEXT NOT NULL -- what was asked for; empty: all
);

-- What one thread did at one site.
CREATE TABLE accesses (
  "launch" INTEGER NOT NULL, -- launch.id
  "site" INTEGER NOT NULL, -- site.id
  "cta_x" INTEGER NOT NULL, -- block
  "cta_y" INTEGER NOT NULL, -- block
  "cta_z" INTEGER NOT NULL, -- block
  "warp" INTEGER NOT NULL, -- of the block
  "lane" INTEGER NOT NULL, -- of the warp
  "sm" INTEGER NOT NULL, -- multiprocessor
  "address" INTEGER NOT NULL, -- first byte
  "bytes" INTEGER NOT NULL, -- size
  "read" TEXT, -- value, as the site's source_type or else value_type has it; null: none, or it was not recorded
  "written" TEXT, -- value; of an atomic operation its operand
  "compared" TEXT, -- value that a compare-and-swap compared with
  "thread_x" INTEGER NOT NULL, -- of the block
  "thread_y" INTEGER NOT NULL, -- of the block
  "thread_z" INTEGER NOT NULL, -- of the block
  "coordinates" TEXT, -- of textures and surfaces; the address is the handle of an image_object
  "clock" INTEGER, -- of its multiprocessor, when it made it; null: it was not recorded
  "duration" INTEGER -- cycles that it took; null: it was not recorded
);

-- A texture or surface object that the program made.
CREATE TABLE image_objects (
  "id" INTEGER PRIMARY KEY, -- from 0, in the order of the calls
  "kind" TEXT NOT NULL, -- "texture" or "surface"
  "object" INTEGER NOT NULL, -- handle: the address of accesses; textures and surfaces may have the same
  "call" TEXT NOT NULL, -- that made it
  "resource" TEXT NOT NULL, -- "array", "mipmapped array", "linear" or "pitched"
  "memory" INTEGER NOT NULL, -- that it reads: first byte; of an array, its handle
  "bytes" INTEGER NOT NULL, -- of linear and pitched memory; else 0: the allocation says it
  "row_bytes" INTEGER NOT NULL, -- of pitched memory, from row to row; else 0
  "format" TEXT NOT NULL, -- of a texel: type as in PTX and number of channels, as "u8x4"; "other"; empty: unknown
  "width" INTEGER NOT NULL, -- in texels; 0: unknown
  "height" INTEGER NOT NULL, -- in texels; 0: it has one row
  "depth" INTEGER NOT NULL, -- in texels, layers or faces; 0: it has one
  "order" INTEGER NOT NULL, -- place among the host's calls
  "time" INTEGER NOT NULL, -- nanoseconds
  "allocation" INTEGER, -- allocation.id of what it reads; null: unknown
  "end_order" INTEGER, -- of the call that destroyed it, or that made another one with its handle; null: none
  "host_call" INTEGER -- host_call.id of the call that made it; null: none is known
);

-- A call of the CUDA API by a thread of the program.
CREATE TABLE host_calls (
  "id" INTEGER PRIMARY KEY, -- from 0
  "function" TEXT NOT NULL, -- of the CUDA API
  "thread" INTEGER NOT NULL, -- the kernel's id of the thread
  "thread_name" TEXT NOT NULL, -- empty: none
  "began" INTEGER NOT NULL, -- in nanoseconds
  "ended" INTEGER NOT NULL, -- in nanoseconds
  "orders" TEXT NOT NULL, -- of the launches, copies, sets, synchronisations, allocations, frees and objects that it made
  "path" TEXT NOT NULL, -- functions on the way to the call, outermost first, with " > " between; empty: not known
  "file" TEXT NOT NULL, -- of the caller; empty: not known
  "line" INTEGER NOT NULL, -- of the call; 0: not known
  "frame" INTEGER -- host_frame.id of the caller; null: not known
);

-- Where a thread of the program spent processor time.
CREATE TABLE host_samples (
  "id" INTEGER PRIMARY KEY, -- from 0
  "time" INTEGER NOT NULL, -- in nanoseconds
  "thread" INTEGER NOT NULL, -- the kernel's id of the thread
  "thread_name" TEXT NOT NULL, -- empty: none
  "weight" INTEGER NOT NULL, -- nanoseconds of processor time that it stands for
  "path" TEXT NOT NULL, -- functions on the way, as of a host_call
  "file" TEXT NOT NULL, -- where the thread was; empty: not known
  "line" INTEGER NOT NULL, -- likewise; 0: not known
  "frame" INTEGER -- host_frame.id; null: not known
);

-- A function on the way to calls and samples, at a place in it.
CREATE TABLE host_frames (
  "id" INTEGER PRIMARY KEY, -- from 0; callers come first
  "caller" INTEGER, -- host_frame.id of the function that called it; null: it is the outermost
  "function" TEXT NOT NULL, -- as in paths
  "file" TEXT NOT NULL, -- of the place in it; empty: not known
  "line" INTEGER NOT NULL, -- of the call further in, or of the sample; 0: not known
  "column" INTEGER NOT NULL -- likewise, as debug information has it
);

-- A loop of the source that holds places of frames or sites, or what bounds one.
CREATE TABLE loops (
  "id" INTEGER PRIMARY KEY, -- from 0
  "of_device" INTEGER NOT NULL, -- sites and frames lie in it; else host_frames
  "kind" TEXT NOT NULL, -- "for", "while", "do", "range-for"; "function": none, but what bounds those around it; "entry": none, but what is done once, before the one around it
  "file" TEXT NOT NULL, -- as sites or host_frames have it
  "line" INTEGER NOT NULL, -- of its first token
  "column" INTEGER NOT NULL, -- likewise
  "end_line" INTEGER NOT NULL, -- of its last token
  "end_column" INTEGER NOT NULL -- likewise
);

-- What one thread did at one site, with all that is known of it.
CREATE VIEW all_accesses AS SELECT
  "access"."launch",
  "launch"."kernel",
  "site"."operation",
  "site"."space",
  "access"."address",
  "access"."bytes",
  "access"."cta_x",
  "access"."cta_y",
  "access"."cta_z",
  "access"."warp",
  "access"."lane",
  "access"."sm",
  "site"."file",
  "site"."line",
  "site"."column",
  "site"."function",
  "access"."read",
  "access"."written",
  "access"."compared",
  "access"."thread_x",
  "access"."thread_y",
  "access"."thread_z",
  "access"."coordinates",
  "access"."clock",
  "access"."duration"
FROM accesses AS "access" JOIN launches AS "launch" ON "launch".id = "access".launch
  JOIN sites AS "site" ON "site".id = "access".site;

CREATE INDEX accesses_by_launch ON accesses (launch, site);
CREATE INDEX accesses_by_address ON accesses (address);
