/// `export`: a trace in formats that other programs read.
#include "shared_options.h"
#include "verb.h"

#include "analysis/export/export_size.h"
#include "analysis/export/exporter.h"
#include "analysis/export/schema.h"
#include "analysis/memtrace/exporter.h"
#include "analysis/memtrace/layout.h"
#include "analysis/output/pending_file.h"
#include "analysis/output/text.h"
#include "analysis/output/utf8.h"

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace cupr::analysis {

namespace {

enum class Format { Json, Csv, Protobuf, Sqlite, Arrow, Memtrace, Capnp };
const std::map<std::string, Format> kFormats = {
    {"json", Format::Json},     {"csv", Format::Csv},     {"protobuf", Format::Protobuf},
    {"sqlite", Format::Sqlite}, {"arrow", Format::Arrow}, {"memtrace", Format::Memtrace},
    {"capnp", Format::Capnp}};
const std::map<std::string, Compression> kCompressions = {
    {"none", Compression::None}, {"gzip", Compression::Gzip}, {"zstd", Compression::Zstd}};
const std::map<std::string, std::string (*)()> kSchemas = {
    {"json", jsonSchema},
    {"protobuf", protoSchema},
    {"sqlite", [] { return sqlSchema() + "\n" + sqlIndices(); }},
    {"markdown", markdownSchema}};

const std::map<std::string, RowKindId> &tables() {
  static const std::map<std::string, RowKindId> tables = [] {
    std::map<std::string, RowKindId> result;
    for (std::size_t i = 0; i < kRowKindCount; ++i)
      result[std::string(kRowKinds[i].table)] = static_cast<RowKindId>(i);
    return result;
  }();
  return tables;
}

struct ExportOptions {
  std::string path, output, schema;
  Format format = Format::Json;
  Compression compression = Compression::None;
  unsigned memtraceVersion = memtrace::kNewestVersion;
  RowKindId table = RowKindId::WideAccess;
  Selection selection;
  bool yes = false, indent = false;

  bool isText() const {
    return (format == Format::Json || format == Format::Csv) && compression == Compression::None;
  }
};

/// A file that fills a disk is asked about; what reads a pipe takes what comes.
bool takesRoom(const ExportOptions &options) {
  struct stat status{};
  return options.output.empty() ? ::fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode)
                                : ::stat(options.output.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

/// Says how large the export will be, if somebody reads it or it is large. Throws std::runtime_error where it is not to be.
void announce(const ExportOptions &options, std::uint64_t bytes) {
  constexpr std::uint64_t kAskedAbove = std::uint64_t{1} << 30, kSaidAbove = std::uint64_t{64} << 20;
  const bool asks = bytes > kAskedAbove && !options.yes && takesRoom(options);
  if (bytes <= kSaidAbove && ::isatty(STDERR_FILENO) != 1)
    return;
  std::fprintf(stderr, "cupranalyze: the export takes about %s%s", bytesText(bytes).c_str(),
               asks && ::isatty(STDIN_FILENO) == 1 ? "; go on? [y/N] " : "\n");
  if (!asks)
    return;
  if (::isatty(STDIN_FILENO) != 1)
    throw std::runtime_error(
        "nobody can be asked whether an export of more than 1 GiB is meant: --yes says so, and "
        "'sql' answers queries without an export");
  const int answer = std::getchar();
  if (answer != 'y' && answer != 'Y')
    throw std::runtime_error("nothing was exported");
}

/// The messages of the trace, one behind the other as capnp's tools read them.
void writeMessages(const std::string &path, ByteSink &sink) {
  std::string error;
  const auto reader = trace::Reader::open(path, error);
  if (!reader)
    throw BadTrace(error);
  trace::Message message;
  trace::ReadStatus status;
  while ((status = reader->next(message)) == trace::ReadStatus::Message)
    sink.write({reinterpret_cast<const char *>(reader->payload().data()),
                reader->payload().size() * sizeof(trace::Payload::value_type)});
  if (status != trace::ReadStatus::End)
    std::fprintf(stderr, "cupranalyze: %s; written is what is there\n", shown(reader->error()).c_str());
  sink.finish();
}

void writeRecords(const ExportOptions &options, Exporter &exporter, const Model &model) {
  Progress progress("export", stderr, ::isatty(STDERR_FILENO) == 1);
  exportTrace(model, options.selection, exporter, progress);
  if (const std::string leftOut = exporter.leftOut(); !leftOut.empty())
    std::fprintf(stderr, "cupranalyze: %s\n", leftOut.c_str());
}

std::unique_ptr<Exporter> streamExporter(const ExportOptions &options, const Model &model, ByteSink &sink) {
  switch (options.format) {
  case Format::Arrow:
    return arrowExporter(model, sink, options.table,
                         options.output.empty() ? ArrowShape::Stream : ArrowShape::File);
  case Format::Csv:
    return csvExporter(model, sink, options.table);
  case Format::Protobuf:
    return protobufExporter(model, sink);
  case Format::Memtrace:
    return memtraceExporter(sink, options.memtraceVersion);
  default:
    return jsonExporter(model, sink, options.indent ? Json::Style::Indented : Json::Style::Line);
  }
}

int runExport(const ExportOptions &options) {
  if (!options.schema.empty()) {
    std::fputs(kSchemas.at(options.schema)().c_str(), stdout);
    return kExitGood;
  }
  std::optional<Model> model;
  if (options.format != Format::Capnp) {
    model.emplace(options.path);
    warnIfTruncated(*model);
  }
  if (options.output.empty() && !options.isText() && ::isatty(STDOUT_FILENO) == 1)
    throw std::runtime_error("this is no text for a terminal: name a file with -o, or a program behind |");
  if (options.format == Format::Sqlite)
    announce(options, databaseBytes(*model, options.selection));
  else if (model)
    announce(options,
             exportBytes(
                 *model, options.selection,
                 [&](ByteSink &sink) { return streamExporter(options, *model, sink); }, options.compression));
  std::optional<PendingFile> file;
  if (!options.output.empty())
    file.emplace(options.output);
  const auto sink = [&] { return compressed(file ? fileSink(*file) : stdoutSink(), options.compression); };
  if (options.format == Format::Sqlite) {
    // A database is written at many places, so it is compressed when it is complete.
    std::optional<PendingFile> database;
    const bool packs = options.compression != Compression::None;
    if (packs)
      database.emplace(options.output + ".sqlite");
    writeRecords(options, *sqliteExporter(*model, packs ? *database : *file), *model);
    if (packs) {
      const auto out = sink();
      copyFile(database->path(), *out);
      out->finish();
    }
  } else {
    const auto out = sink();
    if (options.format == Format::Capnp)
      writeMessages(options.path, *out);
    else
      writeRecords(options, *streamExporter(options, *model, *out), *model);
  }
  if (file)
    file->commit();
  return kExitGood;
}

} // namespace

Verb addExport(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "export",
      "Write the trace in another format: every record with all lanes' addresses, the sites, launches, "
      "allocations, "
      "copies, sets and synchronisations. json: JSON Lines, one object per line. csv: one table. protobuf: a "
      "Trace "
      "message. sqlite: a database. arrow: one table, as an IPC file, or a stream to stdout. memtrace: the "
      "files of cuda-memtrace, accesses to global memory only. "
      "capnp: the messages of the trace as they are. docs/export-formats.md describes them all. A file "
      "appears when "
      "it is complete.");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("trace", options->path, "Trace file");
  auto *format = addChoice(*command, "--format", options->format, kFormats, "What to write");
  command->add_option("-o,--output", options->output, "File to write; without it, stdout (not for sqlite)");
  addChoice(*command, "--compress", options->compression, kCompressions,
            "How to compress it; without it, not at all");
  auto *table =
      addChoice(*command, "--table", options->table, tables(),
                "For csv and arrow: which table; without it all_accesses, a row per thread and access");
  auto *indent = command->add_flag("--indent", options->indent,
                                   "For json: each object on lines of its own, indented, for people");
  command->add_flag("-y,--yes", options->yes, "Don't ask whether a file of more than 1 GiB is meant");
  auto *version = command
                      ->add_option("--memtrace-version", options->memtraceVersion,
                                   "For memtrace: 1, 2 or 3 (runs of accesses are joined)")
                      ->check(CLI::Range(1u, memtrace::kNewestVersion))
                      ->capture_default_str();
  addSelection(*command, options->selection);
  auto *schema =
      command
          ->add_option("--schema", options->schema,
                       "Print the schema of a format, and nothing else; markdown describes all tables")
          ->check(CLI::IsMember(kSchemas));
  command->callback([=] {
    if (schema->count() != 0)
      return;
    if (options->path.empty())
      throw CLI::RequiredError("trace");
    if (format->count() == 0)
      throw CLI::RequiredError("--format");
    if (options->format == Format::Sqlite && options->output.empty())
      throw CLI::ValidationError("--format", "a database can't be written to stdout: name a file with -o");
    if (table->count() != 0 && options->format != Format::Csv && options->format != Format::Arrow)
      throw CLI::ValidationError("--table", "only csv and arrow are one table");
    if (indent->count() != 0 && options->format != Format::Json)
      throw CLI::ValidationError("--indent", "the format is not json");
    if (version->count() != 0 && options->format != Format::Memtrace)
      throw CLI::ValidationError("--memtrace-version", "the format is not memtrace");
    if (options->format == Format::Capnp && !options->selection.text().empty())
      throw CLI::ValidationError("--format",
                                 "capnp gives all messages: --launch, --kernel and --limit can't choose");
  });
  return [options] { return runExport(*options); };
}

} // namespace cupr::analysis
