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

int checked(int result) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), "cannot make a poller");
  return result;
}

} // namespace

Poller::Poller()
    : sleep_(checked(epoll_create1(EPOLL_CLOEXEC))), descriptors_(checked(epoll_create1(EPOLL_CLOEXEC))),
      wakeEvent_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  epoll_event event{};
  event.events = EPOLLIN;
  checked(epoll_ctl(sleep_, EPOLL_CTL_ADD, descriptors_, &event));
  event.events = EPOLLIN | EPOLLET;
  checked(epoll_ctl(sleep_, EPOLL_CTL_ADD, wakeEvent_, &event));
}

Poller::~Poller() {
  close(wakeEvent_);
  close(descriptors_);
  close(sleep_);
}

void Poller::wait(int64_t deadline, Events& events) {
  timespec time{}, *timeout = nullptr;
  if (deadline != INT64_MAX) {
    int64_t left = deadline - Clock::realNow();
    if (left < 0) left = 0;
    time.tv_sec = left / kNanosPerSecond;
    time.tv_nsec = left % kNanosPerSecond;
    timeout = &time;
  }
  constexpr int kMost = 3;
  epoll_event found[kMost];
  // An interrupted wait is an early wake-up, which callers must expect anyway.
  if (epoll_pwait2(sleep_, found, kMost, timeout, nullptr) < 0 && errno == ENOSYS) {
    int64_t millis = timeout == nullptr ? -1 : time.tv_sec * 1000 + (time.tv_nsec + 999'999) / 1'000'000;
    epoll_wait(sleep_, found, kMost, static_cast<int>(millis > INT32_MAX ? INT32_MAX : millis));
  }
  look(events);
}

void Poller::look(Events& events) {
  events.count_ = 0;
  if (!watchesDescriptors()) return;
  epoll_event found[Events::kMost];
  int count = epoll_wait(descriptors_, found, Events::kMost, 0);
  for (int i = 0; i < count; ++i) events.ready_[events.count_++] = static_cast<DescriptorWait*>(found[i].data.ptr);
}

bool Poller::watch(int descriptor, Direction direction, DescriptorWait& wait) {
  epoll_event event{};
  event.events = (direction == Direction::kRead ? EPOLLIN | EPOLLRDHUP : EPOLLOUT) | EPOLLET;
  event.data.ptr = &wait;
  // Set first: whose sleep the event ends looks for it.
  watchesDescriptors_.store(true, std::memory_order_seq_cst);
  return epoll_ctl(descriptors_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Poller::watchSignals(int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  checked(epoll_ctl(sleep_, EPOLL_CTL_ADD, descriptor, &event));
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
