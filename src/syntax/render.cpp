// Diagnostics as text (rule L12.1).
//
// The excerpt shows one line of source behind a gutter with its number. The caret line copies the tabs of the source
// line, so both stay aligned whatever the tab width; wide characters count two columns. A long line is cut to a window
// around the caret.
#include "base/utf8.h"
#include "syntax/diagnostic.h"

#include <algorithm>

namespace nlang::syntax {

namespace {

constexpr std::size_t kWindow = 160;       // code points shown of a source line that has more bytes than that
constexpr std::size_t kWindowBefore = 100; // of them, before the caret when the line is cut
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Style {
  const char* bold = "";
  const char* error = "";
  const char* warning = "";
  const char* caret = "";
  const char* reset = "";
};
constexpr Style kPlain;
constexpr Style kAnsi = {"\x1b[1m", "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;32m", "\x1b[0m"};

struct Cell {
  char32_t value;
  std::uint32_t offset; // in the file
};

// The code points of a line that are shown, and whether something was cut off on either side.
struct Excerpt {
  std::vector<Cell> cells;
  std::uint32_t end = 0; // offset behind the last cell
  bool cutLeft = false;
  bool cutRight = false;
};

// Goes back up to `count` code points from `at`, not before `start`.
std::uint32_t stepBack(std::string_view text, std::uint32_t at, std::uint32_t start, std::size_t count) {
  while (at > start && count > 0) {
    --at;
    while (at > start && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    --count;
  }
  return at;
}

Excerpt excerptOf(const SourceFile& file, std::uint32_t line, std::uint32_t caret) {
  const std::uint32_t start = file.lineStart(line);
  const auto lineEnd = static_cast<std::uint32_t>(start + file.lineText(line).size());
  const std::string_view text = file.text().substr(0, lineEnd);
  Excerpt excerpt;
  std::uint32_t at = start;
  if (text.size() - start > kWindow && caret > start) {
    at = stepBack(text, std::min(caret, lineEnd), start, kWindowBefore);
    excerpt.cutLeft = at > start;
  }
  while (at < lineEnd && excerpt.cells.size() < kWindow) {
    const base::Decoded d = base::decodeUtf8(text, at);
    // A control character would act on the terminal instead of being shown.
    const bool shown = d.value == '\t' || base::displayWidth(d.value) > 0 || d.value >= 0x300;
    excerpt.cells.push_back({shown ? d.value : base::kReplacementCharacter, at});
    at += d.length;
  }
  excerpt.end = at;
  excerpt.cutRight = at < lineEnd;
  return excerpt;
}

void appendExcerpt(std::string& out, const SourceFile& file, SourceRange range, const Style& style) {
  const std::uint32_t line = file.lineOf(range.begin);
  const Excerpt excerpt = excerptOf(file, line, range.begin);
  const std::string number = fmt::format("{:5}", line);
  out += fmt::format("{} | {}", number, excerpt.cutLeft ? kEllipsis : std::string_view());
  for (const Cell& cell : excerpt.cells) base::appendUtf8(out, cell.value);
  if (excerpt.cutRight) out += kEllipsis;
  out += fmt::format("\n{} | {}", std::string(number.size(), ' '), excerpt.cutLeft ? " " : "");

  std::string marks;
  for (const Cell& cell : excerpt.cells) {
    if (cell.offset < range.begin) {
      out += cell.value == '\t' ? std::string("\t") : std::string(base::displayWidth(cell.value), ' ');
    } else if (cell.offset < range.end) {
      marks.append(std::max(1U, base::displayWidth(cell.value)), '~');
    }
  }
  if (marks.empty()) marks = "~";
  marks[0] = '^';
  out += fmt::format("{}{}{}\n", style.caret, marks, style.reset);
}

void appendPlace(std::string& out, const SourceFile& file, SourceRange range) {
  const LineColumn at = file.positionOf(range.begin);
  out += fmt::format("{}:{}:{}: ", file.path(), at.line, at.column);
}

} // namespace

std::string renderDiagnostic(const SourceManager& sources, const Diagnostic& diagnostic, bool color) {
  const Style& style = color ? kAnsi : kPlain;
  const SourceFile* file = sources.file(diagnostic.range.file);
  std::string out = style.bold;
  if (file != nullptr) {
    appendPlace(out, *file, diagnostic.range);
  } else if (!diagnostic.path.empty()) {
    out += diagnostic.path + ": ";
  }
  const bool isError = diagnostic.severity == Severity::Error;
  out += fmt::format("{}{}[{}]: {}{}{}\n", isError ? style.error : style.warning, isError ? "error" : "warning",
                     infoOf(diagnostic.id).code, style.reset, diagnostic.message, style.reset);
  if (file != nullptr) appendExcerpt(out, *file, diagnostic.range, style);
  if (!diagnostic.suggestion.empty()) out += fmt::format("      = {}\n", diagnostic.suggestion);
  for (const DiagnosticNote& note : diagnostic.notes) {
    const SourceFile* where = sources.file(note.range.file);
    if (where == nullptr) {
      out += fmt::format("      = note: {}\n", note.text);
      continue;
    }
    appendPlace(out, *where, note.range);
    out += fmt::format("note: {}\n", note.text);
    appendExcerpt(out, *where, note.range, style);
  }
  return out;
}

std::string renderDiagnostics(const SourceManager& sources, const DiagnosticSink& sink, const RenderOptions& options) {
  std::string out;
  std::size_t errors = 0;
  for (const Diagnostic* d : sink.sorted()) {
    if (d->severity == Severity::Error && ++errors > options.maxErrors) {
      out += fmt::format("too many errors: the first {} are shown\n", options.maxErrors);
      break;
    }
    out += renderDiagnostic(sources, *d, options.color);
  }
  return out;
}

} // namespace nlang::syntax
