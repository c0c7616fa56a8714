// The tree as text, in parentheses, for tests and for looking at.
//
// Every construct has one form (see the tests of the parser); operators of one precedence are listed between their
// operands, so that `a + b * c` prints as `(a + (b * c))`. Ranges are not printed.
#pragma once

#include <string>

namespace nlang::syntax {

struct Node;

std::string printTree(const Node* node);

} // namespace nlang::syntax
