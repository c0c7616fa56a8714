#include "sched/poller.h"

#include <cerrno>
#include <ctime>
#include <system_error>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sched/clock.h"

namespace nlang::sched {

namespace {

constexpr int kMostEvents = 64;

int checked(int result) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), "cannot make a poller");
  return result;
}

} // namespace

Poller::Poller()
    : epoll_(checked(epoll_create1(EPOLL_CLOEXEC))), wakeEvent_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.fd = wakeEvent_;
  checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, wakeEvent_, &event));
}

Poller::~Poller() {
  close(wakeEvent_);
  close(epoll_);
}

void Poller::wait(int64_t deadline) {
  timespec time{}, *timeout = nullptr;
  if (deadline != INT64_MAX) {
    int64_t left = deadline - Clock::realNow();
    if (left < 0) left = 0;
    time.tv_sec = left / kNanosPerSecond;
    time.tv_nsec = left % kNanosPerSecond;
    timeout = &time;
  }
  epoll_event events[kMostEvents];
  // An interrupted wait is an early wake-up, which callers must expect anyway.
  if (epoll_pwait2(epoll_, events, kMostEvents, timeout, nullptr) >= 0 || errno != ENOSYS) return;
  int64_t millis = timeout == nullptr ? -1 : time.tv_sec * 1000 + (time.tv_nsec + 999'999) / 1'000'000;
  epoll_wait(epoll_, events, kMostEvents, static_cast<int>(millis > INT32_MAX ? INT32_MAX : millis));
}

void Poller::watchSignals(int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event));
  signals_ = descriptor;
}

int Poller::takeSignal() {
  signalfd_siginfo taken;
  return read(signals_, &taken, sizeof taken) == sizeof taken ? static_cast<int>(taken.ssi_signo) : 0;
}

void Poller::wake() {
  uint64_t one = 1;
  // The counter cannot overflow in practice, and edge-triggered events come with every write: it is never read.
  [[maybe_unused]] ssize_t written = write(wakeEvent_, &one, sizeof one);
}

} // namespace nlang::sched
