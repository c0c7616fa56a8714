// The classes whose instances this room implements.
#pragma once

namespace nlang::heap {
class ClassTable;
}

namespace nlang::sync {

// Before ClassTable::load: sizes and trace functions of Promise, Channel, Mutex, Semaphore, AtomicInt and AtomicLong.
// `wholeLines`: channels take whole cache lines, because with several carriers their two ends are often on others than
// those of their neighbours.
void registerSyncKinds(heap::ClassTable& classes, bool wholeLines = false);

} // namespace nlang::sync
