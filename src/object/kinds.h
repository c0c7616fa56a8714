// What the class table has to know of this room's kinds of objects: how they are traced and how large they are.
#pragma once

namespace nlang::heap {
class ClassTable;
}

namespace nlang::object {

// Before ClassTable::load.
void registerObjectKinds(heap::ClassTable& classes);

} // namespace nlang::object
