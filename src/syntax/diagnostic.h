// Diagnostics: what the compiler has to say about a program (rules L12).
//
// `diagnostics.def` is the one table of them; a code is never reused for another meaning. A `DiagnosticSink` collects
// without order; `sorted()` gives source order, and the same code at the same position is kept once. Memory is bounded:
// beyond `kMaxStored` diagnostics only the count goes on.
#pragma once

#include "syntax/source.h"

#include <fmt/core.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace nlang::syntax {

enum class Severity : std::uint8_t { Error, Warning };

enum class DiagId : std::uint16_t {
#define NL_DIAGNOSTIC(name, code, severity, text, explanation, example) name,
#include "syntax/diagnostics.def"
#undef NL_DIAGNOSTIC
};

/// One row of `diagnostics.def`.
struct DiagnosticInfo {
  const char* name; // the constant's name
  const char* code; // "E0101", "W0001"
  Severity severity;
  const char* text;    // message with {fmt} placeholders
  const char* example; // a program that shows it, or "" where none can be given as text
};

const DiagnosticInfo& infoOf(DiagId id);
std::size_t diagnosticCount();

struct DiagnosticNote {
  SourceRange range; // may be invalid: a note without a place
  std::string text;
};

struct Diagnostic {
  DiagId id{};
  Severity severity = Severity::Error;
  SourceRange range; // invalid when it concerns a whole file or none: then `path` says which
  std::string path;  // only when `range` is invalid
  std::string message;
  std::vector<DiagnosticNote> notes;
  std::string suggestion; // "" or a sentence such as "did you mean `length`?"

  Diagnostic& note(SourceRange where, std::string text) {
    notes.push_back({where, std::move(text)});
    return *this;
  }
  Diagnostic& suggest(std::string text) {
    suggestion = std::move(text);
    return *this;
  }
};

class DiagnosticSink {
 public:
  /// Stored at most; a text of garbage does not fill the memory.
  static constexpr std::size_t kMaxStored = 10000;

  template <class... Args> Diagnostic& report(DiagId id, SourceRange range, const Args&... args) {
    if (list_.size() >= kMaxStored) return countOnly(id);
    return add(id, range, messageOf(id, fmt::make_format_args(args...)));
  }
  /// A diagnostic about a whole file, without a position.
  Diagnostic& reportFile(const std::string& path, const LoadError& error);

  /// Takes over what `other` collected apart.
  void append(const DiagnosticSink& other);

  bool hasErrors() const { return errors_ > 0; }
  std::size_t errorCount() const { return errors_; }
  std::size_t warningCount() const { return warnings_; }
  /// Everything stored, by file, then offset, then order of report; duplicates removed.
  std::vector<const Diagnostic*> sorted() const;
  void clear();

 private:
  static std::string messageOf(DiagId id, fmt::format_args args);
  Diagnostic& add(DiagId id, SourceRange range, std::string message);
  Diagnostic& countOnly(DiagId id);

  std::deque<Diagnostic> list_; // a deque: references from `report` stay valid
  std::size_t errors_ = 0;      // reported, stored or not
  std::size_t warnings_ = 0;    // reported, stored or not
  Diagnostic overflow_;         // what `report` returns when the list is full
};

struct RenderOptions {
  std::size_t maxErrors = 100; // after that many a line says how many are left out
  bool color = false;          // ANSI colours, for a terminal
};

/// All diagnostics as text, each: `FILE:LINE:COLUMN: error[CODE]: message`, the source line, a caret line, suggestion,
/// notes.
std::string renderDiagnostics(const SourceManager& sources, const DiagnosticSink& sink,
                              const RenderOptions& options = {});
std::string renderDiagnostic(const SourceManager& sources, const Diagnostic& diagnostic, bool color = false);

/// The candidate nearest to `word` (few edits apart), or "" if none is near; for "did you mean" notes.
std::string_view nearestWord(std::string_view word, const std::vector<std::string_view>& candidates);

} // namespace nlang::syntax
