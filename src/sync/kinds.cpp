#include "sync/kinds.h"

#include "sync/atomics.h"
#include "sync/channel.h"
#include "sync/future.h"
#include "sync/mutex.h"
#include "sync/semaphore.h"

namespace nlang::sync {

void registerSyncKinds(heap::ClassTable& classes, bool wholeLines) {
  using Kind = bytecode::ClassKind;
  classes.registerKind(Kind::kPromise, tracePromise, sizeof(Promise));
  classes.registerKind(Kind::kChannel, traceChannel, wholeLines ? kChannelInWholeLines : sizeof(Channel));
  classes.registerKind(Kind::kMutex, traceMutex, sizeof(Mutex));
  classes.registerKind(Kind::kSemaphore, nullptr, sizeof(Semaphore));
  classes.registerKind(Kind::kAtomic, nullptr, sizeof(Atomic));
}

} // namespace nlang::sync
