// Channels: order, hand-over, buffer, close, timeouts.
#include "world.h"

namespace nlang::sync::test {
namespace {

class ChannelTest : public SyncTest {};

TEST_F(ChannelTest, AnUnbufferedSendWaitsForItsReceiver) {
  Channel& channel = newChannel(kLongChannel, 0);
  Context& sender = running();
  Context& receiver = running();
  ASSERT_EQ(sendLong(sender, channel, 7), ChannelStatus::kParked);
  ASSERT_FALSE(park(sender));
  EXPECT_EQ(sender.state.load(), ContextState::kParked);
  ASSERT_EQ(receiveLong(receiver, channel), ChannelStatus::kDone);
  EXPECT_EQ(received(receiver), 7);
  EXPECT_EQ(runReady(), Ran{&sender});
  EXPECT_EQ(sender.wake, Wake::kValue);
}

TEST_F(ChannelTest, AWaitingReceiverIsHandedTheValueAndTheSenderGoesOn) {
  Channel& channel = newChannel(kLongChannel, 4);
  Context& sender = running();
  Context& receiver = running();
  ASSERT_EQ(receiveLong(receiver, channel), ChannelStatus::kParked);
  park(receiver);
  ASSERT_EQ(sendLong(sender, channel, 5), ChannelStatus::kDone);
  EXPECT_EQ(channel.length, 0u);
  EXPECT_EQ(received(receiver), 5);
  EXPECT_EQ(runReady(), Ran{&receiver});
  EXPECT_EQ(receiver.wake, Wake::kValue);
}

TEST_F(ChannelTest, ReceiversAreServedInTheOrderOfTheirArrival) {
  Channel& channel = newChannel(kLongChannel, 0);
  Context& sender = running();
  Ran receivers;
  for (int i = 0; i < 3; ++i) {
    receivers.push_back(&running());
    ASSERT_EQ(receiveLong(*receivers.back(), channel), ChannelStatus::kParked);
    park(*receivers.back());
  }
  for (int i = 0; i < 3; ++i) ASSERT_EQ(sendLong(sender, channel, i), ChannelStatus::kDone);
  EXPECT_EQ(runReady(), receivers);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(received(*receivers[i]), i);
}

TEST_F(ChannelTest, WaitingSendersMoveUpIntoTheBufferInOrder) {
  Channel& channel = newChannel(kLongChannel, 2);
  Ran senders;
  for (int i = 0; i < 4; ++i) {
    senders.push_back(&running());
    ChannelStatus status = sendLong(*senders.back(), channel, i);
    EXPECT_EQ(status, i < 2 ? ChannelStatus::kDone : ChannelStatus::kParked);
    if (i >= 2) park(*senders.back());
  }
  Context& receiver = running();
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(receiveLong(receiver, channel), ChannelStatus::kDone);
    EXPECT_EQ(received(receiver), i);
  }
  EXPECT_EQ(runReady(), (Ran{senders[2], senders[3]}));
  EXPECT_EQ(channel.length, 0u);
}

TEST_F(ChannelTest, TheRingGoesRound) {
  Channel& channel = newChannel(kLongChannel, 3);
  Context& self = running();
  for (int64_t i = 0; i < 20; ++i) {
    ASSERT_EQ(sendLong(self, channel, i), ChannelStatus::kDone);
    ASSERT_EQ(sendLong(self, channel, i + 100), ChannelStatus::kDone);
    ASSERT_EQ(receiveLong(self, channel), ChannelStatus::kDone);
    EXPECT_EQ(received(self), i);
    ASSERT_EQ(receiveLong(self, channel), ChannelStatus::kDone);
    EXPECT_EQ(received(self), i + 100);
  }
}

TEST_F(ChannelTest, ZeroAndNegativeLimitsTryAndGiveUp) {
  Channel& channel = newChannel(kLongChannel, 1);
  Context& self = running();
  EXPECT_EQ(receiveLong(self, channel, 0), ChannelStatus::kWouldBlock);
  EXPECT_EQ(receiveLong(self, channel, -5), ChannelStatus::kWouldBlock);
  EXPECT_EQ(sendLong(self, channel, 1, 0), ChannelStatus::kDone);
  EXPECT_EQ(sendLong(self, channel, 2, -1), ChannelStatus::kWouldBlock);
  EXPECT_EQ(receiveLong(self, channel, 0), ChannelStatus::kDone);
  EXPECT_TRUE(channel.receivers.empty());
  EXPECT_TRUE(channel.senders.empty());
}

TEST_F(ChannelTest, ATimedOutReceiveTakesNothing) {
  Channel& channel = newChannel(kLongChannel, 0);
  Context& late = running();
  Context& next = running();
  Context& sender = running();
  ASSERT_EQ(receiveLong(late, channel, 10), ChannelStatus::kParked);
  park(late);
  ASSERT_EQ(receiveLong(next, channel), ChannelStatus::kParked);
  park(next);
  ASSERT_TRUE(waitForEvent());
  EXPECT_EQ(late.wake, Wake::kTimeout);
  // It is woken but has not run: its node is still linked, with a ticket that is over.
  ASSERT_FALSE(channel.receivers.empty());
  ASSERT_EQ(sendLong(sender, channel, 9), ChannelStatus::kDone);
  EXPECT_EQ(received(late), -1);
  EXPECT_EQ(received(next), 9);
  EXPECT_EQ(runReady(), (Ran{&late, &next}));
  EXPECT_EQ(late.wake, Wake::kTimeout);
}

TEST_F(ChannelTest, ATimedOutSendDeliversNothing) {
  Channel& channel = newChannel(kLongChannel, 0);
  Context& sender = running();
  Context& receiver = running();
  ASSERT_EQ(sendLong(sender, channel, 3, 10), ChannelStatus::kParked);
  park(sender);
  ASSERT_TRUE(waitForEvent());
  EXPECT_EQ(receiveLong(receiver, channel, 0), ChannelStatus::kWouldBlock);
  EXPECT_EQ(runReady(), Ran{&sender});
  EXPECT_EQ(sender.wake, Wake::kTimeout);
  EXPECT_TRUE(channel.senders.empty());
}

TEST_F(ChannelTest, AHandOverBeforeTheTimeoutWins) {
  Channel& channel = newChannel(kLongChannel, 0);
  Context& receiver = running();
  Context& sender = running();
  ASSERT_EQ(receiveLong(receiver, channel, 10), ChannelStatus::kParked);
  park(receiver);
  ASSERT_EQ(sendLong(sender, channel, 1), ChannelStatus::kDone);
  EXPECT_FALSE(waitForEvent()) << "the timer of a context that was woken is not kept";
  EXPECT_EQ(runReady(), Ran{&receiver});
  EXPECT_EQ(receiver.wake, Wake::kValue);
}

TEST_F(ChannelTest, CloseWakesEverybodyAndLaterOperationsDoNotWait) {
  Channel& empty = newChannel(kLongChannel, 0);
  Context& first = running();
  Context& second = running();
  for (Context* receiver : {&first, &second}) {
    ASSERT_EQ(receiveLong(*receiver, empty), ChannelStatus::kParked);
    park(*receiver);
  }
  close(*scheduler, *carrier, empty);
  EXPECT_TRUE(isClosed(*heap, empty));
  EXPECT_EQ(runReady(), (Ran{&first, &second}));
  EXPECT_EQ(first.wake, Wake::kClosed);
  EXPECT_EQ(second.wake, Wake::kClosed);
  EXPECT_EQ(receiveLong(first, empty), ChannelStatus::kClosed);
  EXPECT_EQ(sendLong(first, empty, 1), ChannelStatus::kClosed);
  close(*scheduler, *carrier, empty);
  EXPECT_TRUE(runReady().empty());
}

TEST_F(ChannelTest, AfterCloseBufferedValuesAreReceivedAndWaitingSendersValuesAreNot) {
  Channel& channel = newChannel(kLongChannel, 1);
  Context& sender = running();
  Context& waiting = running();
  Context& receiver = running();
  ASSERT_EQ(sendLong(sender, channel, 1), ChannelStatus::kDone);
  ASSERT_EQ(sendLong(waiting, channel, 2), ChannelStatus::kParked);
  park(waiting);
  close(*scheduler, *carrier, channel);
  EXPECT_EQ(runReady(), Ran{&waiting});
  EXPECT_EQ(waiting.wake, Wake::kClosed);
  EXPECT_EQ(receiveLong(receiver, channel), ChannelStatus::kDone);
  EXPECT_EQ(received(receiver), 1);
  EXPECT_EQ(receiveLong(receiver, channel), ChannelStatus::kClosed);
}

TEST_F(ChannelTest, ACancelledReceiverGetsNothingAndLeavesTheQueue) {
  Channel& channel = newChannel(kLongChannel, 0);
  Context& receiver = running();
  Context& sender = running();
  ASSERT_EQ(receiveLong(receiver, channel), ChannelStatus::kParked);
  park(receiver);
  scheduler->cancel(*carrier, receiver);
  EXPECT_EQ(sendLong(sender, channel, 4, 0), ChannelStatus::kWouldBlock);
  EXPECT_EQ(runReady(), Ran{&receiver});
  EXPECT_EQ(receiver.wake, Wake::kCancelled);
  EXPECT_EQ(received(receiver), -1);
  EXPECT_TRUE(channel.receivers.empty());
}

TEST_F(ChannelTest, WhoWasCancelledBeforeDoesNotPark) {
  Channel& channel = newChannel(kLongChannel, 0);
  Context& receiver = running();
  scheduler->cancel(*carrier, receiver);
  ASSERT_EQ(receiveLong(receiver, channel), ChannelStatus::kParked);
  EXPECT_TRUE(park(receiver));
  EXPECT_EQ(receiver.wake, Wake::kCancelled);
  scheduler->leaveWait(*carrier, receiver);
  EXPECT_TRUE(channel.receivers.empty());
  // What can be done at once is no wait.
  Channel& buffered = newChannel(kLongChannel, 1);
  EXPECT_EQ(sendLong(receiver, buffered, 1), ChannelStatus::kDone);
}

TEST_F(ChannelTest, StructsTravelAsAWhole) {
  Channel& direct = newChannel(kPairChannel, 0);
  Channel& buffered = newChannel(kPairChannel, 1);
  Context& sender = running();
  Context& receiver = running();
  Object* node = newNode();
  roots.push_back(node);
  for (Channel* channel : {&direct, &buffered}) {
    for (bool receiverWaits : {false, true}) {
      sender.stack[kMixed].setI32(-12);
      sender.stack[kMixed + 1].setObject(node);
      receiver.stack[kMixed] = receiver.stack[kMixed + 1] = Slot{0};
      auto doSend = [&] { return send(*scheduler, *carrier, sender, *channel, kMixed, kForever); };
      auto doReceive = [&] { return receive(*scheduler, *carrier, receiver, *channel, kMixed, kForever); };
      if (receiverWaits) {
        ASSERT_EQ(doReceive(), ChannelStatus::kParked);
        park(receiver);
        ASSERT_EQ(doSend(), ChannelStatus::kDone);
      } else {
        if (doSend() == ChannelStatus::kParked) park(sender);
        ASSERT_EQ(doReceive(), ChannelStatus::kDone);
      }
      runReady();
      EXPECT_EQ(receiver.stack[kMixed].i32(), -12);
      EXPECT_EQ(receiver.stack[kMixed + 1].object(), node);
    }
  }
}

TEST_F(ChannelTest, AValueInHandOverIsAlive) {
  heap::HeapOptions options;
  options.stress = true;
  options.poison = true;
  roots.clear();
  start(options);
  Channel& channel = newChannel(kNodeChannel, 1);
  Context& first = running();
  Context& second = running();
  Context& receiver = running();
  // Buffered by the first, in the frame of the waiting second; nothing else refers to the nodes.
  for (Context* sender : {&first, &second}) {
    heap->addDirtyContext(&sender->header); // it runs
    Object* node = newNode();
    sender->stack[kReference].setObject(node);
    auto** field = reinterpret_cast<Object**>(node + 1);
    heap->addDirtyContext(&sender->header);
    heap::storeReference(*heap, node, field, newNode());
    heap->addDirtyContext(&sender->header);
    if (send(*scheduler, *carrier, *sender, channel, kReference, kForever) == ChannelStatus::kParked)
      park(*sender);
    else
      sender->stack[kReference] = Slot{0};
  }
  heap->collect(carrier->allocator);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(receive(*scheduler, *carrier, receiver, channel, kReference, kForever), ChannelStatus::kDone);
    runReady();
    second.stack[kReference] = Slot{0};
    heap->collect(carrier->allocator);
    Object* node = receiver.stack[kReference].object();
    EXPECT_EQ(&classes->of(node), &classes->byIndex(kNode));
    EXPECT_EQ(&classes->of(*reinterpret_cast<Object**>(node + 1)), &classes->byIndex(kNode));
  }
  // What was received is not kept alive by the ring.
  for (uint32_t i = 0; i < channel.capacity; ++i)
    EXPECT_EQ(reinterpret_cast<Object**>(channel.storage->elements())[i], nullptr);
}

TEST_F(ChannelTest, AStaleTicketWakesNobody) {
  Channel& channel = newChannel(kLongChannel, 0);
  Context& receiver = running();
  ASSERT_EQ(receiveLong(receiver, channel, 10), ChannelStatus::kParked);
  park(receiver);
  uint64_t old = channel.receivers.head->ticket;
  ASSERT_TRUE(waitForEvent());
  runReady();
  // It waits again; the ticket of the wait before is worth nothing.
  ASSERT_EQ(receiveLong(receiver, channel), ChannelStatus::kParked);
  park(receiver);
  EXPECT_FALSE(scheduler->claim(receiver, old));
  EXPECT_TRUE(runReady().empty());
  EXPECT_EQ(receiver.state.load(), ContextState::kParked);
}

} // namespace
} // namespace nlang::sync::test
