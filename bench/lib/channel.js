// An unbuffered channel for async functions: send is settled when a receiver has taken the value.
class Channel {
  constructor() {
    this.senders = [];
    this.receivers = [];
  }

  send(value) {
    if (this.receivers.length > 0) {
      this.receivers.shift()(value);
      return Promise.resolve();
    }
    return new Promise((sent) => this.senders.push({ value, sent }));
  }

  recv() {
    if (this.senders.length > 0) {
      const { value, sent } = this.senders.shift();
      sent();
      return Promise.resolve(value);
    }
    return new Promise((received) => this.receivers.push(received));
  }
}

module.exports = Channel;
