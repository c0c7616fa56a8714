#include "syntax/diagnostic.h"

#include "base/coverage.h"
#include "base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace nlang::syntax {

namespace {

constexpr DiagnosticInfo kTable[] = {
#define NL_DIAGNOSTIC(name, code, severity, text, explanation, example)                                                \
  {#name, code, Severity::severity, text, example},
#include "syntax/diagnostics.def"
#undef NL_DIAGNOSTIC
};

bool before(const Diagnostic& a, const Diagnostic& b) {
  if (a.range.file != b.range.file) return a.range.file < b.range.file;
  return a.range.begin < b.range.begin;
}

// Same code at the same place; for diagnostics without a place, the same words about the same file.
bool repeats(const Diagnostic& a, const Diagnostic& b) {
  if (a.id != b.id || a.range.file != b.range.file || a.range.begin != b.range.begin) return false;
  return a.range.valid() || (a.path == b.path && a.message == b.message);
}

} // namespace

const DiagnosticInfo& infoOf(DiagId id) {
  assert(static_cast<std::size_t>(id) < std::size(kTable));
  return kTable[static_cast<std::size_t>(id)];
}

std::size_t diagnosticCount() { return std::size(kTable); }

std::string DiagnosticSink::messageOf(DiagId id, fmt::format_args args) {
  try {
    return fmt::vformat(infoOf(id).text, args);
  } catch (const fmt::format_error&) {
    assert(false && "the arguments of the report do not fit the text in diagnostics.def");
    return infoOf(id).text;
  }
}

Diagnostic& DiagnosticSink::add(DiagId id, SourceRange range, std::string message) {
  countOnly(id);
  const DiagnosticInfo& info = infoOf(id);
  NLANG_COVER("diagnostic", info.code);
  Diagnostic& made = list_.emplace_back();
  made.id = id;
  made.severity = info.severity;
  made.range = range;
  made.message = std::move(message);
  return made;
}

void DiagnosticSink::append(const DiagnosticSink& other) {
  errors_ += other.errors_;
  warnings_ += other.warnings_;
  for (const Diagnostic& one : other.list_) {
    if (list_.size() < kMaxStored) list_.push_back(one);
  }
}

Diagnostic& DiagnosticSink::countOnly(DiagId id) {
  ++(infoOf(id).severity == Severity::Error ? errors_ : warnings_);
  overflow_ = {};
  return overflow_;
}

Diagnostic& DiagnosticSink::reportFile(const std::string& path, const LoadError& error) {
  Diagnostic& made = add(error.id, {}, error.message);
  made.path = path;
  return made;
}

std::vector<const Diagnostic*> DiagnosticSink::sorted() const {
  std::vector<std::size_t> order(list_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (before(list_[a], list_[b])) return true;
    return !before(list_[b], list_[a]) && a < b;
  });
  // Equal positions are neighbours now, so a repetition is looked for only among them.
  std::vector<const Diagnostic*> kept;
  kept.reserve(order.size());
  for (const std::size_t i : order) {
    const Diagnostic& d = list_[i];
    bool known = false;
    for (auto it = kept.rbegin(); it != kept.rend() && !before(**it, d) && !known; ++it) known = repeats(**it, d);
    if (!known) kept.push_back(&d);
  }
  return kept;
}

void DiagnosticSink::clear() {
  list_.clear();
  errors_ = 0;
  warnings_ = 0;
}

} // namespace nlang::syntax
