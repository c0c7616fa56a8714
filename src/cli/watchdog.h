// Stops a Vm that runs for too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "vm/vm.h"

namespace nlang::cli {

class Watchdog {
 public:
  // Stops the Vm after so many seconds of the real clock, unless destroyed before; 0: never.
  Watchdog(vm::Vm& vm, uint32_t seconds) {
    if (seconds == 0) return;
    thread_ = std::thread([this, &vm, seconds] {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_for(lock, std::chrono::seconds(seconds), [this] { return isOver_; })) vm.stop();
    });
  }
  ~Watchdog() {
    if (!thread_.joinable()) return;
    {
      std::lock_guard lock(mutex_);
      isOver_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;

 private:
  std::mutex mutex_; // guards isOver_
  std::condition_variable changed_;
  bool isOver_ = false;
  std::thread thread_;
};

} // namespace nlang::cli
