// The standard library's NLang sources, compiled into the executable as text (see cmake/EmbedStandardLibrary.cmake).
// The table is constant data: any thread may read it, and views stay valid for the life of the process.
#pragma once

#include <span>
#include <string_view>

namespace nlang::embed {

struct StandardLibraryFile {
  std::string_view path; // below std/, with forward slashes: `io.n`, `concurrent/pool.n`
  std::string_view text; // the whole file, UTF-8
};

// Every file, sorted by path.
std::span<const StandardLibraryFile> standardLibraryFiles();

// The text of `path`, or a view whose data() is null when the library has no such file.
std::string_view standardLibrarySource(std::string_view path);

} // namespace nlang::embed
