// The classes of std/prelude.n that the rules of the language speak of by name.
//
// Filled once, when the declarations of the prelude are known and before any body is checked; never changed afterwards.
// In unit tests a member that the test does not need may be null.
#pragma once

namespace nlang::sema {

struct ClassSymbol;

struct KnownClasses {
  ClassSymbol* object = nullptr;     // root of all classes
  ClassSymbol* string = nullptr;     // holds the members of `string`
  ClassSymbol* array = nullptr;      // Array<T>: holds the members of T[] and says which interfaces an array implements
  ClassSymbol* iterable = nullptr;   // Iterable<T>
  ClassSymbol* iterator = nullptr;   // Iterator<T>
  ClassSymbol* comparable = nullptr; // Comparable<T>: scalars, strings and enums implement it for themselves
  ClassSymbol* closeable = nullptr;  // Closeable
  ClassSymbol* exception = nullptr;  // the only root of what can be thrown
  ClassSymbol* list = nullptr;
  ClassSymbol* dict = nullptr;
  ClassSymbol* set = nullptr;
  ClassSymbol* thread = nullptr;
  ClassSymbol* future = nullptr;
  ClassSymbol* channel = nullptr;
  ClassSymbol* mutex = nullptr;
};

} // namespace nlang::sema
