// Inference of type arguments of a call from its arguments (L2.1).
//
// Use: one `Inference` for each candidate function; `learn` for each argument from left to right, lambdas without
// written types last; before such a lambda `fixForLambda`, which turns what is known of its parameter types into its
// parameter types; then `learnResult` with the type of its body; in the end `finish`. A parameter of type T itself only
// bounds T from below, so max(1, 2.5) has T = double; inside List<T>, T[] and func<…> the argument's type is exact,
// because those are invariant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sema/conversions.h"

namespace nlang::sema {

enum class InferenceError : uint8_t {
  kNone,
  kConflict, // two arguments ask for different types: `first` and `second`
  kUnknown,  // no argument says what `parameter` is
  kVoid,     // void for a type argument
  kBound,    // `first` does not satisfy the bound `second` of `parameter`
};

struct InferenceFailure {
  InferenceError error = InferenceError::kNone;
  TypeParameterSymbol* parameter = nullptr;
  const Type* first = nullptr;
  const Type* second = nullptr;
};

class Inference {
 public:
  // Infers `parameters`. Other type parameters (of the enclosing class or function) are ordinary types here.
  Inference(const Conversions& conversions, std::span<TypeParameterSymbol* const> parameters);

  // Sets a type argument that is known from elsewhere.
  void set(size_t index, const Type* type);

  // An argument of type `argument` stands for a parameter of type `parameter`. A shape that does not fit teaches
  // nothing: whether the argument converts is for the caller to check after substitution. Null teaches nothing. False
  // on a conflict.
  bool learn(const Type* parameter, const Type* argument, const ConstantValue* constant = nullptr);
  // An argument that must have the parameter's type exactly (an `out` argument).
  bool learnExactly(const Type* parameter, const Type* argument);
  // A lambda with some written parameter types (null entries: not written) for a parameter of function type.
  bool learnLambdaParameters(const Type* functionType, std::span<const Type* const> written);
  // Decides the type parameters that the parameters of `functionType` mention, so that an unwritten lambda can be
  // typed. False if one is unknown yet (see failure()).
  bool fixForLambda(const Type* functionType);
  // The body of a lambda passed for `functionType` has type `result` (kVoid for none).
  bool learnResult(const Type* functionType, const Type* result, const ConstantValue* constant = nullptr);

  // Decides everything and checks the bounds. False: see failure().
  bool finish();

  const InferenceFailure& failure() const { return failure_; }
  // The type argument decided or bounded so far; null if unknown.
  const Type* argument(size_t index) const;
  // All of them, valid after finish() succeeded.
  std::span<const Type* const> arguments() const { return result_; }
  // `type` with everything known so far put in; unknown parameters stay.
  const Type* apply(const Type* type);
  // Does `type` mention a parameter that is not known yet?
  bool isOpen(const Type* type) const;

 private:
  struct Slot {
    const Type* exact = nullptr; // decided: other arguments must convert to it
    const Type* lower = nullptr; // all lower bounds so far convert to it
    std::vector<Operand> bounds; // the lower bounds, to check a wider one against
  };
  int indexOf(const Type* type) const;
  bool learnFrom(const Type* parameter, const Type* argument, bool exact, const ConstantValue* constant);
  bool learnSlot(size_t index, const Type* argument, bool exact, const ConstantValue* constant);
  bool fail(InferenceError error, size_t index, const Type* first, const Type* second);
  Substitution current();

  const Conversions& conversions_;
  std::span<TypeParameterSymbol* const> parameters_;
  std::vector<Slot> slots_;         // as long as parameters_
  std::vector<const Type*> result_; // see arguments(); scratch of apply()
  InferenceFailure failure_;        // the first failure
};

} // namespace nlang::sema
