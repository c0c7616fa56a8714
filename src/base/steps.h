// Points at which a test decides which of several parties goes on, so that it can run every interleaving of them on the
// real code (tests/unit/sync/interleavings.h).
//
// A step is what one party does between two points. Each point names the one piece of memory, the cell, that others may
// touch at the same time and that the step is about to change (NLANG_STEP) or only to read (NLANG_LOOK); all else in it
// is the party's own, or guarded by a lock that it holds. Only a build with NLANG_PLANTED_FAULTS has points, and only a
// thread with a listener stops at them.
#pragma once

#ifdef NLANG_PLANTED_FAULTS

namespace nlang {

struct Step {
  const char* what; // as a verb: takes a lock bit
  const void* cell;
  bool changes;
  bool (*isPossible)(void*); // null: always
  void* data;                // of isPossible
};

class StepListener {
 public:
  virtual ~StepListener() = default;
  // Returns when it is the caller's turn and the step is possible.
  virtual void stopBefore(const Step& step) = 0;
  // Whether a relaxed read misses what another thread has just written.
  virtual bool misses(const char* what) = 0;
};

extern constinit thread_local StepListener* stepListener;

inline void stopBefore(const char* what, const void* cell, bool changes) {
  if (stepListener != nullptr) stepListener->stopBefore({what, cell, changes, nullptr, nullptr});
}
template <class F> void stopBeforeWhen(const char* what, const void* cell, F&& isPossible) {
  if (stepListener == nullptr) return;
  stepListener->stopBefore({what, cell, true, [](void* f) -> bool { return (*static_cast<F*>(f))(); }, &isPossible});
}

} // namespace nlang

#define NLANG_STEP(what, cell) ::nlang::stopBefore(what, cell, true)
#define NLANG_LOOK(what, cell) ::nlang::stopBefore(what, cell, false)
// A step that has to wait for its condition: a lock that is free.
#define NLANG_STEP_WHEN(what, cell, condition) ::nlang::stopBeforeWhen(what, cell, [&]() -> bool { return condition; })
// Whether a relaxed read misses something; false in other builds.
#define NLANG_MISSES(what) (::nlang::stepListener != nullptr && ::nlang::stepListener->misses(what))

#else

#define NLANG_STEP(what, cell) static_cast<void>(0)
#define NLANG_LOOK(what, cell) static_cast<void>(0)
#define NLANG_STEP_WHEN(what, cell, condition) static_cast<void>(0)
#define NLANG_MISSES(what) false

#endif
