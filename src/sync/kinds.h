// The classes whose instances this room implements.
#pragma once

namespace nlang::heap {
class ClassTable;
}

namespace nlang::sync {

// Before ClassTable::load: sizes and trace functions of Promise, Channel, Mutex, Semaphore, AtomicInt and AtomicLong.
void registerSyncKinds(heap::ClassTable& classes);

} // namespace nlang::sync
