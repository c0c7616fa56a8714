// try, lock, using: code that runs on every way out of a region, and exception tables.
//
// A region's clean-up exists twice: one copy receives exceptions and throws them again, the other serves all other
// exits. Each exit puts its number into the region's continuation register and jumps to that copy, behind which the
// numbers are told apart; an exit that leaves several regions goes through their clean-ups one by one. The value of a
// `return` waits in returnValue_.
//
// Inside a `finally` body, which is itself generated twice, a clean-up has one shared copy instead (the exception
// register is null for exits), so that nesting does not multiply code.
//
// An exception that a clean-up throws replaces the one in flight, which becomes one of its `suppressed`.
#include <algorithm>

#include "base/coverage.h"
#include "codegen/function_generator.h"

namespace nlang::codegen {

using bytecode::kNone;

#define NLANG_COVER_SHAPE(name) NLANG_COVER("exception-shape", name)

template <class Body, class Cleanup> void FunctionGenerator::protect(const Body& body, const Cleanup& cleanup) {
  bytecode::RegisterScope scope(builder_.registers());
  if (regions_.empty() && cleanupDepth_ == 0 && !resultType_->isVoid()) returnValue_ = parameter(resultType_);
  Region region;
  region.cleanup = builder_.newLabel();
  region.continuation = builder_.newRegister(false);
  region.exception = builder_.newRegister(true);
  region.isShared = cleanupDepth_ > 0;

  Label start = builder_.newBoundLabel();
  regions_.push_back(&region);
  body();
  regions_.pop_back();
  bool endsNormally = builder_.isReachable();
  Label end = builder_.newBoundLabel(), handler = builder_.newLabel(), done = builder_.newLabel();
  builder_.addException(start, end, kNone, handler, region.exception);
  if (endsNormally)
    NLANG_COVER_SHAPE("finally_normal");
  else
    NLANG_COVER_SHAPE("finally_only_exits");
  if (region.exits.size() + endsNormally > 1) NLANG_COVER_SHAPE("finally_several_exits");
  if (region.isShared) NLANG_COVER_SHAPE("finally_shared");

  if (endsNormally && !region.exits.empty()) {
    loadInteger(region.continuation, 0, Family::kI32);
    if (returns(region)) clearReturnValue();
  }
  if (region.isShared) {
    loadNull(region.exception);
    builder_.emitJump(region.cleanup);
    builder_.bind(handler);
    loadInteger(region.continuation, 0, Family::kI32);
    if (returns(region)) clearReturnValue();
    builder_.bind(region.cleanup);
    guardCleanup(cleanup, region);
    Label exits = builder_.newLabel();
    if (endsNormally || !region.exits.empty()) builder_.emitJump(Op::jump_null, exits, region.exception);
    builder_.emit(Op::throw_, region.exception);
    builder_.bind(exits);
    dispatchExits(region, endsNormally, done);
  } else {
    builder_.bind(region.cleanup);
    if (builder_.isReachable()) cleanup();
    dispatchExits(region, endsNormally, done);
    builder_.bind(handler);
    guardCleanup(cleanup, region);
    builder_.emit(Op::throw_, region.exception);
  }
  suppressReplaced(region);
  builder_.bind(done);
}

// The clean-up with an exception table of its own around it.
template <class Cleanup> void FunctionGenerator::guardCleanup(const Cleanup& cleanup, Region& region) {
  Label start = builder_.newBoundLabel();
  if (builder_.isReachable()) cleanup();
  Label end = builder_.newBoundLabel();
  region.failed = builder_.newLabel();
  region.replacement = builder_.newRegister(true);
  builder_.addException(start, end, kNone, region.failed, region.replacement);
}

void FunctionGenerator::suppressReplaced(Region& region) {
  builder_.bind(region.failed);
  Label none = builder_.newLabel();
  if (region.isShared) builder_.emitJump(Op::jump_null, none, region.exception);
  sema::FunctionSymbol* suppress = libraryMethod(program_.known().classes.exception, "addSuppressed", 1);
  if (suppress) {
    uint16_t arguments[] = {region.replacement, region.exception};
    const Type* owner = program_.known().classes.exception->selfType;
    builder_.emitCall(Op::call, program_.function(suppress, owner, {}, range_), arguments, 0, 0);
  }
  builder_.bind(none);
  builder_.emit(Op::throw_, region.replacement);
}

bool FunctionGenerator::returns(const Region& region) {
  return std::any_of(region.exits.begin(), region.exits.end(),
                     [](const Exit& exit) { return exit.kind == Exit::Kind::kReturn; });
}

// Behind the clean-up: on to where each exit was going.
void FunctionGenerator::dispatchExits(Region& region, bool endsNormally, Label done) {
  for (size_t i = 0; i < region.exits.size(); ++i) {
    Label next = builder_.newLabel();
    bool isOnly = i + 1 == region.exits.size() && !endsNormally;
    if (!isOnly) builder_.emitJump(Op::jnei_i32, next, region.continuation, static_cast<uint16_t>(i + 1));
    leave(region.exits[i]);
    builder_.bind(next);
  }
  if (endsNormally) builder_.emitJump(done);
}

void FunctionGenerator::leave(Exit exit) {
  size_t depth = exit.kind == Exit::Kind::kReturn ? 0 : jumpTargets_.at(exit.target).regionDepth;
  if (regions_.size() > depth) {
    Region& region = *regions_.back();
    auto known = std::find(region.exits.begin(), region.exits.end(), exit);
    auto number = static_cast<uint64_t>(known - region.exits.begin()) + 1;
    if (known == region.exits.end()) region.exits.push_back(exit);
    switch (exit.kind) {
    case Exit::Kind::kReturn: NLANG_COVER_SHAPE("finally_return"); break;
    case Exit::Kind::kBreak: NLANG_COVER_SHAPE("finally_break"); break;
    case Exit::Kind::kContinue: NLANG_COVER_SHAPE("finally_continue"); break;
    }
    if (regions_.size() > depth + 1) NLANG_COVER_SHAPE("finally_through_outer");
    if (exit.kind != Exit::Kind::kReturn) clearReturnValue();
    if (region.isShared) loadNull(region.exception);
    loadInteger(region.continuation, number, Family::kI32);
    builder_.emitJump(region.cleanup);
    return;
  }
  switch (exit.kind) {
  case Exit::Kind::kReturn: emitReturn(resultType_->isVoid() ? Value{} : returnValue_); break;
  case Exit::Kind::kBreak: builder_.emitJump(jumpTargets_.at(exit.target).breakLabel); break;
  case Exit::Kind::kContinue: builder_.emitJump(jumpTargets_.at(exit.target).continueLabel); break;
  }
}

// Ways into a clean-up on which no value is to be returned give its registers one all the same: behind it they count as
// live. Regions inside a `finally` are never left by a return, and a value may be waiting while they run.
void FunctionGenerator::clearReturnValue() {
  if (resultType_->isVoid() || cleanupDepth_ > 0) return;
  const TypeLayout& shape = layout(resultType_);
  for (uint16_t i = 0; i < shape.count(); ++i)
    if (shape.isReference[i]) loadNull(returnValue_.reg + i);
}

// ---------------------------------------------------------------- try

void FunctionGenerator::generateTry(const sema::TryStatement& statement) {
  if (tryDepth_ > 0) NLANG_COVER_SHAPE("try_nested");
  if (loopDepth_ > 0) NLANG_COVER_SHAPE("try_in_loop");
  ++tryDepth_;
  if (!statement.finallyBody) {
    generateCatches(statement);
  } else {
    NLANG_COVER_SHAPE("finally_statement");
    if (!statement.catches.empty()) NLANG_COVER_SHAPE("try_catch_finally");
    protect([&] { generateCatches(statement); },
            [&] {
              ++cleanupDepth_;
              generateBlock(*statement.finallyBody);
              --cleanupDepth_;
            });
  }
  --tryDepth_;
}

void FunctionGenerator::generateCatches(const sema::TryStatement& statement) {
  if (statement.catches.empty()) return generateBlock(*statement.body);
  bytecode::RegisterScope scope(builder_.registers());
  uint16_t exception = builder_.newRegister(true);
  Label done = builder_.newLabel();
  Label start = builder_.newBoundLabel();
  generateBlock(*statement.body);
  builder_.emitJump(done);
  Label end = builder_.newBoundLabel();
  if (statement.catches.size() == 1)
    NLANG_COVER_SHAPE("catch_one");
  else
    NLANG_COVER_SHAPE("catch_several");
  std::vector<Label> handlers;
  for (const sema::CatchClause& clause : statement.catches) {
    const Type* type = concrete(clause.type);
    bool isException = type->declaration == program_.known().classes.exception;
    if (isException) NLANG_COVER_SHAPE("catch_all_but_cancelled");
    handlers.push_back(builder_.newLabel());
    builder_.addException(start, end, program_.classOf(type).index, handlers.back(), exception, isException);
  }
  for (size_t i = 0; i < handlers.size(); ++i) {
    const sema::CatchClause& clause = statement.catches[i];
    builder_.bind(handlers[i]);
    bytecode::RegisterScope clauseScope(builder_.registers());
    mark(clause.body->range);
    caught_[clause.variable] = exception;
    if (clause.variable->isAssigned || clause.variable->assignedAfterCapture) {
      declare(*clause.variable);
      initialize(*clause.variable, {exception, 1, false});
    } else {
      variables_[clause.variable] = {exception, false, concrete(clause.type)};
    }
    generateBlock(*clause.body);
    builder_.emitJump(done);
  }
  builder_.bind(done);
}

// ---------------------------------------------------------------- lock, using

void FunctionGenerator::generateLock(const sema::LockStatement& statement) {
  NLANG_COVER_SHAPE("lock_statement");
  const Type* type = concrete(statement.mutex->type);
  Value mutex = evaluateOnce(*statement.mutex);
  release(callNamed(statement.lockFunction, type, mutex, {}, statement.mutex->range, {}));
  protect([&] { generateBlock(*statement.body); },
          [&] {
            mark(statement.mutex->range);
            release(callNamed(statement.unlockFunction, type, mutex, {}, statement.mutex->range, {}));
          });
}

void FunctionGenerator::generateUsing(const sema::UsingStatement& statement) {
  NLANG_COVER_SHAPE("using_statement");
  const Type* type = concrete(statement.variable->type);
  Value resource = evaluateFresh(*statement.value);
  if (statement.variable->isAssigned || statement.variable->assignedAfterCapture) {
    declare(*statement.variable);
    initialize(*statement.variable, resource);
  } else {
    variables_[statement.variable] = {resource.reg, false, type};
  }
  protect([&] { generateBlock(*statement.body); },
          [&] {
            mark(statement.value->range);
            Label nothing = builder_.newLabel();
            if (type->isReference()) builder_.emitJump(Op::jump_null, nothing, resource.reg);
            release(callNamed(statement.close, type, resource, {}, statement.value->range, {}));
            builder_.bind(nothing);
          });
}

} // namespace nlang::codegen
